import type { JsonRecord } from '../api/records';
import type { Accepted, Rejected, Reply } from '../api/reply';
import { type Failure, failure } from '../failures/failure';
import type { AccountJournal, Permission } from '../journal/journal';
import type { Batch, Message } from '../messages/message';
import type { Receipt, Result } from '../messages/outcome';
import { type Flight, type Requests, UNOBSERVED } from '../requests/requests';
import type { CircuitBreaker, Pass } from './circuitBreaker';
import { entryOutcome } from './match';
import { partlySent, type SendOperation } from './operation';
import type { KeepBack } from './selection';
import type { Settlement } from './settlement';

export interface BatchRequestsConfig {
  readonly operation: SendOperation;
  readonly requests: Pick<Requests, 'make' | 'wait'>;
  readonly journal: Pick<AccountJournal, 'beforeRequest' | 'afterReply' | 'skip'>;
  /** Decides which messages the user doesn't want sent; null if all may be sent. */
  readonly keepBack: KeepBack | null;
}

export interface RequestedBatch {
  /** What was requested: the batch without messages that were kept back, or that other executions have. */
  readonly batch: Batch;
  readonly reply: BatchReply;
  /** Lets the next request leave. Call it once the outcomes show whether the run goes on. */
  readonly done: () => void;
}

export type BatchReply =
  /** With the `data` of every request that was made for the batch. */
  | { readonly kind: 'accepted'; readonly answers: readonly JsonRecord[] }
  | Rejected
  | { readonly kind: 'uncertain' | 'not_requested'; readonly failure: Failure };

const LEAVE: Permission = { kind: 'leave' };

/** How long to wait, in milliseconds, before asking again about a message that another run has in flight. */
const ASK_AGAIN_AFTER = 200;

/** Requests each batch as soon as the circuit breaker and the journal allow it, and only while the run goes on. */
export class BatchRequests {
  constructor(
    private readonly config: BatchRequestsConfig,
    private readonly breaker: Pick<CircuitBreaker, 'admit'>,
    private readonly settlement: Pick<Settlement, 'whyEnded' | 'add'>,
  ) {}

  async make(batch: Batch): Promise<RequestedBatch> {
    let left = batch;
    try {
      while (left.messages.length > 0) {
        const pass = await this.breaker.admit();
        const made = pass === null ? this.notRequested(left) : await this.attempt(left, pass);
        if ('reply' in made) return made;
        left = made;
      }
    } catch {
      // The run was stopped.
    }
    return this.notRequested(left);
  }

  /** @returns what is left to request, if the request did not leave although the run goes on */
  private async attempt(batch: Batch, pass: Pass): Promise<RequestedBatch | Batch> {
    const { operation, requests, journal } = this.config;
    const [body, ...more] = operation.bodies(batch.messages);
    const mayLeave = () => this.settlement.whyEnded === null && pass.isValid();
    let permission = LEAVE;
    const beforeRequest = async () => {
      permission = this.keptBackFrom(batch) ?? (await journal.beforeRequest(batch));
      return permission.kind === 'leave';
    };
    const afterReply = (received: Reply | null) => {
      // To the journal, all parts of a text are one request.
      if (more.length === 0 || received?.kind !== 'accepted') journal.afterReply(batch, received);
    };
    const flight = { mayLeave, beforeRequest, afterReply };
    // Throws if the request was called off, or the run stopped.
    const reply = await requests.make({ endpoint: operation.endpoint, body }, flight).catch(() => null);
    if (reply?.kind === 'accepted' && more.length > 0)
      return await this.requestMore(batch, reply, more, mayLeave, pass);
    if (reply !== null) {
      const answered = reply.kind === 'accepted' ? ({ kind: 'accepted', answers: [reply.data] } as const) : reply;
      return { batch, reply: answered, done: () => pass.end(reply) };
    }
    pass.end(null);
    if (permission.kind === 'taken') return this.withoutTaken(batch, permission.receipt);
    if (permission.kind === 'refused') return this.notRequested(batch, permission.failure);
    if (permission.kind === 'wait') {
      await requests.wait(ASK_AGAIN_AFTER);
      return batch;
    }
    return this.settlement.whyEnded === null && !pass.isValid() ? batch : this.notRequested(batch);
  }

  /** Requests the other parts of a text whose first part was accepted, until one is not sent. */
  private async requestMore(
    batch: Batch,
    first: Accepted,
    bodies: readonly JsonRecord[],
    mayLeave: Flight['mayLeave'],
    pass: Pass,
  ): Promise<RequestedBatch> {
    const { operation, requests, journal } = this.config;
    const answers = [first.data];
    let last: Reply = first;
    for (const body of bodies) {
      if (answers.some((answer) => entryOutcome(answer).kind !== 'sent')) break;
      last = await requests
        .make({ endpoint: operation.endpoint, body }, { ...UNOBSERVED, mayLeave })
        .catch((): Reply => ({ kind: 'uncertain', failure: failure('stopped') }));
      if (last.kind !== 'accepted') break;
      answers.push(last.data);
    }
    journal.afterReply(batch, first);
    const end = last;
    const reply: BatchReply =
      end.kind === 'accepted'
        ? { kind: 'accepted', answers }
        : { kind: 'uncertain', failure: partlySent(answers.length, bodies.length + 1, end.failure) };
    return { batch, reply, done: () => pass.end(end) };
  }

  /** Messages to keep back after all: a window may have closed since the request was planned, or first made. */
  private keptBackFrom(batch: Batch): Permission | null {
    const { keepBack, journal } = this.config;
    if (keepBack === null) return null;
    const results = batch.messages.flatMap((message): Result[] => {
      const outcome = keepBack(message);
      return outcome === null ? [] : [{ message, outcome }];
    });
    return results.length === 0 ? null : { kind: 'taken', receipt: journal.skip({ batch: null, results, data: null }) };
  }

  /** The journal already has the outcomes of these messages, so they are not settled again. */
  private withoutTaken(batch: Batch, receipt: Receipt): Batch {
    this.settlement.add(receipt);
    const taken = new Set<Message>(receipt.results.map(({ message }) => message));
    return { ...batch, messages: batch.messages.filter((message) => !taken.has(message)) };
  }

  /** If the run has not ended, only the Stop button can be the reason; n8n itself tells the user. */
  private notRequested(batch: Batch, why = this.settlement.whyEnded ?? failure('stopped')): RequestedBatch {
    return { batch, reply: { kind: 'not_requested', failure: why }, done: () => undefined };
  }
}
