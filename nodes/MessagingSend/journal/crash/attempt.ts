import { digestOfNames, type Page } from '../../messages/pages';
import { isKeptBack, mayHaveBeenSent, type Row } from '../../messages/row';
import type { KeptRun } from '../deliveryRecord';
import type { Facts } from '../list/facts';

/** One of the attempt's requests may have left. */
export function begunName(run: string, number: number): string {
  return `${run} attempt ${number}`;
}

/** The usual length of the pages of all attempts at a run. */
export function lengthName(run: string, length: number): string {
  return `${run} pages of ${length}`;
}

/** What an attempt at these pages notes: facts. @param length the usual length of pages, in messages */
export function notesOf(facts: Facts, run: string, number: number, pages: readonly Page[], length: number) {
  const begun = begunName(run, number);
  const factOf = (what: string) => facts.of(`${begun} ${what}`);
  const ownPages = pages.map(({ name, rows }) => {
    const fact = factOf(`page ${name}`);
    return {
      rows,
      /** The attempt is to send its messages. */
      planned: factOf(`plans ${name}`),
      /** It is to send something to its person; only where each message has its own page. */
      plannedFor: factOf(`plans for ${rows[0]?.person ?? ''}`),
      /** Open from before its first request; noted once all of it is sent. */
      fact,
      /** Noted once all of it is sent but these messages, which the user keeps back. */
      factWithout: (keptBack: readonly Row[]) =>
        keptBack.length === 0 ? fact : factOf(`page ${name} but ${digestOfNames(keptBack)}`),
    };
  });
  /** In a plan with people, it shows that the plan is there; a number that can't be read may be anybody's. */
  const plannedForNobody = factOf('plans for ');
  const people = length > 1 ? [] : [plannedForNobody, ...ownPages.map(({ plannedFor }) => plannedFor)];
  return {
    number,
    begun: facts.of(begun),
    length: facts.of(lengthName(run, length)),
    pages: ownPages,
    plan: [...ownPages.map(({ planned }) => planned), ...people],
    plannedForNobody,
    hasPeople: people.length > 0,
  };
}

/** What is left in the list of an attempt that has ended. */
export type Left = Readonly<Record<'begun' | 'details', readonly string[]>>;

export const NOTHING_LEFT: Left = { begun: [], details: [] };

/**
 * One attempt at a run. It notes itself and its plan before its first request, opens the pages of each request before
 * the request leaves, and notes a page once all of it is sent.
 */
export class Attempt {
  /** Facts that say that a page is sent but for what is kept back. */
  private readonly rests: string[] = [];
  /** Resolves once all pages that were opened so far are stored, with whether another process has one of them. */
  private opening: Promise<boolean> | null = null;
  /**
   * Why no further request may leave. `others`: another process is making this attempt, or has barred it. `failedWrite`: it
   * may have been stored all the same, and would be taken for another process's.
   */
  private blockedBy: 'others' | 'failedWrite' | null = null;

  /**
   * @param toBar facts that earlier attempts have not begun, and must no longer begin
   * @param record names the attempts whose requests may have left
   */
  constructor(
    private readonly facts: Facts,
    private readonly notes: ReturnType<typeof notesOf>,
    private readonly toBar: readonly string[],
    private readonly record: Pick<KeptRun, 'attempts'>,
  ) {}

  private pagesOf(rows: readonly Row[]) {
    return [...new Set(rows.map(({ page }) => page))].flatMap((page) => this.notes.pages[page] ?? []);
  }

  private isBegun(fact: string): boolean {
    const { state } = this.facts.list.known.get(fact) ?? {};
    return state === 'open' || state === 'noted';
  }

  /**
   * Resolves once a re-run would know that these messages may have left.
   * @returns whether another process is making this attempt, or has barred it
   * @throws what the storage throws: then the messages must not leave
   */
  async begin(rows: readonly Row[]): Promise<boolean> {
    const open = this.pagesOf(rows).flatMap(({ fact }) => (this.isBegun(fact) ? [] : [fact]));
    if ((open.length > 0 || this.opening === null) && this.blockedBy === null) {
      const before = this.opening ?? this.start();
      const own = this.facts.store({ open }, open);
      // Even if an earlier write fails, this one may find that its pages belong to another process, and must stay.
      this.opening = Promise.allSettled([before, own]).then(async () => (await own) || (await before));
      this.opening.catch(() => (this.blockedBy ??= 'failedWrite'));
    }
    if ((await this.opening) === true) this.blockedBy = 'others';
    return this.blockedBy === 'others';
  }

  /** Notes itself and its plan. @returns whether another process is making this attempt, or has barred it */
  private async start(): Promise<boolean> {
    const { facts, toBar, record } = this;
    const { number, begun, length, plan, hasPeople } = this.notes;
    const isTaken = await facts.store({ noted: [begun, length, ...plan], barred: toBar }, [begun, ...toBar]);
    // If another process overwrites a plan without people, its pages are uncertain. So later writes need not repeat it.
    if (!hasPeople) facts.change({ facts: plan });
    if (!isTaken) record.attempts = [...record.attempts, number];
    return isTaken;
  }

  /**
   * Notes pages whose messages are all sent, and takes back pages whose messages have all ended unsent. A message that
   * will be requested again has not ended, so its page stays open; so does the page of one that another execution has
   * sent: that is for send once to know.
   * @param rows that have just been settled, or found to be duplicates
   */
  settled(rows: readonly Row[]): void {
    const { facts, rests, blockedBy } = this;
    for (const page of this.pagesOf(rows)) {
      if (facts.list.known.get(page.fact)?.state !== 'open') continue;
      const own = page.rows.filter((row) => row.defect === null && !isKeptBack(row));
      if (own.length > 0 && own.every(({ outcome }) => outcome?.kind === 'sent')) {
        // What was kept back may be sent by a later attempt, so such a page stays open, and another fact says what is sent.
        const sent = page.factWithout(page.rows.filter(isKeptBack));
        facts.change({ facts: [sent], to: 'noted' });
        if (sent !== page.fact) rests.push(sent);
      } else if (blockedBy === 'others') continue;
      else if (own.every(({ outcome, isRecalled }) => isRecalled || (outcome !== null && !mayHaveBeenSent(outcome)))) {
        facts.change({ facts: [page.fact], to: 'unknown' });
      }
    }
  }

  /** Resolves once everything is stored that a re-run needs if n8n is killed before it stores the execution. */
  async finish(): Promise<Left> {
    const { facts, rests, toBar, record } = this;
    const { number, begun, length, plan, pages } = this.notes;
    if (rests.length > 0) await facts.store({ noted: rests }).catch(() => undefined);
    await facts.list.turns.last;
    const details = [length, ...plan, ...pages.map(({ fact }) => fact), ...rests];
    if (this.blockedBy === 'others') {
      // They belong to the other attempt, and must stay.
      facts.change({ facts: [begun, ...details, ...toBar] });
      return NOTHING_LEFT;
    }
    if (!this.isBegun(begun)) return NOTHING_LEFT;
    if (pages.some(({ fact }) => this.isBegun(fact))) return { begun: [begun], details: [...details, ...toBar] };
    // Nothing has left, and an attempt that has not begun says the same. What it has barred stays barred.
    record.attempts = record.attempts.filter((other) => other !== number);
    facts.change({ facts: [begun, ...details], to: 'unknown' });
    // A Retry must not find it begun, and then without its plan.
    await facts.list.turns.last;
    return { begun: [], details: toBar };
  }
}
