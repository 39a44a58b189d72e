import { mayHaveBeenSent, type Row } from '../../messages/row';
import type { Facts } from '../list/facts';
import { digestOfNames, type Page } from './pages';

/** The names of what an attempt at a run notes. */
export function attemptNames(run: string, number: number) {
  const begun = `${run} attempt ${number}`;
  return {
    /** One of its requests may have left. */
    begun,
    /** It is to send the messages of this page. */
    planned: (page: Page) => `${begun} plans ${page.name}`,
    /** It is to send something to this person, or to nobody (''); only where each message has its own page. */
    plannedFor: (person: string) => `${begun} plans for ${person}`,
    /** Noted when all of the page is sent but these messages, which the user keeps back. */
    page: (page: Page, keptBack: readonly Row[] = []) =>
      `${begun} page ${page.name}${keptBack.length === 0 ? '' : ` but ${digestOfNames(keptBack)}`}`,
  };
}

/** The usual length of the pages of all attempts at a run. */
export function lengthName(run: string, length: number): string {
  return `${run} pages of ${length}`;
}

/** What an attempt is to send. */
export interface Plan {
  readonly run: string;
  readonly number: number;
  readonly pages: readonly Page[];
  /** Their usual length, in messages. */
  readonly length: number;
}

/** A page in one attempt. */
interface OwnPage extends Page {
  readonly fact: string;
  /**
   * `taken`: another process has begun or barred it. A promise: it is open, and its requests may leave once that
   * resolves to false, because the page isn't taken.
   */
  state: 'unopened' | 'ended' | 'taken' | Promise<boolean>;
}

/**
 * One attempt at a run. It notes itself and its plan before its first request, opens the pages of each request before
 * the request leaves, and notes a page once all of it is sent.
 */
export class Attempt {
  private readonly pages: readonly OwnPage[];
  private readonly names: ReturnType<typeof attemptNames>;
  /** Facts that say that a page is sent but for what is kept back. */
  private readonly rests: string[] = [];
  private begun: Promise<boolean> | null = null;
  /** Itself and its plan. */
  private noted: readonly string[] = [];

  /**
   * @param toBar facts that earlier attempts have not begun, and must no longer begin
   * @param onBegun called with true once its requests may leave, and with false if none has
   */
  constructor(
    private readonly facts: Facts,
    private readonly plan: Plan,
    private readonly toBar: readonly string[],
    private readonly onBegun: (hasBegun: boolean) => void,
  ) {
    this.names = attemptNames(plan.run, plan.number);
    const pageFacts = facts.of(plan.pages.map((page) => this.names.page(page)));
    this.pages = plan.pages.map((page, index) => ({ ...page, fact: pageFacts[index] ?? '', state: 'unopened' }));
  }

  private pagesOf(rows: readonly Row[]): OwnPage[] {
    return [...new Set(rows.map(({ page }) => page))].flatMap((page) => this.pages[page] ?? []);
  }

  /**
   * Resolves once a re-run would know that these messages may have left.
   * @returns whether another process is making this attempt, or has barred it
   * @throws what the storage throws: then the messages must not leave
   */
  async begin(rows: readonly Row[]): Promise<boolean> {
    const pages = this.pagesOf(rows);
    const closed = pages.filter(({ state }) => state === 'unopened');
    if (closed.length > 0) {
      this.begun ??= this.start().catch((error: unknown) => {
        this.begun = null;
        throw error;
      });
      const facts = closed.map(({ fact }) => fact);
      const opening = this.facts.store({ open: facts }, facts);
      for (const page of closed) page.state = opening;
      opening.catch(() => {
        for (const page of closed) page.state = 'unopened';
      });
    }
    const openings = new Set(pages.map(({ state }) => (state instanceof Promise ? state : state === 'taken')));
    const isTaken = (await Promise.all([this.begun, ...openings])).includes(true);
    // Their values in the list belong to the other attempt, and must stay.
    if (isTaken) for (const page of pages) page.state = 'taken';
    return isTaken;
  }

  /** Notes itself and its plan. @returns whether another process is making this attempt, or has barred it */
  private async start(): Promise<boolean> {
    const { facts, names, toBar } = this;
    const { run, pages, length } = this.plan;
    // With nobody: it shows that the plan is there, and a number that can't be read may be anybody's.
    const people = length > 1 ? [] : new Set(['', ...pages.flatMap(({ rows }) => rows.map(({ person }) => person))]);
    const plan = facts.of([...pages.map(names.planned), ...[...people].map(names.plannedFor)]);
    const [begun = '', ownLength = ''] = facts.of([names.begun, lengthName(run, length)]);
    this.noted = [begun, ownLength, ...plan];
    const isTaken = await facts.store({ noted: this.noted, barred: toBar }, [begun, ...toBar]);
    // If another process overwrites a plan without people, its pages are uncertain. So later writes need not repeat it.
    if (length > 1) facts.release(plan);
    if (!isTaken) this.onBegun(true);
    return isTaken;
  }

  /**
   * Notes pages whose messages are all sent, and takes back pages whose messages have all ended unsent. A message that
   * will be requested again has not ended, so its page stays open; so does the page of one that another execution has
   * sent: that is for send once to know.
   * @param rows that have just been settled, or found to be duplicates
   */
  settled(rows: readonly Row[]): void {
    for (const page of this.pagesOf(rows)) {
      if (!(page.state instanceof Promise)) continue;
      const own = page.rows.filter((row) => row.defect === null && !isKeptBack(row));
      if (own.length > 0 && own.every(({ outcome }) => outcome?.kind === 'sent')) this.close(page);
      else if (own.every(({ outcome, isRecalled }) => isRecalled || (outcome !== null && !mayHaveBeenSent(outcome)))) {
        page.state = 'unopened';
        this.facts.change({ facts: [page.fact], to: 'unknown' });
      }
    }
  }

  /** What was kept back may be sent by a later attempt, so such a page stays open, and another fact says what is sent. */
  private close(page: OwnPage): void {
    page.state = 'ended';
    const keptBack = page.rows.filter(isKeptBack);
    const facts = keptBack.length === 0 ? [page.fact] : this.facts.of([this.names.page(page, keptBack)]);
    this.facts.change({ facts, to: 'noted' });
    if (keptBack.length > 0) this.rests.push(...facts);
  }

  /**
   * Resolves once everything is stored that a re-run needs if n8n is killed before it stores the execution.
   * @returns all facts that it has noted
   */
  async finish(): Promise<readonly string[]> {
    const { facts, pages, rests, toBar } = this;
    if (rests.length > 0) await facts.store({ noted: rests }).catch(() => undefined);
    await facts.list.turns.last;
    if (this.begun === null) return [];
    const own = [...this.noted, ...pages.map(({ fact }) => fact), ...rests];
    if (pages.some(({ state }) => state === 'taken')) {
      // They belong to the other attempt, and must stay.
      facts.release([...own, ...toBar]);
      return [];
    }
    if (pages.some(({ state }) => state !== 'unopened')) return [...own, ...toBar];
    // Nothing has left, and an attempt that has not begun says the same. What it has barred stays barred.
    this.onBegun(false);
    facts.change({ facts: own, to: 'unknown' });
    // A Retry must not find it begun, and then without its plan.
    await facts.list.turns.last;
    return toBar;
  }
}

/** The user's reasons to keep a message back. */
const KEPT_BACK: ReadonlySet<string> = new Set(['opted_out', 'empty_field', 'outside_window']);

function isKeptBack({ outcome, duplicateOf }: Row): boolean {
  return duplicateOf !== null || (outcome?.kind === 'skipped' && KEPT_BACK.has(outcome.reason));
}
