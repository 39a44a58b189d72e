import { messageFailure } from '../api/answerFailure';
import { GET_BALANCE } from '../api/endpoints';
import type { JsonRecord } from '../api/records';
import { type Rejected, rejected, type Reply } from '../api/reply';
import { type Details, type Failure, failure } from '../failures/failure';
import type { RunLedger } from '../journal/crash/runLedger';
import type { OutageRecord } from '../journal/outageRecord';
import type { DeliveryRecord } from '../journal/record/deliveryRecord';
import type { Reservations, Taken } from '../journal/sendOnce/reservations';
import { type Batch, countMessages } from '../messages/message';
import type { Outcome, Receipt, Result, Unconfirmed } from '../messages/outcome';
import type { Flight, Requests } from '../requests/requests';
import { CircuitBreaker, type Pass } from './circuitBreaker';
import { affordable } from './credits';
import { haveNumberInCommon, inOrder } from './inOrder';
import { receiptOfTaken } from './leaveOutSent';
import { NOT_LISTED } from './match';
import { type Offenders, separateOffenders } from './offenders';
import type { SendOperation } from './operation';
import type { DeliveryOptions } from './options';
import { halves } from './pack';
import { aboutTheseAlone, mayBeAboutSome } from './refusal';
import type { RunEnd } from './runEnd';

/** After so many answers in a row that may be about the run or about one request, it is taken to be about the run. */
const MAX_UNCLEAR = 3;

/** After so many refusals in a row, a search for the messages that cause them is given up: it is about everything. */
const MAX_SEARCH_REFUSALS = 20;

/** All that a dispatch needs besides its batches; it has no clock, network or signal of its own. */
export interface DispatchConfig extends Pick<DeliveryOptions, 'whenCreditsRunOut'> {
  readonly operation: SendOperation;
  readonly requests: Pick<Requests, 'make' | 'probe' | 'isOverLimit' | 'halt' | 'most'>;
  readonly record: Pick<DeliveryRecord, 'leave' | 'land' | 'note'>;
  /** Where this is noted in n8n's database. */
  readonly ledger: Pick<RunLedger, 'leave' | 'land' | 'settle'> | null;
  /** With `sendOnceEver`: what has been sent from the account in all executions. */
  readonly reservations: Pick<Reservations, 'reserve' | 'release' | 'settle'> | null;
  readonly outages: Pick<OutageRecord, 'uncertainInARow' | 'note'>;
  /** The phones that more than one message goes to; there may be others among them. */
  readonly repeated: ReadonlySet<string>;
  /** Messages of the run that are uncertain since an earlier attempt. */
  readonly uncertainBefore: number;
  /** Whether the output needs the service's whole answers; a large run is smaller without. */
  readonly wholeAnswers: boolean;
  /** Whether the first failure ends the run: no request starts after it. */
  readonly stopOnFailure: boolean;
  readonly onProgress: (progress: Progress) => void;
  /** Lets other work in this process run; called after each batch that is no longer sent. */
  readonly pause?: () => Promise<void>;
  /** With On Error: Stop, ends the run's dispatches to other accounts with this one, and this one with them. */
  readonly runEnd?: RunEnd;
}

/** How far a dispatch is, in messages. */
export interface Progress {
  readonly done: number;
  readonly total: number;
}

/**
 * Sends batches, several at the same time, but never two that have a number in common: messages to one number arrive in
 * their order. Every message is in exactly one receipt. A batch that is rejected for some of its messages is sent
 * without them.
 */
export async function dispatch(batches: readonly Batch[], config: DispatchConfig): Promise<readonly Receipt[]> {
  const run = new Dispatch(config, countMessages(batches));
  await inOrder(batches, config.repeated, config.requests.most, async (batch) => await run.process(batch));
  return run.finish();
}

interface Answered {
  /** What the request carried: without what another execution was faster with. */
  readonly batch: Batch;
  readonly reply: Reply;
  /** Lets the next request leave: called once the outcomes show whether the run goes on. */
  readonly release: () => void;
}

/** Why a batch, or a part of one, is requested. */
interface Way {
  /** Whether the credits are known to cover it. */
  readonly isPaid: boolean;
  /** Whether it is a part of a batch that is searched for offenders. */
  readonly isSearching: boolean;
}

/** A part of a batch that was refused, or that waits until it is known what of the part before it is sent. */
interface Suspect {
  readonly part: Batch;
  readonly why: Failure;
  readonly isRefused: boolean;
}

/** Thrown where messages of a request have been sent, or reserved, by another execution since the run was planned. */
class TakenByOthers extends Error {
  constructor(readonly taken: Taken) {
    super();
  }
}

/** Thrown where n8n's database does not say whether they have. */
class NotReserved extends Error {}

class Dispatch {
  private readonly receipts: Receipt[] = [];
  private done = 0;
  /** Messages of the run that are uncertain, those of earlier attempts as well. */
  private uncertain: number;
  /** Why no further request starts, as messages that are not sent report it; null as long as the run goes on. */
  private endedBy: Failure | null = null;
  /** Set once the rest of the credits is being used up: only what they pay for is sent from then on. */
  private creditsRanOut: Failure | null = null;
  private readonly breaker: CircuitBreaker;
  /** The reason for what is not sent because of an outage; how many messages are uncertain is known only at the end. */
  private outage: { readonly reason: string; readonly details: Details; readonly unsent: Batch[] } | null = null;
  private unclearInARow = 0;
  private overLimitInARow = 0;
  private searchRefusalsInARow = 0;
  /** One batch is searched at a time, so that refusals in a row mean something. */
  private searches: Promise<void> = Promise.resolve();

  constructor(
    private readonly config: DispatchConfig,
    private readonly total: number,
  ) {
    const { requests, outages } = config;
    this.uncertain = config.uncertainBefore;
    this.breaker = new CircuitBreaker({
      probe: async () => await requests.probe(),
      end: (reason) => this.endByOutage(reason),
      hasEnded: () => this.endedBy !== null,
      outages,
    });
    config.runEnd?.onEnd(() => this.end(failure('notStarted')));
  }

  async process(batch: Batch): Promise<void> {
    const isOver = this.endedBy !== null || this.creditsRanOut !== null;
    if (this.creditsRanOut !== null) this.reject(batch, this.creditsRanOut);
    else await this.requestAndSettle(batch, { isPaid: false, isSearching: false });
    if (isOver) await this.config.pause?.();
  }

  /** The receipts, once all batches are processed. */
  finish(): readonly Receipt[] {
    if (this.outage !== null) {
      const { reason, details, unsent } = this.outage;
      const why = failure('serviceDown', { reason, uncertain: this.uncertain }, details);
      for (const batch of unsent) this.add(batch, { kind: 'not_sent', failure: why });
    }
    return this.receipts;
  }

  private async requestAndSettle(batch: Batch, way: Way): Promise<void> {
    const answered = await this.request(batch, way);
    await this.settle({ ...answered, reply: await this.clarified(answered.reply) }, way);
  }

  private async request(batch: Batch, { isPaid }: Way): Promise<Answered> {
    const whyNot = () => this.endedBy ?? (isPaid ? null : this.creditsRanOut);
    let left = batch;
    try {
      while (left.messages.length > 0) {
        const pass = await this.breaker.admit();
        const made = pass === null ? notMade(left, whyNot()) : await this.make(left, pass, whyNot);
        if ('reply' in made) return made;
        left = made;
      }
    } catch {
      // The run is stopped.
    }
    return notMade(left, whyNot());
  }

  /** @returns what is to be requested anew where this request did not leave, though the run goes on */
  private async make(batch: Batch, pass: Pass, whyNot: () => Failure | null): Promise<Answered | Batch> {
    const { operation, requests, record, ledger } = this.config;
    const mayLeave = () => whyNot() === null && pass.isValid();
    const flight: Flight = {
      mayLeave,
      leave: async () => {
        await this.reserve(batch);
        record.leave(batch);
        await ledger?.leave(batch);
      },
      land: (reply) => {
        record.land(batch);
        ledger?.land(batch, reply);
        if (reply === null) this.config.reservations?.release(batch.messages);
      },
    };
    if (mayLeave()) {
      try {
        const request = { endpoint: operation.endpoint, body: operation.body(batch.messages) };
        const reply = await this.withScope(await requests.make(request, flight));
        return { batch, reply, release: () => pass.settle(reply) };
      } catch (error) {
        if (error instanceof TakenByOthers) {
          pass.settle(null);
          return this.withoutTaken(batch, error.taken);
        }
        if (error instanceof NotReserved) {
          pass.settle(null);
          return notMade(batch, failure('notReserved'));
        }
        // It is called off, or the run is stopped.
      }
    }
    pass.settle(null);
    return whyNot() === null && !pass.isValid() ? batch : notMade(batch, whyNot());
  }

  private async reserve({ messages }: Batch): Promise<void> {
    const { reservations } = this.config;
    if (reservations === null) return;
    const taken = await reservations.reserve(messages).catch(() => null);
    if (taken === null) throw new NotReserved();
    if (taken.size > 0) throw new TakenByOthers(taken);
  }

  /** Not noted in the delivery record: in a re-run, the other execution may have ended. */
  private withoutTaken(batch: Batch, taken: Taken): Batch {
    this.receipts.push(receiptOfTaken(taken));
    this.count(taken.size);
    return { ...batch, messages: batch.messages.filter((message) => !taken.has(message)) };
  }

  /** A 429 for as long as Max Wait is about this request alone if the balance is reported, unless several come in a row. */
  private async withScope(reply: Reply): Promise<Reply> {
    // Without a status, the request was not made. With On Error: Stop the run ends in either case.
    if (reply.kind !== 'rejected' || reply.failure.code !== 'RATE_LIMITED' || reply.failure.httpStatus === null)
      return reply;
    if (this.config.stopOnFailure || this.endedBy !== null) return reply;
    this.overLimitInARow += 1;
    if (this.overLimitInARow >= MAX_UNCLEAR || (await this.isOverLimit())) return reply;
    const { httpStatus, serviceSays } = reply.failure;
    return { ...reply, failure: failure('requestOverLimit', undefined, { httpStatus, serviceSays }) };
  }

  private async isOverLimit(): Promise<boolean> {
    try {
      return await this.config.requests.isOverLimit();
    } catch {
      // The run has ended meanwhile, for a reason of its own.
      return true;
    }
  }

  /** An unclear answer is about the run if the balance is refused as well, or if several come in a row. */
  private async clarified(reply: Reply): Promise<Reply> {
    // With On Error: Stop the run ends in either case.
    if (reply.kind !== 'rejected' || reply.failure.scope !== 'unclear' || this.config.stopOnFailure) return reply;
    this.unclearInARow += 1;
    const isAboutRun =
      this.unclearInARow >= MAX_UNCLEAR || (this.unclearInARow === 1 && !(await this.isBalanceReported()));
    return isAboutRun ? { ...reply, failure: { ...reply.failure, scope: 'run' } } : reply;
  }

  private async isBalanceReported(): Promise<boolean> {
    try {
      return (await this.config.requests.make({ endpoint: GET_BALANCE })).kind === 'accepted';
    } catch {
      // The run has ended meanwhile, for a reason of its own.
      return true;
    }
  }

  /** Gives each message of a batch its outcome; where only some of them are the cause of a rejection, sends the others. */
  private async settle({ batch, reply, release }: Answered, way: Way): Promise<void> {
    if (reply.kind === 'accepted') {
      this.accept(batch, reply.data);
      release();
    } else if (reply.kind === 'uncertain') {
      this.add(batch, { kind: 'uncertain', failure: reply.failure });
      release();
    } else if (reply.failure.code === 'INSUFFICIENT_CREDITS') {
      await this.sendAffordable(batch, reply, release, way);
    } else if (reply.failure.scope === 'run' || this.config.stopOnFailure) {
      this.rejectAll(batch, reply);
      release();
    } else {
      release();
      await this.sendWithoutOffenders(batch, reply, way);
    }
  }

  /** Gives those that the reply names their own failure, and the others that of the request. */
  private rejectAll(batch: Batch, reply: Rejected): void {
    const { offenders, others } = separateOffenders(batch, reply.error);
    this.rejectOffenders(batch, reply, offenders);
    this.reject(others, reply.failure);
  }

  private rejectOffenders(batch: Batch, { failure: whole }: Rejected, offenders: Offenders): void {
    for (const [message, complaints] of offenders) {
      this.reject({ ...batch, messages: [message] }, messageFailure(whole, complaints));
    }
  }

  /** Nothing of the batch was sent, perhaps because of some of it: rejects the offenders and sends the others. */
  private async sendWithoutOffenders(batch: Batch, reply: Rejected, way: Way): Promise<void> {
    const { offenders, others } = separateOffenders(batch, reply.error);
    if (others.messages.length === 0) {
      this.rejectOffenders(batch, reply, offenders);
      return;
    }
    if (batch.messages.length === 1 || !mayBeAboutSome(reply)) {
      this.reject(batch, aboutTheseAlone(reply.failure));
      return;
    }
    if (offenders.size > 0) {
      const second = await this.request(others, way);
      if (!mayBeAboutSome(second.reply)) {
        this.rejectOffenders(batch, reply, offenders);
        await this.settle(second, way);
        return;
      }
      // The details misled (they may count from 1, or name only the first): find the offenders by halving.
      second.release();
    }
    const search = async () => await this.searchOffenders(batch, reply, { ...way, isSearching: true });
    if (way.isSearching) await search();
    else await (this.searches = this.searches.then(search));
  }

  /**
   * Finds the offenders of a batch by halving it, both halves before their own, so that what can be sent is sent soon;
   * but a half waits for a refused one before it with a number in common, or its messages would overtake.
   */
  private async searchOffenders(batch: Batch, reply: Rejected, way: Way): Promise<void> {
    const open: Suspect[] = [{ part: batch, why: reply.failure, isRefused: true }];
    const ask = async (part: Batch): Promise<Suspect | null> => {
      const answered = await this.request(part, way);
      if (!mayBeAboutSome(answered.reply)) {
        await this.settle(answered, way);
        return null;
      }
      this.searchRefusalsInARow += 1;
      answered.release();
      return { part, why: answered.reply.failure, isRefused: true };
    };
    for (let next = open.shift(); next !== undefined; next = open.shift()) {
      const { part, why, isRefused } = next;
      if ((isRefused && part.messages.length === 1) || this.searchRefusalsInARow >= MAX_SEARCH_REFUSALS) {
        this.reject(part, aboutTheseAlone(why));
      } else if (isRefused) {
        const [first, second] = halves(part);
        const refused = await ask(first);
        const waits = refused !== null && haveNumberInCommon(first, second);
        const left = waits ? { part: second, why, isRefused: false } : await ask(second);
        open.unshift(...[refused, left].filter((each) => each !== null));
      } else {
        const refused = await ask(part);
        if (refused !== null) open.unshift(refused);
      }
    }
  }

  /** After INSUFFICIENT_CREDITS, if the user wants it so: sends as many as the credits pay for, the first ones. */
  private async sendAffordable(batch: Batch, reply: Rejected, release: () => void, way: Way): Promise<void> {
    const { messages } = batch;
    const stops = this.config.whenCreditsRunOut === 'stop' || this.config.stopOnFailure;
    const count = stops ? 0 : affordable(messages.length, reply.error);
    const rest = { ...batch, messages: messages.slice(count) };
    if (count > 0) {
      this.creditsRanOut ??= reply.failure;
      release();
      await this.requestAndSettle({ ...batch, messages: messages.slice(0, count) }, { ...way, isPaid: true });
      this.reject(rest, reply.failure);
    } else {
      this.reject(rest, reply.failure);
      release();
    }
  }

  private accept(batch: Batch, data: JsonRecord): void {
    const { operation, wholeAnswers, ledger } = this.config;
    this.unclearInARow = 0;
    this.overLimitInARow = 0;
    this.searchRefusalsInARow = 0;
    const outcomes = operation.outcomes(batch.messages, data);
    const results = this.addEach(
      batch,
      (index) => outcomes[index] ?? NOT_LISTED,
      wholeAnswers ? data : withoutEntries(data),
    );
    ledger?.settle(batch, results);
  }

  private reject(batch: Batch, failure: Failure): void {
    if (this.outage !== null && failure === this.endedBy) this.outage.unsent.push(batch);
    else this.add(batch, { kind: 'not_sent', failure });
  }

  private add(batch: Batch, outcome: Unconfirmed): void {
    if (batch.messages.length > 0) this.addEach(batch, () => outcome, null);
  }

  private addEach(
    { number, messages }: Batch,
    outcomeAt: (index: number) => Outcome,
    data: JsonRecord | null,
  ): readonly Result[] {
    const results = messages.map((message, index) => ({ message, outcome: outcomeAt(index) }));
    for (const { outcome } of results) {
      if (outcome.kind === 'uncertain') this.uncertain += 1;
      if ('failure' in outcome) this.endAfter(outcome);
    }
    const receipt = { batch: number, results, data };
    this.receipts.push(receipt);
    this.config.record.note(receipt);
    this.config.reservations?.settle(results);
    this.count(results.length);
    return results;
  }

  private count(messages: number): void {
    this.done += messages;
    this.config.onProgress({ done: this.done, total: this.total });
  }

  /** Ends the run where this outcome of a message means so. */
  private endAfter({ kind, failure: cause }: Unconfirmed): void {
    const endsRun = cause.scope === 'run' && cause !== this.creditsRanOut;
    if (!endsRun && !this.config.stopOnFailure) return;
    this.end(cause.scope === 'run' && kind === 'not_sent' ? cause : failure('notStarted'));
  }

  private endByOutage(lastSign: Failure | null): void {
    if (this.endedBy !== null) return;
    const { httpStatus = null, serviceSays = '', message: reason = '' } = lastSign ?? {};
    this.outage = { reason, details: { httpStatus, serviceSays }, unsent: [] };
    this.end(failure('serviceDown', { reason, uncertain: 0 }));
  }

  private end(why: Failure): void {
    if (this.endedBy !== null) return;
    this.endedBy = why;
    this.config.requests.halt();
    this.breaker.wake();
    if (this.config.stopOnFailure) this.config.runEnd?.end();
  }
}

/** @param why null where the Stop button is the only reason left; n8n itself tells the user */
function notMade(batch: Batch, why: Failure | null): Answered {
  return { batch, reply: rejected(why ?? failure('stopped')), release: () => undefined };
}

/** The outcomes hold all that is needed of the entries. */
function withoutEntries({ messages, ...data }: JsonRecord): JsonRecord {
  return data;
}
