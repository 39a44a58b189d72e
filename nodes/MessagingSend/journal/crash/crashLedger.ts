import { failure } from '../../failures/failure';
import type { Row } from '../../messages/row';
import type { FactState } from '../list/factList';
import { digestOf, type Facts } from '../list/facts';
import { type Memory, pastWith } from '../memory';
import type { DeliveryRecord } from '../record/deliveryRecord';
import { Attempt, attemptFacts, begunName, type Digests, digestsOf, type Pages, pagesOf } from './attempt';

/** How many attempts are looked up at once. */
const ASKED_TOGETHER = 4;

const SENT = pastWith({ kind: 'sent', messageId: null, status: 'sent' });
const UNCERTAIN = pastWith({ kind: 'uncertain', failure: failure('interrupted') });

/** What an attempt finds when it starts. */
interface Start {
  readonly number: number;
  /** Earlier attempts that the delivery record doesn't contain. */
  readonly unrecorded: readonly number[];
  /** Whether earlier attempts may have sent messages that the list knows nothing about. */
  readonly hasGap: boolean;
}

/**
 * What n8n's database knows about one run of the node. After a kill, the execution itself contains nothing.
 *
 * An attempt takes the next number before it sends. A later attempt reads the pages of the attempts that its delivery
 * record doesn't contain: what is on an open page, and on none that is noted, is uncertain. It bars pages that were not
 * begun, so that the earlier attempt sends no more if it is still running somewhere.
 */
export class CrashLedger {
  readonly isRetry: boolean;
  private readonly run: string;
  /** Noted when the run starts. Only with it, or the first run's, do missing facts prove that nothing was begun. */
  private readonly hasStarted: readonly string[];
  private readonly start: Promise<Start>;

  /**
   * Notes that the run has started.
   * @param lineage what an execution shares with its Retries, and with no other execution
   * @param ordinal of the run within the execution, from 0
   * @param followsKill whether n8n shows that an earlier attempt was killed
   */
  constructor(
    private readonly facts: Facts,
    { lineage, ordinal }: { readonly lineage: string; readonly ordinal: number },
    private readonly record: Pick<DeliveryRecord, 'attempts'>,
    { isRetry, followsKill }: { readonly isRetry: boolean; readonly followsKill: boolean },
  ) {
    this.isRetry = isRetry;
    this.run = digestOf([lineage, String(ordinal)]);
    this.hasStarted = facts.of([this.run]);
    this.start = isRetry ? this.startAgain(digestOf([lineage, '0']), followsKill) : this.startOnce();
    this.start.catch(() => undefined);
  }

  private async startAgain(firstRun: string, followsKill: boolean): Promise<Start> {
    const states = await this.facts.ask([...this.hasStarted, ...this.facts.of([firstRun])]);
    const hasGap = followsKill && states.every((state) => state !== 'noted');
    if (!hasGap) await this.facts.record({ noted: this.hasStarted });
    return { ...(await this.findUnrecorded()), hasGap };
  }

  /** A run that was noted before is a second try, or one of an execution that n8n continues for the second time. */
  private async startOnce(): Promise<Start> {
    const wasNoted = await this.facts.record({ noted: this.hasStarted }, this.hasStarted);
    const isFirst = !wasNoted && this.record.attempts === 0;
    return { ...(isFirst ? { number: 1, unrecorded: [] } : await this.findUnrecorded()), hasGap: false };
  }

  private async findUnrecorded(): Promise<Omit<Start, 'hasGap'>> {
    const unrecorded: number[] = [];
    for (let first = this.record.attempts + 1; ; first += ASKED_TOGETHER) {
      const numbers = Array.from({ length: ASKED_TOGETHER }, (_, index) => first + index);
      const states = await this.facts.ask(this.facts.of(numbers.map((number) => begunName(this.run, number))));
      for (const [index, number] of numbers.entries()) {
        if (states[index] === 'unknown') return { number, unrecorded };
        // An open one counts as well: it may have been noted before a kill during a question left it open.
        unrecorded.push(number);
      }
    }
  }

  /** Resolves once the start is stored. */
  async finish(): Promise<void> {
    await this.start.catch(() => undefined);
    this.facts.release(this.hasStarted);
    this.facts.shorten();
  }

  async hasGap(): Promise<boolean> {
    return await this.start.then((start) => start.hasGap).catch(() => false);
  }

  /**
   * What is known about these messages, and an attempt at them.
   * @throws what the storage throws: then nothing is known
   */
  async lookUp(
    rows: readonly Row[],
    pause: () => Promise<void>,
  ): Promise<{ readonly listed: Memory | null; readonly attempt: Attempt }> {
    const { number, unrecorded } = await this.start;
    const pages = pagesOf(rows.filter(({ defect }) => defect === null));
    const digests = await digestsOf(pages, pause);
    const { states, toBar, hadOtherPlaces, hadOtherTexts } = await this.ask(pages, digests, unrecorded);
    const attempt = new Attempt(
      this.facts,
      attemptFacts(this.facts, this.run, number, pages, digests),
      pages,
      toBar,
      () => {
        // The record will not contain what attempts with other messages sent.
        if (!hadOtherPlaces) this.record.attempts = number;
      },
    );
    if (unrecorded.length === 0) return { listed: null, attempt };
    // If texts have changed since the earlier attempt, a place still identifies a person who gets only one message. If a
    // person gets several, nobody knows which of them was sent.
    const touched = hadOtherTexts ? pages.filter((_page, index) => states[index] !== 'unknown').flat() : [];
    const doubtful = new Set(touched.filter(({ isOneOfSeveral }) => isOneOfSeveral).map(({ person }) => person));
    const pastOf = (row: Row) => {
      const state = doubtful.has(row.person) ? 'open' : states[row.page];
      return state === 'open' ? UNCERTAIN : state === 'noted' ? SENT : undefined;
    };
    return { listed: { pastOf, mayHaveSent: () => hadOtherPlaces }, attempt };
  }

  /** Reads each page's state, where noted wins over any doubt, and which facts (pages, `allSent`) are to be barred. */
  private async ask(pages: Pages, digests: Digests, unrecorded: readonly number[]) {
    const states = pages.map((): FactState => 'unknown');
    const toBar: string[] = [];
    let [hadOtherPlaces, hadOtherTexts, isUnclear] = [false, false, false];
    for (const number of unrecorded) {
      const names = attemptFacts(this.facts, this.run, number, pages, digests);
      const [places, contents] = await this.facts.ask([names.places, names.contents]);
      hadOtherTexts ||= contents !== 'noted';
      const asked = places === 'noted' ? names.pages : [];
      for (const [page, state] of (await this.facts.ask(asked)).entries()) {
        if (state === 'unknown') toBar.push(names.pages[page] ?? '');
        else if (state === 'noted' || (state === 'open' && states[page] === 'unknown')) states[page] = state;
      }
      // Asked last: an attempt replaces its places and pages with this fact when it ends.
      const [allSent] = await this.facts.ask([names.allSent]);
      if (allSent === 'noted') states.fill('noted');
      else if (places !== 'noted') hadOtherPlaces = true;
      else if (allSent === 'unknown') toBar.push(names.allSent);
      else isUnclear ||= allSent === 'open';
    }
    const all = states.map((state): FactState => (state !== 'noted' && (isUnclear || hadOtherPlaces) ? 'open' : state));
    return { states: all, toBar, hadOtherPlaces, hadOtherTexts };
  }
}
