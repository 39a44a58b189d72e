import { failure } from '../../failures/failure';
import type { Message } from '../../messages/message';
import { digestOf, type Pages, pagesOf } from '../identity';
import type { FactState } from '../list/factList';
import type { Facts } from '../list/facts';
import { type Intent, type Memory, type Past, WITHOUT_RECEIPT } from '../recall';
import type { DeliveryRecord } from '../record/deliveryRecord';
import { Attempt, attemptFacts, begunName } from './attempt';

/** How many attempts one call asks for. */
const ASKED_TOGETHER = 4;

const SENT: Past = {
  outcome: { kind: 'sent', messageId: null, status: 'sent' },
  receipt: WITHOUT_RECEIPT,
  isRepeatable: false,
};
const UNCERTAIN: Past = {
  outcome: { kind: 'uncertain', failure: failure('interrupted') },
  receipt: WITHOUT_RECEIPT,
  isRepeatable: true,
};

/** What an attempt finds when it starts. */
interface Start {
  readonly number: number;
  /** The attempts that the delivery record does not contain. */
  readonly missing: readonly number[];
  /** Whether earlier ones may have sent messages of which the list knows nothing. */
  readonly hasGap: boolean;
}

/**
 * What n8n's database says of one run of the node, for a re-run after a kill, when the execution itself contains nothing.
 *
 * An attempt that is about to send takes the next number. A later one reads the pages of the attempts that its delivery
 * record does not contain: on an open page everything is uncertain, and what is not begun it bars, so that the earlier
 * attempt, should it still be running somewhere, sends no more.
 */
export class CrashLedger {
  readonly isRetry: boolean;
  private readonly run: string;
  /** Noted when the run starts: only if it is there, what is not there was not begun. */
  private readonly hasStarted: readonly string[];
  private readonly start: Promise<Start>;

  /**
   * Notes that an attempt has started.
   * @param lineage what an execution has in common with its Retries, and with no other
   * @param ordinal of the run within the execution, from 0
   * @param followsKill whether n8n shows that it was killed in an earlier attempt
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
    return { ...(await this.findMissing()), hasGap };
  }

  /** One that was noted before is of an execution that n8n continues for the second time, or a second try. */
  private async startOnce(): Promise<Start> {
    const wasNoted = await this.facts.record({ noted: this.hasStarted }, this.hasStarted);
    const isFirst = !wasNoted && this.record.attempts === 0;
    return { ...(isFirst ? { number: 1, missing: [] } : await this.findMissing()), hasGap: false };
  }

  private async findMissing(): Promise<Omit<Start, 'hasGap'>> {
    const missing: number[] = [];
    for (let first = this.record.attempts + 1; ; first += ASKED_TOGETHER) {
      const numbers = Array.from({ length: ASKED_TOGETHER }, (_, index) => first + index);
      const states = await this.facts.ask(this.facts.of(numbers.map((number) => begunName(this.run, number))));
      for (const [index, number] of numbers.entries()) {
        if (states[index] === 'unknown') return { number, missing };
        // One that is open may be what a question has left that n8n was killed in, or was noted before that.
        missing.push(number);
      }
    }
  }

  /** Resolves once it is stored that it has started. */
  async end(): Promise<void> {
    await this.start.catch(() => undefined);
    this.facts.release(this.hasStarted);
    this.facts.end();
  }

  /** Whether earlier attempts may have sent messages of which the list knows nothing. */
  async hasGap(): Promise<boolean> {
    return await this.start.then((start) => start.hasGap).catch(() => false);
  }

  /**
   * What is known of these messages, and an attempt at them.
   * @throws what the storage throws: then nothing is known
   */
  async recall({ messages, repeated }: Intent): Promise<{ readonly listed: Memory | null; readonly attempt: Attempt }> {
    const { number, missing } = await this.start;
    const pages = pagesOf(messages);
    const { states, unbegun, hadOthers, hadOtherTexts } = await this.ask(pages, missing);
    const attempt = new Attempt(this.facts, attemptFacts(this.facts, this.run, number, pages), pages, unbegun, () => {
      // What attempts with other messages have sent, the record will not contain.
      if (!hadOthers) this.record.attempts = number;
    });
    if (missing.length === 0) return { listed: null, attempt };
    const doubtful = hadOtherTexts ? touchedPhones(pages, states, repeated) : new Set<string>();
    const pastOf = (message: Message) => {
      const state = doubtful.has(message.phone) ? 'open' : states[pages.pageOf.get(message) ?? 0];
      return state === 'open' ? UNCERTAIN : state === 'noted' ? SENT : undefined;
    };
    return { listed: { pastOf, mayHaveSent: () => hadOthers }, attempt };
  }

  /** What earlier attempts have noted of each page, and what they have not begun: pages, or to have sent all. */
  private async ask(pages: Pages, missing: readonly number[]) {
    const states = pages.all.map((): FactState => 'unknown');
    const unbegun: string[] = [];
    let [hadOthers, hadOtherTexts] = [false, false];
    for (const number of missing) {
      const names = attemptFacts(this.facts, this.run, number, pages);
      const [places, contents] = await this.facts.ask([names.places, names.contents]);
      hadOthers ||= places !== 'noted';
      hadOtherTexts ||= contents !== 'noted';
      if (places !== 'noted') continue;
      for (const [page, state] of (await this.facts.ask(names.pages)).entries()) {
        if (state === 'unknown') unbegun.push(names.pages[page] ?? '');
        else if (state === 'noted' || (state === 'open' && states[page] === 'unknown')) states[page] = state;
      }
      // Asked after its pages, which this fact replaces when the attempt ends.
      const [allSent] = await this.facts.ask([names.allSent]);
      if (allSent === 'unknown') unbegun.push(names.allSent);
      else if (allSent !== undefined && allSent !== 'barred') states.fill(allSent);
    }
    if (hadOthers) states.fill('open');
    return { states, unbegun, hadOthers, hadOtherTexts };
  }
}

/**
 * Where the texts are other ones than in the earlier attempt, a place still identifies a phone that only one message goes
 * to. Of several messages to a phone, nobody knows which was sent.
 */
function touchedPhones(pages: Pages, states: readonly FactState[], repeated: ReadonlySet<string>): Set<string> {
  const touched = pages.all.filter((_page, index) => states[index] !== 'unknown').flat();
  return new Set(touched.map(({ phone }) => phone).filter((phone) => repeated.has(phone)));
}
