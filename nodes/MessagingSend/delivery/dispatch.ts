import { GET_BALANCE } from '../api/endpoints';
import type { JsonRecord } from '../api/records';
import type { Rejected } from '../api/reply';
import type { AccountJournal } from '../journal/journal';
import type { OutageRecord } from '../journal/outageRecord';
import type { Batch } from '../messages/message';
import type { Receipt } from '../messages/outcome';
import type { Requests } from '../requests/requests';
import { type Answered, BatchRequests, type BatchRequestsConfig } from './batchRequests';
import { CircuitBreaker } from './circuitBreaker';
import { splitByCredits } from './credits';
import { inOrder } from './inOrder';
import { NOT_LISTED } from './match';
import { separateOffenders } from './offenders';
import { OffenderSearch, type RejectedPart } from './offenderSearch';
import type { DeliveryOptions } from './options';
import { Settlement, type SettlementConfig } from './settlement';
import { concerningTheseAlone, mayConcernSome, Verdict } from './verdict';

/** Everything a dispatch needs besides its batches. It has no clock, network or signal of its own. */
export interface DispatchConfig
  extends BatchRequestsConfig, SettlementConfig, Pick<DeliveryOptions, 'parallelRequests' | 'whenCreditsRunOut'> {
  readonly requests: Pick<Requests, 'make' | 'probe' | 'halt' | 'wait'>;
  readonly journal: AccountJournal;
  readonly outages: Pick<OutageRecord, 'uncertainInARow' | 'note'>;
  /** Every phone that more than one message goes to; may contain others. */
  readonly repeated: ReadonlySet<string>;
  /** Whether the output needs the service's whole answers; a large run takes less memory without. */
  readonly wholeAnswers: boolean;
  /** Lets other work in this process run; called after each batch that is no longer sent. */
  readonly pause?: () => Promise<void>;
  /** With On Error: Stop, ends the dispatches of the run to all its accounts together. */
  readonly runEnd?: AbortController;
}

/**
 * Sends batches concurrently, but never two that have a number in common: messages to one number arrive in their order.
 * Every message is in exactly one receipt. A batch that is rejected for some of its messages is sent without them.
 */
export async function dispatch(batches: readonly Batch[], config: DispatchConfig): Promise<readonly Receipt[]> {
  const run = new Dispatch(config);
  const { settlement } = run;
  const runEnd = config.runEnd && AbortSignal.any([config.runEnd.signal]);
  const end = () => settlement.endWithOthers();
  runEnd?.addEventListener('abort', end);
  try {
    await inOrder(batches, config.repeated, config.parallelRequests, async (batch) => await run.send(batch));
    return settlement.finish();
  } finally {
    // Node keeps a signal alive while it has listeners, and with it all receipts.
    runEnd?.removeEventListener('abort', end);
  }
}

interface RequestContext {
  /** Whether the credits are known to cover it. */
  readonly isPaid: boolean;
  /** Whether it is part of a batch that is searched for offenders. */
  readonly isSearching: boolean;
}

class Dispatch {
  readonly settlement: Settlement;
  private readonly batchRequests: BatchRequests;
  private readonly verdict: Verdict;
  private readonly offenderSearch: OffenderSearch;

  constructor(private readonly config: DispatchConfig) {
    const { requests, outages, runEnd, stopOnFailure } = config;
    const settlement = new Settlement(config, () => {
      requests.halt();
      breaker.wake();
      if (stopOnFailure) runEnd?.abort();
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
    const { whyEnded, whyUnpaid } = this.settlement;
    if (whyUnpaid !== null) this.settlement.reject(batch, whyUnpaid);
    else await this.requestAndConclude(batch, { isPaid: false, isSearching: false });
    if (whyEnded !== null || whyUnpaid !== null) await this.config.pause?.();
  }

  private async requestAndConclude(batch: Batch, context: RequestContext): Promise<void> {
    const answered = await this.batchRequests.make(batch, context.isPaid);
    const { reply } = answered;
    // With On Error: Stop, the run ends whatever the verdict.
    const isJudged = reply.kind === 'rejected' && !this.config.stopOnFailure;
    await this.conclude(isJudged ? { ...answered, reply: await this.verdict.clarify(reply) } : answered, context);
  }

  /** Settles the messages of a request. If only some of them caused a rejection, requests the others. */
  private async conclude({ batch, reply, release }: Answered, context: RequestContext): Promise<void> {
    if (reply.kind !== 'rejected') {
      if (reply.kind === 'accepted') this.accept(batch, reply.data);
      else if (reply.kind === 'uncertain') this.settlement.settleAll(batch, reply);
      else this.settlement.reject(batch, reply.failure);
      release();
    } else if (reply.failure.code === 'INSUFFICIENT_CREDITS') {
      await this.sendPaid(batch, reply, release, context);
    } else if (reply.failure.scope === 'run' || this.config.stopOnFailure) {
      const { offenders, others } = separateOffenders(batch, reply.error);
      this.settlement.rejectOffenders(batch, reply, offenders);
      this.settlement.reject(others, reply.failure);
      release();
    } else {
      release();
      await this.sendWithoutOffenders(batch, reply, context);
    }
  }

  private accept({ number, messages }: Batch, data: JsonRecord): void {
    const { operation, wholeAnswers } = this.config;
    this.verdict.accepted();
    this.offenderSearch.accepted();
    const outcomes = operation.outcomes(messages, data);
    const results = messages.map((message, index) => ({ message, outcome: outcomes[index] ?? NOT_LISTED }));
    this.settlement.settle({ batch: number, results, data: wholeAnswers ? data : withoutEntries(data) });
  }

  /** Sends as many messages as the credits pay for, the first ones, if the user wants that. */
  private async sendPaid(batch: Batch, reply: Rejected, release: () => void, context: RequestContext): Promise<void> {
    const { whenCreditsRunOut, stopOnFailure } = this.config;
    const { paid, unpaid, whyUnpaid } = splitByCredits(batch, reply);
    if (paid.messages.length === 0 || whenCreditsRunOut === 'stop' || stopOnFailure) {
      this.settlement.reject(batch, reply.failure);
      release();
      return;
    }
    this.settlement.useUpCredits(whyUnpaid);
    // First: with the breaker half-open, the next request waits for this release.
    release();
    await this.requestAndConclude(paid, { ...context, isPaid: true });
    this.settlement.reject(unpaid, whyUnpaid);
  }

  /** Nothing of the batch was sent, perhaps because of some messages: finds and rejects those, and sends the others. */
  private async sendWithoutOffenders(batch: Batch, reply: Rejected, context: RequestContext): Promise<void> {
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
      const rejected = await this.requestPart(others, context);
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
    const requestPart = async (part: Batch) => await this.requestPart(part, { ...context, isSearching: true });
    const rejectedBatch = { part: suspects, why: reply.failure };
    if (context.isSearching) await this.offenderSearch.search(rejectedBatch, requestPart);
    else await this.offenderSearch.searchInTurn(rejectedBatch, requestPart);
  }

  /** Requests part of a batch. Returns null once its messages are settled, else why it was rejected. */
  private async requestPart(part: Batch, context: RequestContext): Promise<RejectedPart | null> {
    const answered = await this.batchRequests.make(part, context.isPaid);
    const { batch, reply, release } = answered;
    if (reply.kind === 'rejected' && mayConcernSome(reply)) {
      release();
      return { part: batch, why: reply.failure };
    }
    await this.conclude(answered, context);
    return null;
  }
}

/** The outcomes contain everything that is needed of the entries. */
function withoutEntries({ messages, ...data }: JsonRecord): JsonRecord {
  return data;
}
