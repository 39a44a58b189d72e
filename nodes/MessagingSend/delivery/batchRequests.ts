import type { Reply } from '../api/reply';
import { type Failure, failure } from '../failures/failure';
import type { AccountJournal, Permission } from '../journal/journal';
import type { Batch, Message } from '../messages/message';
import type { Receipt, Result, Skipped } from '../messages/outcome';
import type { Requests } from '../requests/requests';
import type { CircuitBreaker, Pass } from './circuitBreaker';
import type { KeepBack } from './keepBack';
import type { SendOperation } from './operation';
import type { Settlement } from './settlement';

export interface BatchRequestsConfig {
  readonly operation: SendOperation;
  readonly requests: Pick<Requests, 'make' | 'wait'>;
  readonly journal: Pick<AccountJournal, 'beforeRequest' | 'afterReply' | 'skip'>;
  /** Which messages the user does not want to be sent; null if all may be. */
  readonly keepBack: KeepBack | null;
}

export interface Answered {
  /** What the request carried: the batch without messages that other executions have taken. */
  readonly batch: Batch;
  readonly reply: Reply | NotRequested;
  /** Lets the next request leave. Call it once the outcomes show whether the run goes on. */
  readonly release: () => void;
}

interface NotRequested {
  readonly kind: 'not_requested';
  readonly failure: Failure;
}

const LEAVE: Permission = { kind: 'leave' };

/** Requests batches, each as soon as the circuit breaker and the journal allow it and only while the run goes on. */
export class BatchRequests {
  /** The first parts that were kept back, by where their texts came from. */
  private readonly textsKeptBack = new Map<string, Skipped>();

  constructor(
    private readonly config: BatchRequestsConfig,
    private readonly breaker: Pick<CircuitBreaker, 'admit'>,
    private readonly settlement: Pick<Settlement, 'whyEnded' | 'whyUnpaid' | 'add'>,
  ) {}

  /**
   * Requests a batch until it has a reply, or can't get one.
   * @param isPaid whether the credits are known to cover it
   */
  async make(batch: Batch, isPaid: boolean): Promise<Answered> {
    const { breaker, settlement } = this;
    const whyNot = () => settlement.whyEnded ?? (isPaid ? null : settlement.whyUnpaid);
    let left = batch;
    try {
      while (left.messages.length > 0) {
        const pass = await breaker.admit();
        const made = pass === null ? notRequested(left, whyNot()) : await this.attempt(left, pass, whyNot);
        if ('reply' in made) return made;
        left = made;
      }
    } catch {
      // The run is stopped.
    }
    return notRequested(left, whyNot());
  }

  /** @returns what to request again if the request did not leave, though the run goes on */
  private async attempt(batch: Batch, pass: Pass, whyNot: () => Failure | null): Promise<Answered | Batch> {
    const { operation, requests, journal } = this.config;
    const mayLeave = () => whyNot() === null && pass.isValid();
    let permission = LEAVE;
    if (mayLeave()) {
      try {
        const request = { endpoint: operation.endpoint, body: operation.body(batch.messages) };
        const reply = await requests.make(request, {
          mayLeave,
          beforeRequest: async () => {
            permission = this.keptBackFrom(batch) ?? (await journal.beforeRequest(batch));
            return permission.kind === 'leave';
          },
          afterReply: (received) => journal.afterReply(batch, received),
        });
        return { batch, reply, release: () => pass.release(reply) };
      } catch {
        // The request was called off, or the run is stopped.
      }
    }
    pass.release(null);
    if (permission.kind === 'taken') return this.withoutTaken(batch, permission.receipt);
    if (permission.kind === 'refused') return notRequested(batch, permission.failure);
    if (permission.kind === 'wait') {
      await requests.wait(permission.until);
      return batch;
    }
    return whyNot() === null && !pass.isValid() ? batch : notRequested(batch, whyNot());
  }

  /** The messages that may no longer be sent: the request was planned, or first made, some time ago. */
  private keptBackFrom(batch: Batch): Permission | null {
    const { keepBack, journal } = this.config;
    if (keepBack === null) return null;
    const results = batch.messages.flatMap((message): Result[] => {
      const outcome = this.keptBack(message, keepBack);
      return outcome === null ? [] : [{ message, outcome }];
    });
    if (results.length === 0) return null;
    return { kind: 'taken', receipt: journal.skip({ batch: null, results, data: null }) };
  }

  /** Parts of one text leave one after the other. The first one decides for all: nobody gets half a text. */
  private keptBack(message: Message, keepBack: KeepBack): Skipped | null {
    const { item, entry, part } = message;
    if (part === null) return keepBack(message);
    const text = `${item} ${entry}`;
    if (part > 0) return this.textsKeptBack.get(text) ?? null;
    const outcome = keepBack(message);
    if (outcome !== null) this.textsKeptBack.set(text, outcome);
    return outcome;
  }

  /** The journal knows the outcomes of these messages, so they are not settled again. */
  private withoutTaken(batch: Batch, receipt: Receipt): Batch {
    this.settlement.add(receipt);
    const taken = new Set(receipt.results.map(({ message }) => message));
    return { ...batch, messages: batch.messages.filter((message) => !taken.has(message)) };
  }
}

/** @param why null if the Stop button is the only reason left; n8n itself tells the user */
function notRequested(batch: Batch, why: Failure | null): Answered {
  const reply: NotRequested = { kind: 'not_requested', failure: why ?? failure('stopped') };
  return { batch, reply, release: () => undefined };
}
