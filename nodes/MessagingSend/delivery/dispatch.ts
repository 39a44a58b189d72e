import type { JsonRecord } from '../api/records';
import type { Rejected } from '../api/reply';
import type { AccountJournal } from '../journal/journal';
import type { Batch } from '../messages/message';
import { type Receipt, receiptOf } from '../messages/outcome';
import type { Requests } from '../requests/requests';
import { inOrder } from './batches';
import { BatchRequests, type BatchRequestsConfig, type RequestedBatch } from './batchRequests';
import { CircuitBreaker, type Outages } from './circuitBreaker';
import { NOT_LISTED } from './match';
import { combined } from './operation';
import type { DeliveryOptions } from './options';
import { concerningTheseAlone, mayConcernSome, Rejections, separateOffenders, type Suspects } from './rejections';
import { Settlement, type SettlementConfig } from './settlement';

/** Everything that a dispatch needs besides its batches. It has no clock, network or signal of its own. */
export interface DispatchConfig
  extends BatchRequestsConfig, SettlementConfig, Pick<DeliveryOptions, 'parallelRequests'> {
  readonly requests: Pick<Requests, 'make' | 'readBalance' | 'probe' | 'halt' | 'wait'>;
  readonly journal: Pick<AccountJournal, 'beforeRequest' | 'afterReply' | 'settle' | 'skip'>;
  readonly outages: Outages;
  /** Phones that get more than one message; may contain others. */
  readonly repeated: ReadonlySet<string>;
  /** Lets other work in this process run; called after each batch that the run ended before. */
  readonly pause: () => Promise<void>;
}

/**
 * Sends batches concurrently, but never two that share a number: messages to one number arrive in order. Every message
 * is in exactly one receipt. If a batch is rejected because of some of its messages, the others are sent without them.
 */
export async function dispatch(batches: readonly Batch[], config: DispatchConfig): Promise<readonly Receipt[]> {
  const run = new Dispatch(config);
  await inOrder(batches, config.repeated, config.parallelRequests, async (batch) => await run.send(batch));
  return run.settlement.receipts;
}

class Dispatch {
  readonly settlement: Settlement;
  private readonly batchRequests: BatchRequests;
  private readonly rejections: Rejections;

  constructor(private readonly config: DispatchConfig) {
    const { requests, outages } = config;
    const settlement = new Settlement(config, (why) => {
      requests.halt(why);
      breaker.wake();
    });
    const breaker = new CircuitBreaker(requests, settlement, outages);
    this.settlement = settlement;
    this.batchRequests = new BatchRequests(config, breaker, settlement);
    this.rejections = new Rejections(requests, settlement, async (batch) => await this.requestSome(batch));
  }

  async send(batch: Batch): Promise<void> {
    const { whyEnded } = this.settlement;
    const requested = await this.batchRequests.make(batch);
    const { reply } = requested;
    // With On Error: Stop, the run ends in any case, so there is nothing to clarify.
    const isUnclear = reply.kind === 'rejected' && !this.config.stopOnFailure;
    await this.conclude(isUnclear ? { ...requested, reply: await this.rejections.clarify(reply) } : requested);
    if (whyEnded !== null) await this.config.pause();
  }

  /** Settles the messages of a request. If only some of them caused a rejection, requests the others. */
  private async conclude({ batch, reply, done }: RequestedBatch): Promise<void> {
    const { settlement } = this;
    const isFinal = reply.kind === 'rejected' && (reply.failure.scope === 'run' || this.config.stopOnFailure);
    if (reply.kind === 'accepted') this.accept(batch, reply.answers);
    else if (reply.kind === 'uncertain')
      settlement.settle(receiptOf(batch, { kind: 'uncertain', failure: reply.failure }));
    else if (reply.kind === 'not_requested') settlement.reject(batch, reply.failure);
    else if (isFinal) {
      const { offenders, others } = separateOffenders(batch, reply.error);
      settlement.rejectOffenders(batch, reply, offenders);
      settlement.reject(others, reply.failure);
    }
    done();
    if (reply.kind === 'rejected' && !isFinal) await this.sendWithoutOffenders(batch, reply);
  }

  private accept({ number, messages }: Batch, answers: readonly JsonRecord[]): void {
    this.rejections.accepted();
    const outcomes = this.config.operation.outcomes(messages, answers);
    const results = messages.map((message, index) => ({ message, outcome: outcomes[index] ?? NOT_LISTED }));
    this.settlement.settle({ batch: number, results, data: combined(answers) });
  }

  /** Nothing of the batch was sent, perhaps because of some messages: finds and rejects those, and sends the others. */
  private async sendWithoutOffenders(batch: Batch, reply: Rejected): Promise<void> {
    const { settlement, rejections } = this;
    const { offenders, others } = separateOffenders(batch, reply.error);
    if (offenders.size === 0 && (batch.messages.length === 1 || !mayConcernSome(reply))) {
      settlement.reject(batch, concerningTheseAlone(reply.failure));
    } else if (offenders.size === 0) {
      await rejections.search({ batch, why: reply.failure });
    } else {
      const rejected = others.messages.length === 0 ? null : await this.requestSome(others);
      if (rejected === null) settlement.rejectOffenders(batch, reply, offenders);
      else {
        // The details were misleading: they may count from 1, or name only the first message.
        const left = new Set(rejected.batch.messages);
        const messages = batch.messages.filter((message) => offenders.has(message) || left.has(message));
        await rejections.search({ batch: { ...batch, messages }, why: reply.failure });
      }
    }
  }

  /** Requests some messages of a batch. Returns null once they are settled, else why they were rejected. */
  private async requestSome(some: Batch): Promise<Suspects | null> {
    const requested = await this.batchRequests.make(some);
    const { batch, reply, done } = requested;
    if (reply.kind !== 'rejected' || !mayConcernSome(reply)) {
      await this.conclude(requested);
      return null;
    }
    done();
    return { batch, why: reply.failure };
  }
}
