import type { Failure } from '../api/failure';
import { messageFailure } from '../api/failureTexts';
import type { JsonRecord } from '../api/records';
import type { Reply } from '../api/reply';
import type { Batch, Message } from './message';
import { mayHaveGoneOut, NOT_LISTED } from './match';
import { findOffenders } from './offenders';
import type { Outcome, Receipt } from './outcome';

/** All that a dispatch takes from outside: it has no clock, network or signal of its own. */
export interface DispatchControl {
  /** Makes one request; never throws for what the service or the network does. */
  readonly send: (messages: readonly Message[]) => Promise<Reply>;
  /** Reads from an accepted reply what became of each message, in their order. */
  readonly outcomes: (messages: readonly Message[], data: JsonRecord) => Outcome[];
  /** Least time from the start of one request to that of the next, in milliseconds. */
  readonly interval: number;
  /** Whether the first failure ends the run: no request starts after it. */
  readonly stopOnFailure: boolean;
  readonly now: () => number;
  /** Throws when the run is stopped meanwhile. */
  readonly wait: (milliseconds: number) => Promise<void>;
}

/**
 * Sends batches one after the other. Every message is in exactly one receipt; receipts come in the
 * order of the requests. A batch that is refused for some of its messages is sent without them.
 */
export async function dispatch(batches: readonly Batch[], control: DispatchControl): Promise<Receipt[]> {
  const receipts: Receipt[] = [];
  /** Why no further request is made; null as long as the run goes on. */
  let halt: Failure | null = null;
  let earliestStart = 0;

  for (const { number, messages } of batches) await deliver(number, messages);
  return receipts;

  async function deliver(batch: number, messages: readonly Message[]): Promise<void> {
    if (halt !== null) return fail(batch, messages, halt);
    const reply = await request(messages);
    if (reply.kind === 'rejected' && reply.failure.code === 'VALIDATION_ERROR') {
      await deliverWithoutOffenders(batch, messages, reply);
    } else {
      settle(batch, messages, reply);
    }
  }

  /** After a VALIDATION_ERROR nothing of the batch went out: sets the offenders aside and sends the others. */
  async function deliverWithoutOffenders(batch: number, messages: readonly Message[], reply: Rejected): Promise<void> {
    const offenders = findOffenders(messages, reply.error);
    const aside = () => {
      for (const [message, complaints] of offenders) {
        fail(batch, [message], messageFailure(reply.failure, complaints));
      }
    };
    const others = messages.filter((message) => !offenders.has(message));

    if (others.length === 0) return aside();
    if (messages.length === 1) return settle(batch, messages, reply);
    if (control.stopOnFailure) {
      aside();
      return fail(batch, others, reply.failure);
    }
    if (offenders.size > 0) {
      const second = await request(others);
      if (second.kind !== 'rejected' || second.failure.code !== 'VALIDATION_ERROR') {
        aside();
        return settle(batch, others, second);
      }
      // The details misled (they may count from 1, or name only the first): find out by trying.
    }
    const middle = Math.ceil(messages.length / 2);
    await deliver(batch, messages.slice(0, middle));
    await deliver(batch, messages.slice(middle));
  }

  async function request(messages: readonly Message[]): Promise<Reply> {
    const delay = earliestStart - control.now();
    if (delay > 0) await control.wait(delay);
    earliestStart = control.now() + control.interval;
    return await control.send(messages);
  }

  function settle(batch: number, messages: readonly Message[], reply: Reply): void {
    if (reply.kind === 'uncertain') {
      const failure = mayHaveGoneOut(reply.failure);
      return add(batch, messages, null, () => ({ kind: 'uncertain', failure }));
    }
    if (reply.kind === 'rejected') return fail(batch, messages, reply.failure);
    const outcomes = control.outcomes(messages, reply.data);
    add(batch, messages, reply.data, (index) => outcomes[index] ?? NOT_LISTED);
  }

  function fail(batch: number, messages: readonly Message[], failure: Failure): void {
    add(batch, messages, null, () => ({ kind: 'not_sent', failure }));
  }

  function add(
    batch: number,
    messages: readonly Message[],
    data: JsonRecord | null,
    outcomeAt: (index: number) => Outcome,
  ): void {
    const results = messages.map((message, index) => ({ message, outcome: outcomeAt(index) }));
    receipts.push({ batch, results, data });
    for (const { outcome } of results) {
      if (outcome.kind === 'sent' || halt !== null) continue;
      if (control.stopOnFailure || outcome.failure.scope === 'run') halt = outcome.failure;
    }
  }
}

type Rejected = Extract<Reply, { kind: 'rejected' }>;
