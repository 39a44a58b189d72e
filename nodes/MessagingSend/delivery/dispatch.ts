import { GET_BALANCE } from '../api/endpoints';
import type { JsonRecord } from '../api/records';
import type { Rejected } from '../api/reply';
import type { AccountJournal } from '../journal/journal';
import type { Batch } from '../messages/message';
import type { Receipt } from '../messages/outcome';
import type { Requests } from '../requests/requests';
import { BatchRequests, type BatchRequestsConfig, type RequestedBatch } from './batchRequests';
import { CircuitBreaker } from './circuitBreaker';
import { inOrder } from './inOrder';
import { NOT_LISTED } from './match';
import { separateOffenders } from './offenders';
import { OffenderSearch, type RejectedPart } from './offenderSearch';
import type { DeliveryOptions } from './options';
import type { OutageRecord } from './outageRecord';
import { combined } from './parts';
import { Settlement, type SettlementConfig } from './settlement';
import { concerningTheseAlone, mayConcernSome, Verdict } from './verdict';

/** Everything a dispatch needs besides its batches. It has no clock, network or signal of its own. */
export interface DispatchConfig
  extends BatchRequestsConfig, SettlementConfig, Pick<DeliveryOptions, 'parallelRequests'> {
  readonly requests: Pick<Requests, 'make' | 'probe' | 'halt' | 'wait'>;
  readonly journal: AccountJournal;
  readonly outages: Pick<OutageRecord, 'uncertainInARow' | 'note'>;
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
  private readonly verdict: Verdict;
  private readonly offenderSearch: OffenderSearch;

  constructor(private readonly config: DispatchConfig) {
    const { requests, outages } = config;
    const settlement = new Settlement(config, () => {
      requests.halt();
      breaker.wake();
    });
    this.settlement = settlement;
    const breaker = new CircuitBreaker({
      probe: async () => await requests.probe(),
      end: (sign) => settlement.endByOutage(sign),
      hasEnded: () => settlement.whyEnded !== null,
      outages,
    });
    this.batchRequests = new BatchRequests(config, breaker, settlement);
    this.verdict = new Verdict(async () => await requests.make({ endpoint: GET_BALANCE }));
    this.offenderSearch = new OffenderSearch((part, why) => settlement.reject(part, why));
  }

  async send(batch: Batch): Promise<void> {
    const { whyEnded } = this.settlement;
    const requested = await this.batchRequests.make(batch);
    const { reply } = requested;
    // With On Error: Stop, the run ends whatever the verdict.
    const isJudged = reply.kind === 'rejected' && !this.config.stopOnFailure;
    await this.conclude(isJudged ? { ...requested, reply: await this.verdict.clarify(reply) } : requested, false);
    if (whyEnded !== null) await this.config.pause();
  }

  /**
   * Settles the messages of a request. If only some of them caused a rejection, requests the others.
   * @param isSearching whether the request is part of a batch that is searched for offenders
   */
  private async conclude({ batch, reply, release }: RequestedBatch, isSearching: boolean): Promise<void> {
    if (reply.kind !== 'rejected') {
      if (reply.kind === 'accepted') this.accept(batch, reply.answers);
      else if (reply.kind === 'uncertain')
        this.settlement.settleAll(batch, { kind: 'uncertain', failure: reply.failure });
      else this.settlement.reject(batch, reply.failure);
      release();
    } else if (reply.failure.scope === 'run' || this.config.stopOnFailure) {
      const { offenders, others } = separateOffenders(batch, reply.error);
      this.settlement.rejectOffenders(batch, reply, offenders);
      this.settlement.reject(others, reply.failure);
      release();
    } else {
      release();
      await this.sendWithoutOffenders(batch, reply, isSearching);
    }
  }

  private accept({ number, messages }: Batch, answers: readonly JsonRecord[]): void {
    this.verdict.accepted();
    this.offenderSearch.accepted();
    const outcomes = this.config.operation.outcomes(messages, answers);
    const results = messages.map((message, index) => ({ message, outcome: outcomes[index] ?? NOT_LISTED }));
    this.settlement.settle({ batch: number, results, data: combined(answers) });
  }

  /** Nothing of the batch was sent, perhaps because of some messages: finds and rejects those, and sends the others. */
  private async sendWithoutOffenders(batch: Batch, reply: Rejected, isSearching: boolean): Promise<void> {
    const { offenders, others } = separateOffenders(batch, reply.error);
    if (others.messages.length === 0) {
      this.settlement.rejectOffenders(batch, reply, offenders);
      return;
    }
    if (batch.messages.length === 1 || !mayConcernSome(reply)) {
      this.settlement.reject(batch, concerningTheseAlone(reply.failure));
      return;
    }
    let suspects = batch;
    if (offenders.size > 0) {
      const rejected = await this.requestPart(others, isSearching);
      if (rejected === null) {
        this.settlement.rejectOffenders(batch, reply, offenders);
        return;
      }
      // The details misled (they may count from 1, or name only the first message).
      const left = new Set(rejected.part.messages);
      suspects = {
        ...batch,
        messages: batch.messages.filter((message) => offenders.has(message) || left.has(message)),
      };
    }
    const requestPart = async (part: Batch) => await this.requestPart(part, true);
    const rejectedBatch = { part: suspects, why: reply.failure };
    if (isSearching) await this.offenderSearch.search(rejectedBatch, requestPart);
    else await this.offenderSearch.searchInTurn(rejectedBatch, requestPart);
  }

  /** Requests part of a batch. Returns null once its messages are settled, else why it was rejected. */
  private async requestPart(part: Batch, isSearching: boolean): Promise<RejectedPart | null> {
    const requested = await this.batchRequests.make(part);
    const { batch, reply, release } = requested;
    if (reply.kind === 'rejected' && mayConcernSome(reply)) {
      release();
      return { part: batch, why: reply.failure };
    }
    await this.conclude(requested, isSearching);
    return null;
  }
}
