import type { JsonRecord } from '../api/records';
import type { Rejected, Reply } from '../api/reply';
import { type Failure, failure } from '../failures/failure';
import type { AccountJournal, Permission } from '../journal/journal';
import type { Batch, Message } from '../messages/message';
import type { Receipt, Result } from '../messages/outcome';
import { type Flight, type Requests, UNOBSERVED } from '../requests/requests';
import type { CircuitBreaker, Pass } from './circuitBreaker';
import type { KeepBack } from './keepBack';
import { entryOutcome } from './match';
import type { SendOperation } from './operation';
import { partlySent } from './parts';
import type { Settlement } from './settlement';

export interface BatchRequestsConfig {
  readonly operation: SendOperation;
  readonly requests: Pick<Requests, 'make' | 'wait'>;
  readonly journal: Pick<AccountJournal, 'beforeRequest' | 'afterReply' | 'skip'>;
  /** Which messages the user does not want to be sent; null if all may be. */
  readonly keepBack: KeepBack | null;
}

export interface RequestedBatch {
  /** What was requested: the batch without messages that other executions have taken. */
  readonly batch: Batch;
  readonly reply: BatchReply;
  /** Lets the next request leave. Call it once the outcomes show whether the run goes on. */
  readonly release: () => void;
}

export type BatchReply =
  /** With the `data` of each request that the batch took. */
  | { readonly kind: 'accepted'; readonly answers: readonly JsonRecord[] }
  | Rejected
  | { readonly kind: 'uncertain' | 'not_requested'; readonly failure: Failure };

const LEAVE: Permission = { kind: 'leave' };

/** Requests batches, each as soon as the circuit breaker and the journal allow it and only while the run goes on. */
export class BatchRequests {
  constructor(
    private readonly config: BatchRequestsConfig,
    private readonly breaker: Pick<CircuitBreaker, 'admit'>,
    private readonly settlement: Pick<Settlement, 'whyEnded' | 'add'>,
  ) {}

  /** Requests a batch until it has a reply, or can't get one. */
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
      // The run is stopped.
    }
    return this.notRequested(left);
  }

  /** @returns what to request again if the request did not leave, though the run goes on */
  private async attempt(batch: Batch, pass: Pass): Promise<RequestedBatch | Batch> {
    const { operation, requests, journal } = this.config;
    const [body, ...others] = operation.bodies(batch.messages);
    const isLast = (reply: Reply | null) => others.length === 0 || reply?.kind !== 'accepted';
    const mayLeave = () => this.settlement.whyEnded === null && pass.isValid();
    let permission = LEAVE;
    let reply: Reply | null = null;
    if (mayLeave()) {
      try {
        reply = await requests.make(
          { endpoint: operation.endpoint, body },
          {
            mayLeave,
            beforeRequest: async () => {
              permission = this.keptBackFrom(batch) ?? (await journal.beforeRequest(batch));
              return permission.kind === 'leave';
            },
            afterReply: (received) => {
              if (isLast(received)) journal.afterReply(batch, received);
            },
          },
        );
      } catch {
        // The request was called off, or the run is stopped.
      }
    }
    if (reply?.kind === 'accepted') return await this.requestOthers(batch, [reply.data], others, { ...pass, mayLeave });
    if (reply !== null) return { batch, reply, release: () => pass.release(reply) };
    pass.release(null);
    if (permission.kind === 'taken') return this.withoutTaken(batch, permission.receipt);
    if (permission.kind === 'refused') return this.notRequested(batch, permission.failure);
    if (permission.kind === 'wait') {
      await requests.wait(permission.until);
      return batch;
    }
    return this.settlement.whyEnded === null && !pass.isValid() ? batch : this.notRequested(batch);
  }

  /**
   * Requests the other parts of a text whose first part was accepted, until one is not sent. To the journal, all of them are
   * one request.
   */
  private async requestOthers(
    batch: Batch,
    answers: JsonRecord[],
    bodies: readonly JsonRecord[],
    { release, mayLeave }: Pick<Pass, 'release'> & Pick<Flight, 'mayLeave'>,
  ): Promise<RequestedBatch> {
    const { operation, requests, journal } = this.config;
    let last: Reply = { kind: 'accepted', data: {} };
    for (const body of bodies) {
      if (answers.some((answer) => entryOutcome(answer).kind !== 'sent')) break;
      last = await requests
        .make({ endpoint: operation.endpoint, body }, { ...UNOBSERVED, mayLeave })
        .catch(endedBetweenParts);
      if (last.kind !== 'accepted') break;
      answers.push(last.data);
    }
    if (bodies.length > 0) journal.afterReply(batch, { kind: 'accepted', data: {} });
    const reply: BatchReply =
      last.kind === 'accepted'
        ? { kind: 'accepted', answers }
        : { kind: 'uncertain', failure: partlySent(answers.length, bodies.length + 1, last.failure) };
    return { batch, reply, release: () => release(last) };
  }

  /** The messages that may no longer be sent: the request was planned, or first made, some time ago. */
  private keptBackFrom(batch: Batch): Permission | null {
    const { keepBack, journal } = this.config;
    if (keepBack === null) return null;
    const results = batch.messages.flatMap((message): Result[] => {
      const outcome = keepBack(message);
      return outcome === null ? [] : [{ message, outcome }];
    });
    return results.length === 0 ? null : { kind: 'taken', receipt: journal.skip({ batch: null, results, data: null }) };
  }

  /** The journal knows the outcomes of these messages, so they are not settled again. */
  private withoutTaken(batch: Batch, receipt: Receipt): Batch {
    this.settlement.add(receipt);
    const taken = new Set<Message>(receipt.results.map(({ message }) => message));
    return { ...batch, messages: batch.messages.filter((message) => !taken.has(message)) };
  }

  /** If the run has not ended, only the Stop button is left as the reason; n8n itself tells the user. */
  private notRequested(batch: Batch, why = this.settlement.whyEnded ?? failure('stopped')): RequestedBatch {
    return { batch, reply: { kind: 'not_requested', failure: why }, release: () => undefined };
  }
}

function endedBetweenParts(): Reply {
  return { kind: 'uncertain', failure: failure('stopped') };
}
