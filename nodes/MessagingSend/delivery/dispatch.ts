import { GET_BALANCE } from '../api/endpoints';
import type { JsonRecord } from '../api/records';
import type { Rejected } from '../api/reply';
import type { AccountJournal } from '../journal/journal';
import type { Batch } from '../messages/message';
import type { Receipt } from '../messages/outcome';
import type { Requests } from '../requests/requests';
import { inOrder } from './batches';
import { BatchRequests, type BatchRequestsConfig, type RequestedBatch } from './batchRequests';
import { CircuitBreaker, type Outages } from './circuitBreaker';
import { NOT_LISTED } from './match';
import { combined } from './operation';
import type { DeliveryOptions } from './options';
import { concerningTheseAlone, mayConcernSome, Rejections, separateOffenders, type Suspects } from './rejections';
import { Settlement, type SettlementConfig } from './settlement';

/** Everything a dispatch needs besides its batches. It has no clock, network or signal of its own. */
export interface DispatchConfig
  extends BatchRequestsConfig, SettlementConfig, Pick<DeliveryOptions, 'parallelRequests'> {
  readonly requests: Pick<Requests, 'make' | 'probe' | 'halt' | 'wait'>;
  readonly journal: Pick<AccountJournal, 'beforeRequest' | 'afterReply' | 'settle' | 'skip'>;
  readonly outages: Outages;
  /** Every phone that more than one message goes to; may contain others. */
  readonly repeated: ReadonlySet<string>;
  /** Lets other work in this process run; called after each batch that is no longer sent. */
  readonly pause: () => Promise<void>;
}

/**
 * Sends batches concurrently, but never two that have a number in common: messages to one number arrive in their order.
 * Every message is in exactly one receipt. A batch that is rejected for some of its messages is sent without them.
 */
export async function dispatch(batches: readonly Batch[], config: DispatchConfig): Promise<readonly Receipt[]> {
  const run = new Dispatch(config);
  await inOrder(batches, config.repeated, config.parallelRequests, async (batch) => await run.send(batch));
  return run.settlement.finish();
}

class Dispatch {
  readonly settlement: Settlement;
  private readonly batchRequests: BatchRequests;
  private readonly rejections: Rejections;

  constructor(private readonly config: DispatchConfig) {
    const { requests, outages } = config;
    const settlement = new Settlement(config, () => {
      requests.halt();
      breaker.wake();
    });
    const breaker = new CircuitBreaker({
      probe: async () => await requests.probe(),
      end: (sign) => settlement.endByOutage(sign),
      hasEnded: () => settlement.whyEnded !== null,
      outages,
    });
    this.settlement = settlement;
    this.batchRequests = new BatchRequests(config, breaker, settlement);
    this.rejections = new Rejections(
      async () => await requests.make({ endpoint: GET_BALANCE }),
      (batch, why) => settlement.reject(batch, why),
    );
  }

  async send(batch: Batch): Promise<void> {
    const { whyEnded } = this.settlement;
    const requested = await this.batchRequests.make(batch);
    const { reply } = requested;
    // With On Error: Stop, the run ends whatever the verdict.
    const isUnclear = reply.kind === 'rejected' && !this.config.stopOnFailure;
    await this.conclude(isUnclear ? { ...requested, reply: await this.rejections.clarify(reply) } : requested, false);
    if (whyEnded !== null) await this.config.pause();
  }

  /**
   * Settles the messages of a request. If only some of them caused a rejection, requests the others.
   * @param isSearching whether the request is a part of a batch that is searched for offenders
   */
  private async conclude({ batch, reply, done }: RequestedBatch, isSearching: boolean): Promise<void> {
    const { settlement } = this;
    const isFinal = reply.kind === 'rejected' && (reply.failure.scope === 'run' || this.config.stopOnFailure);
    if (reply.kind === 'accepted') this.accept(batch, reply.answers);
    else if (reply.kind === 'uncertain') settlement.settleAll(batch, { kind: 'uncertain', failure: reply.failure });
    else if (reply.kind === 'not_requested') settlement.reject(batch, reply.failure);
    else if (isFinal) {
      const { offenders, others } = separateOffenders(batch, reply.error);
      settlement.rejectOffenders(batch, reply, offenders);
      settlement.reject(others, reply.failure);
    }
    done();
    if (reply.kind === 'rejected' && !isFinal) await this.sendWithoutOffenders(batch, reply, isSearching);
  }

  private accept({ number, messages }: Batch, answers: readonly JsonRecord[]): void {
    this.rejections.accepted();
    const outcomes = this.config.operation.outcomes(messages, answers);
    const results = messages.map((message, index) => ({ message, outcome: outcomes[index] ?? NOT_LISTED }));
    this.settlement.settle({ batch: number, results, data: combined(answers) });
  }

  /** Nothing of the batch was sent, perhaps because of some messages: finds and rejects those, and sends the others. */
  private async sendWithoutOffenders(batch: Batch, reply: Rejected, isSearching: boolean): Promise<void> {
    const { settlement, rejections } = this;
    const { offenders, others } = separateOffenders(batch, reply.error);
    if (others.messages.length === 0) {
      settlement.rejectOffenders(batch, reply, offenders);
      return;
    }
    if (batch.messages.length === 1 || !mayConcernSome(reply)) {
      settlement.reject(batch, concerningTheseAlone(reply.failure));
      return;
    }
    let suspects = batch;
    if (offenders.size > 0) {
      const rejected = await this.requestSome(others, isSearching);
      if (rejected === null) {
        settlement.rejectOffenders(batch, reply, offenders);
        return;
      }
      // The details misled (they may count from 1, or name only the first message).
      const left = new Set(rejected.batch.messages);
      const messages = batch.messages.filter((message) => offenders.has(message) || left.has(message));
      suspects = { ...batch, messages };
    }
    const request = async (some: Batch) => await this.requestSome(some, true);
    const rejected = { batch: suspects, why: reply.failure };
    await (isSearching ? rejections.search(rejected, request) : rejections.searchInTurn(rejected, request));
  }

  /** Requests some messages of a batch. Returns null once they are settled, else why they were rejected. */
  private async requestSome(some: Batch, isSearching: boolean): Promise<Suspects | null> {
    const requested = await this.batchRequests.make(some);
    const { batch, reply, done } = requested;
    if (reply.kind === 'rejected' && mayConcernSome(reply)) {
      done();
      return { batch, why: reply.failure };
    }
    await this.conclude(requested, isSearching);
    return null;
  }
}
