import { messageFailure } from '../api/answerFailure';
import type { JsonRecord } from '../api/records';
import type { Reply } from '../api/reply';
import { failure } from '../failures/catalogue';
import type { Failure } from '../failures/failure';
import type { DeliveryRecord } from '../journal/deliveryRecord';
import { type Batch, countMessages } from '../messages/message';
import { type Outcome, type Receipt, type Unconfirmed } from '../messages/outcome';
import type { Flight, Requests } from '../requests/requests';
import { affordable } from './credits';
import { NOT_LISTED } from './match';
import { findOffenders } from './offenders';
import type { SendOperation } from './operation';
import type { DeliveryOptions } from './options';

/** All that a dispatch needs besides its batches; it has no clock, network or signal of its own. */
export interface DispatchConfig extends Pick<DeliveryOptions, 'parallelRequests' | 'whenCreditsRunOut'> {
  readonly operation: SendOperation;
  readonly requests: Pick<Requests, 'make' | 'halt'>;
  readonly record: Pick<DeliveryRecord, 'leave' | 'land' | 'note'>;
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

/** Ends the dispatches of a run together. */
export class RunEnd {
  private readonly listeners: Array<() => void> = [];

  onEnd(listener: () => void): void {
    this.listeners.push(listener);
  }

  end(): void {
    for (const listener of this.listeners.splice(0)) listener();
  }
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
  await inOrder(batches, config.parallelRequests, async (batch) => await run.process(batch));
  return run.receipts;
}

type Rejected = Extract<Reply, { kind: 'rejected' }>;

class Dispatch {
  readonly receipts: Receipt[] = [];
  private done = 0;
  /** Why no further request starts, as messages that are not sent report it; null as long as the run goes on. */
  private endedBy: Failure | null = null;
  /** Set once the rest of the credits is being used up: only what they pay for is sent from then on. */
  private creditsRanOut: Failure | null = null;

  constructor(
    private readonly config: DispatchConfig,
    private readonly total: number,
  ) {
    config.runEnd?.onEnd(() => this.end(failure('notStarted')));
  }

  async process(batch: Batch): Promise<void> {
    const isOver = this.endedBy !== null || this.creditsRanOut !== null;
    if (this.creditsRanOut !== null) this.reject(batch, this.creditsRanOut);
    else await this.requestAndSettle(batch);
    if (isOver) await this.config.pause?.();
  }

  /** @param isPaid whether the credits are known to cover it */
  private async requestAndSettle(batch: Batch, isPaid = false): Promise<void> {
    await this.settle(batch, await this.request(batch, isPaid), isPaid);
  }

  private async request(batch: Batch, isPaid: boolean): Promise<Reply> {
    const { operation, requests, record } = this.config;
    const whyNot = () => this.endedBy ?? (isPaid ? null : this.creditsRanOut);
    const before = whyNot();
    if (before !== null) return notMade(before);
    const flight: Flight = {
      leave: () => {
        // It may have waited for its turn while another request ended the run.
        if (whyNot() !== null) throw new Error('the run has ended');
        record.leave(batch);
      },
      land: () => record.land(batch),
    };
    try {
      return await requests.make({ endpoint: operation.endpoint, body: operation.body(batch.messages) }, flight);
    } catch {
      // Otherwise only the Stop button ends a wait; n8n itself tells the user.
      return notMade(whyNot() ?? failure('stopped'));
    }
  }

  /** Gives each message of a batch its outcome; where only some of them are the cause of a rejection, sends the others. */
  private async settle(batch: Batch, reply: Reply, isPaid: boolean): Promise<void> {
    if (reply.kind === 'accepted') {
      this.accept(batch, reply.data);
      return;
    }
    if (reply.kind === 'uncertain') {
      this.add(batch, { kind: 'uncertain', failure: reply.failure });
      return;
    }
    if (isPartialRejection(reply)) {
      await this.sendWithoutOffenders(batch, reply, isPaid);
      return;
    }
    if (reply.failure.code === 'INSUFFICIENT_CREDITS') {
      await this.sendAffordable(batch, reply);
      return;
    }
    this.reject(batch, reply.failure);
  }

  /** Nothing of the batch was sent, because of some of it: rejects the offenders and sends the others. */
  private async sendWithoutOffenders(batch: Batch, reply: Rejected, isPaid: boolean): Promise<void> {
    const { messages } = batch;
    const offenders = findOffenders(messages, reply.error);
    const others = { ...batch, messages: messages.filter((message) => !offenders.has(message)) };
    const rejectOffenders = () => {
      for (const [message, complaints] of offenders) {
        this.reject({ ...batch, messages: [message] }, messageFailure(reply.failure, complaints));
      }
    };

    if (others.messages.length === 0) {
      rejectOffenders();
      return;
    }
    if (messages.length === 1) {
      this.reject(batch, reply.failure);
      return;
    }
    if (this.config.stopOnFailure) {
      rejectOffenders();
      this.reject(others, reply.failure);
      return;
    }
    if (offenders.size > 0) {
      const second = await this.request(others, isPaid);
      if (second.kind !== 'rejected' || !isPartialRejection(second)) {
        rejectOffenders();
        await this.settle(others, second, isPaid);
        return;
      }
      // The details misled (they may count from 1, or name only the first): find the offenders by halving.
    }
    const middle = Math.ceil(messages.length / 2);
    await this.requestAndSettle({ ...batch, messages: messages.slice(0, middle) }, isPaid);
    await this.requestAndSettle({ ...batch, messages: messages.slice(middle) }, isPaid);
  }

  /** After INSUFFICIENT_CREDITS, if the user wants it so: sends as many as the credits pay for, the first ones. */
  private async sendAffordable(batch: Batch, reply: Rejected): Promise<void> {
    const { messages } = batch;
    const stops = this.config.whenCreditsRunOut === 'stop' || this.config.stopOnFailure;
    const count = stops ? 0 : affordable(messages.length, reply.error);
    if (count > 0) {
      this.creditsRanOut ??= reply.failure;
      await this.requestAndSettle({ ...batch, messages: messages.slice(0, count) }, true);
    }
    this.reject({ ...batch, messages: messages.slice(count) }, reply.failure);
  }

  private accept(batch: Batch, data: JsonRecord): void {
    const { operation, wholeAnswers } = this.config;
    const outcomes = operation.outcomes(batch.messages, data);
    this.addEach(batch, (index) => outcomes[index] ?? NOT_LISTED, wholeAnswers ? data : withoutEntries(data));
  }

  private reject(batch: Batch, failure: Failure): void {
    this.add(batch, { kind: 'not_sent', failure });
  }

  private add(batch: Batch, outcome: Unconfirmed): void {
    if (batch.messages.length > 0) this.addEach(batch, () => outcome, null);
  }

  private addEach({ number, messages }: Batch, outcomeAt: (index: number) => Outcome, data: JsonRecord | null): void {
    const results = messages.map((message, index) => ({ message, outcome: outcomeAt(index) }));
    for (const { outcome } of results) if (outcome.kind !== 'sent') this.endAfter(outcome);
    const receipt = { batch: number, results, data };
    this.receipts.push(receipt);
    this.config.record.note(receipt);
    this.done += results.length;
    this.config.onProgress({ done: this.done, total: this.total });
  }

  /** Ends the run where this outcome of a message means so. */
  private endAfter({ kind, failure: cause }: Unconfirmed): void {
    if (this.endedBy !== null) return;
    const endsRun = cause.scope === 'run' && cause !== this.creditsRanOut;
    if (!endsRun && !this.config.stopOnFailure) return;
    this.end(cause.scope === 'run' && kind === 'not_sent' ? cause : failure('notStarted'));
    if (this.config.stopOnFailure) this.config.runEnd?.end();
  }

  private end(why: Failure): void {
    if (this.endedBy !== null) return;
    this.endedBy = why;
    this.config.requests.halt();
  }
}

/**
 * Works through batches with at most `parallel` at the same time, in their order; one that has a number in common with
 * an earlier one waits until that one is done. The first is sent alone, so that a wrong key or an empty account costs one
 * request and not several.
 */
async function inOrder(
  batches: readonly Batch[],
  parallel: number,
  work: (batch: Batch) => Promise<void>,
): Promise<void> {
  const [first, ...others] = batches;
  if (first !== undefined) await work(first);
  const inProgress = new Map<string, Promise<void>>();
  const queue = others.values();

  const worker = async (): Promise<void> => {
    for (const batch of queue) {
      const phones = batch.messages.map(({ phone }) => phone);
      const earlier = new Set(phones.flatMap((phone) => inProgress.get(phone) ?? []));
      const done = Promise.all(earlier).then(async () => await work(batch));
      for (const phone of phones) inProgress.set(phone, done);
      await done;
      for (const phone of phones) if (inProgress.get(phone) === done) inProgress.delete(phone);
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallel, others.length) }, worker));
}

/** Whether a batch was rejected for some of its messages (422), or for being too large (413): others may pass. */
function isPartialRejection({ failure: { code, httpStatus } }: Rejected): boolean {
  return code === 'VALIDATION_ERROR' || httpStatus === 422 || httpStatus === 413;
}

function notMade(failure: Failure): Rejected {
  return { kind: 'rejected', failure, error: {}, retryable: false, retryAfter: null };
}

/** The outcomes hold all that is needed of the entries. */
function withoutEntries({ messages, ...data }: JsonRecord): JsonRecord {
  return data;
}
