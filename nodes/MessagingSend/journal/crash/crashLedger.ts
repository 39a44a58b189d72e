import type { Reply } from '../../api/reply';
import { type Failure, failure } from '../../failures/failure';
import type { Batch, Message } from '../../messages/message';
import type { Outcome, Result } from '../../messages/outcome';
import { digestOf, type Pages, pagesOf } from '../identity';
import type { FactState } from '../list/factList';
import type { Facts } from '../list/facts';
import type { DeliveryRecord, Intent } from '../record/deliveryRecord';

/** What tells a run of the node from all others. */
export interface RunName {
  /** What an execution has in common with its Retries, and with no other. */
  readonly lineage: string;
  /** Counted from 0 within the execution. */
  readonly ordinal: number;
}

export interface Start {
  readonly isRetry: boolean;
  /** Whether n8n shows that it was killed in an earlier attempt. */
  readonly followsKill: boolean;
}

/** What the delivery record knows of the messages of a run. */
export interface InRecord {
  readonly pending: readonly Message[];
  readonly sent: ReadonlySet<Message>;
}

export interface Recollection {
  /** Of pending messages that earlier attempts have sent, or may have. */
  readonly results: readonly Result[];
  /** Those of them that are sent again. */
  readonly again: ReadonlyMap<Message, Failure>;
  /** Whether an earlier attempt had other messages, and may have sent them. */
  readonly hadOthers: boolean;
}

/** Consecutive messages, as this attempt has them. */
interface Page {
  readonly fact: string;
  state: 'unknown' | 'open' | 'noted' | 'of another process';
  /** Resolves once the list says that it is open: to whether another process had begun it. */
  opening: Promise<boolean> | null;
  /** How many of its messages are not known to be sent. */
  left: number;
  /** The messages of it that this attempt has sent, or may have. */
  readonly risked: Set<Message>;
}

/** How many attempts one call asks for. */
const ASKED_TOGETHER = 4;

const SENT: Outcome = { kind: 'sent', messageId: null, status: 'sent' };
const WHY_UNCERTAIN = failure('interrupted');
const UNCERTAIN: Outcome = { kind: 'uncertain', failure: WHY_UNCERTAIN };

/**
 * What n8n's database says of one run of the node, for a re-run after a kill, when the execution itself contains nothing.
 *
 * An attempt that is about to send takes the next number. Before a request leaves, it opens the pages of its messages, and
 * notes each page of which every message is sent. A later attempt reads the pages of the attempts that its delivery record
 * does not contain: on an open page everything is uncertain, and what is not begun it bars, so that the earlier attempt,
 * should it still be running somewhere, sends no more.
 */
export class CrashLedger {
  /** The run's name in short. Noted when it starts: only if it is there, what is not there was not begun. */
  private readonly run: string;
  private readonly firstRun: string;
  isRetry = false;
  private started: Promise<boolean> = Promise.resolve(false);
  /** The attempts that the delivery record does not contain. */
  private missing: number[] = [];
  /** Of those that had the same messages, the pages that they have not begun. */
  private readonly unbegun: string[] = [];
  private number = 0;
  private begun: Promise<boolean> | null = null;
  private pages: Pages | null = null;
  private own: readonly Page[] = [];

  constructor(
    private readonly facts: Facts,
    run: RunName,
    private readonly record: Pick<DeliveryRecord, 'attempts'>,
  ) {
    this.run = digestOf([run.lineage, String(run.ordinal)]);
    this.firstRun = digestOf([run.lineage, '0']);
  }

  /** Whether an earlier attempt may have sent something that the delivery record does not contain. */
  get hasBegun(): boolean {
    return this.missing.length > 0;
  }

  /** Whether a request of this attempt may have left. */
  get hasSent(): boolean {
    return this.number > 0 && this.record.attempts === this.number;
  }

  /**
   * Notes that an attempt has started.
   * @returns whether earlier ones may have sent messages of which the list knows nothing
   */
  async start({ isRetry, followsKill }: Start): Promise<boolean> {
    this.isRetry = isRetry;
    this.started = isRetry ? this.startAgain(followsKill) : this.startOnce();
    this.started.catch(() => undefined);
    return isRetry && (await this.started.catch(() => false));
  }

  private async startAgain(followsKill: boolean): Promise<boolean> {
    const states = await this.facts.ask([this.run, this.firstRun]);
    const isUnknown = followsKill && states.every((state) => state !== 'noted');
    if (!isUnknown) await this.facts.record({ note: [this.run] });
    await this.findMissing();
    return isUnknown;
  }

  /** One that was noted before is of an execution that n8n continues for the second time, or a second try. */
  private async startOnce(): Promise<boolean> {
    const isKnown = this.facts.isKnown(this.run);
    const wasNoted = await this.facts.record({ note: [this.run], fresh: [this.run] });
    if (isKnown || wasNoted || this.record.attempts > 0) await this.findMissing();
    else this.number = 1;
    return false;
  }

  private async findMissing(): Promise<void> {
    for (let first = this.record.attempts + 1; this.number === 0; first += ASKED_TOGETHER) {
      const numbers = Array.from({ length: ASKED_TOGETHER }, (_, index) => first + index);
      const states = await this.facts.askBeforeClaim(numbers.map((number) => this.fact(number)));
      const free = states.indexOf('unknown');
      // One that is open may be what a question has left that n8n was killed in, or was noted before that.
      this.missing.push(...numbers.slice(0, free === -1 ? undefined : free));
      this.number = numbers[free] ?? 0;
    }
  }

  /** The fact that an attempt has begun, or another one about it. */
  private fact(attempt: number, what = ''): string {
    return `${this.run} attempt ${attempt}${what}`;
  }

  /**
   * Finds what is known of these messages, and takes them for those of the run.
   * @throws what the storage throws: then nothing is known
   */
  async recall(intent: Intent, { pending, sent }: InRecord): Promise<Recollection> {
    await this.started;
    const pages = pagesOf(intent.messages);
    this.pages = pages;
    const states = Array.from({ length: pages.count }, (): FactState => 'unknown');
    let [hadOthers, hadOtherTexts] = [false, false];
    for (const number of this.missing) {
      const [places, contents] = await this.facts.ask(this.digestsOf(number, pages));
      if (places !== 'noted') {
        hadOthers = true;
        continue;
      }
      hadOtherTexts ||= contents !== 'noted';
      const facts = this.pageFacts(number, pages);
      for (const [page, state] of (await this.facts.askBeforeClaim(facts)).entries()) {
        if (state === 'unknown') this.unbegun.push(facts[page] ?? '');
        else if (state === 'noted' || (state === 'open' && states[page] === 'unknown')) states[page] = state;
      }
      // Asked after its pages, which this fact replaces when the attempt ends.
      const [allSent] = await this.facts.ask([this.fact(number, ` all of ${pages.places}`)]);
      if (allSent === 'noted') states.fill('noted');
      else if (allSent === 'open') states.fill('open');
    }
    if (hadOthers) states.fill('open');
    const doubtful = hadOtherTexts ? touchedPhones(pages, states, intent.repeated) : new Set<string>();
    this.own = this.pageFacts(this.number, pages).map((fact) => ({
      fact,
      state: 'unknown',
      opening: null,
      left: 0,
      risked: new Set(),
    }));
    for (const message of pages.messages) {
      const page = this.pageOf(message);
      if (page !== undefined && !sent.has(message)) page.left += 1;
    }
    const results: Result[] = [];
    const again = new Map<Message, Failure>();
    if (states.every((state) => state === 'unknown')) return { results, again, hadOthers };
    for (const message of pending) {
      const state = doubtful.has(message.phone) ? 'open' : states[pages.pageOf(message)];
      if (state === 'open' && intent.sendUncertainAgain) again.set(message, WHY_UNCERTAIN);
      else if (state === 'open') results.push({ message, outcome: UNCERTAIN });
      else if (state === 'noted') {
        results.push({ message, outcome: SENT });
        const page = this.pageOf(message);
        if (page !== undefined) page.left -= 1;
      }
    }
    return { results, again, hadOthers };
  }

  /** What an attempt has noted of its messages: their places and phones, and their texts or keys. */
  private digestsOf(attempt: number, { places, contents }: Pages): string[] {
    return [this.fact(attempt, ` of ${places}`), this.fact(attempt, ` with ${contents}`)];
  }

  private pageFacts(attempt: number, { count, places }: Pages): string[] {
    return Array.from({ length: count }, (_, page) => this.fact(attempt, ` page ${page} of ${places}`));
  }

  /**
   * Resolves once a re-run would know that this request has left.
   * @returns whether another process runs another attempt
   * @throws what the storage throws: then it must not leave
   */
  async beforeRequest(batch: Batch): Promise<boolean> {
    const touched = new Set<Page>();
    for (const message of batch.messages) {
      const page = this.pageOf(message);
      page?.risked.add(message);
      if (page !== undefined) touched.add(page);
    }
    const pages = [...touched];
    const closed = pages.filter(({ state }) => state !== 'open');
    if (closed.length > 0) {
      const opening = this.open(closed);
      for (const page of closed) Object.assign(page, { state: 'open', opening });
    }
    const taken = await Promise.all(pages.map(async ({ opening }) => await opening));
    const isTaken = (await this.begun) === true || taken.includes(true);
    // What the list has of them is the other attempt's, and must stay.
    if (isTaken) for (const page of pages) page.state = 'of another process';
    return isTaken;
  }

  private async open(pages: readonly Page[]): Promise<boolean> {
    const open = pages.map(({ fact }) => fact);
    // Another process may have written back what this one has opened and retracted before: that is nobody else's.
    const fresh = pages.filter(({ opening }) => opening === null).map(({ fact }) => fact);
    if (this.pages !== null && this.begun === null) {
      const number = this.fact(this.number);
      const note = [number, ...this.digestsOf(this.number, this.pages)];
      this.begun = this.facts.record({ note, bar: this.unbegun, fresh: [number, ...this.unbegun] });
      this.begun.then(
        (isTaken) => {
          if (!isTaken) this.record.attempts = this.number;
        },
        () => (this.begun = null),
      );
    }
    return await this.facts.record({ open, fresh });
  }

  /** @param reply null where the request did not leave after all */
  afterReply(batch: Batch, reply: Reply | null): void {
    if (reply === null || reply.kind === 'rejected') for (const message of batch.messages) this.notSent(message);
  }

  /** Notes the pages of which every message is sent. */
  settle(results: readonly Result[]): void {
    for (const { message, outcome } of results) {
      const page = this.pageOf(message);
      if (outcome.kind === 'not_sent' || outcome.kind === 'skipped') this.notSent(message);
      if (page === undefined || outcome.kind !== 'sent') continue;
      page.left -= 1;
      if (page.left > 0 || page.state !== 'open') continue;
      page.state = 'noted';
      this.facts.close([page.fact]);
    }
  }

  private notSent(message: Message): void {
    const page = this.pageOf(message);
    if (page?.risked.delete(message) !== true || page.risked.size > 0 || page.state !== 'open') return;
    page.state = 'unknown';
    this.facts.retract([page.fact]);
  }

  private pageOf(message: Message): Page | undefined {
    return this.pages === null ? undefined : this.own[this.pages.pageOf(message)];
  }

  /** Resolves once what a re-run needs is stored, if n8n is killed before it has stored the execution. */
  async end(): Promise<void> {
    const { facts, number, pages, own, unbegun } = this;
    const notes = pages === null ? [] : [this.fact(number), ...this.digestsOf(number, pages)];
    const allSent = this.fact(number, ` all of ${pages?.places}`);
    const ofPages = own.map(({ fact }) => fact);
    const isAllSent = own.length > 0 && own.every(({ state }) => state === 'noted');
    if (isAllSent) await facts.replace(ofPages, allSent).catch(() => undefined);
    else await facts.whenWritten();
    facts.runEnded([this.run, ...notes, allSent, ...unbegun, ...ofPages]);
  }
}

/**
 * Where the texts are other ones than in the earlier attempt, a place still identifies a phone that only one message goes
 * to. Of several messages to a phone, nobody knows which was sent.
 */
function touchedPhones(pages: Pages, states: readonly FactState[], repeated: ReadonlySet<string>): Set<string> {
  const touched = pages.messages.filter(
    (message) => repeated.has(message.phone) && states[pages.pageOf(message)] !== 'unknown',
  );
  return new Set(touched.map(({ phone }) => phone));
}
