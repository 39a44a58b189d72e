import { messageFailure } from '../api/answerFailure';
import type { JsonRecord } from '../api/records';
import type { Reply } from '../api/reply';
import type { Failure } from '../failures/failure';
import type { Batch, Message } from '../messages/message';
import type { Outcome, Receipt } from '../messages/outcome';
import { affordable } from './credits';
import { mayHaveGoneOut, NOT_LISTED } from './match';
import { findOffenders } from './offenders';
import type { DeliveryOptions } from './options';

/** All that a dispatch takes from outside: it has no clock, network or signal of its own. */
export interface DispatchControl extends Pick<DeliveryOptions, 'parallelRequests' | 'whenCreditsRunOut'> {
  /**
   * Makes one request, whenever it may; throws only before it starts, when the run is stopped or
   * `mayStart` says no at that moment.
   */
  readonly request: (messages: readonly Message[], batch: number, mayStart: () => boolean) => Promise<Reply>;
  /** Reads from an accepted reply what became of each message, in their order. */
  readonly outcomes: (messages: readonly Message[], data: JsonRecord) => Outcome[];
  /** What of an accepted reply is kept with its receipt. */
  readonly kept: (data: JsonRecord) => JsonRecord;
  /** Whether the first failure ends the run: no request starts after it. */
  readonly stopOnFailure: boolean;
  /** Is told when no further request may start, so that nothing waits for its turn in vain. */
  readonly onHalt: () => void;
  /** Is told of every receipt as soon as it is there. */
  readonly onReceipt: (receipt: Receipt) => void;
}

type Rejected = Extract<Reply, { kind: 'rejected' }>;

/**
 * Sends batches, several at once, but never two that have a number in common: messages to one number
 * arrive in their order. Every message is in exactly one receipt. A batch that is refused for some of
 * its messages is sent without them.
 */
export async function dispatch(batches: readonly Batch[], control: DispatchControl): Promise<Receipt[]> {
  const receipts: Receipt[] = [];
  /** Why no further request is made; null as long as the run goes on. */
  let halt: Failure | null = null;
  /** Set once the rest of the credits is being used up: only what they pay for is sent any more. */
  let creditsRanOut: Failure | null = null;

  await inOrder(batches, control.parallelRequests, async ({ number, messages }) => {
    if (creditsRanOut !== null) fail(number, messages, creditsRanOut);
    else await deliver(number, messages);
  });
  return receipts;

  async function deliver(batch: number, messages: readonly Message[], paid = false): Promise<void> {
    await settleOrRepair(batch, messages, await request(messages, batch, paid), paid);
  }

  async function settleOrRepair(
    batch: number,
    messages: readonly Message[],
    reply: Reply,
    paid: boolean,
  ): Promise<void> {
    if (reply.kind !== 'rejected') {
      settle(batch, messages, reply);
      return;
    }
    if (isAboutSome(reply)) {
      await deliverWithoutOffenders(batch, messages, reply, paid);
      return;
    }
    if (reply.failure.code === 'INSUFFICIENT_CREDITS') {
      await deliverAffordable(batch, messages, reply);
      return;
    }
    settle(batch, messages, reply);
  }

  /** Nothing of the batch went out, because of some of it: sets the offenders aside and sends the others. */
  async function deliverWithoutOffenders(
    batch: number,
    messages: readonly Message[],
    reply: Rejected,
    paid: boolean,
  ): Promise<void> {
    const offenders = findOffenders(messages, reply.error);
    const others = messages.filter((message) => !offenders.has(message));
    const aside = () => {
      for (const [message, complaints] of offenders) fail(batch, [message], messageFailure(reply.failure, complaints));
    };

    if (others.length === 0) {
      aside();
      return;
    }
    if (messages.length === 1) {
      settle(batch, messages, reply);
      return;
    }
    if (control.stopOnFailure) {
      aside();
      fail(batch, others, reply.failure);
      return;
    }
    if (offenders.size > 0) {
      const second = await request(others, batch, paid);
      if (second.kind !== 'rejected' || !isAboutSome(second)) {
        aside();
        await settleOrRepair(batch, others, second, paid);
        return;
      }
      // The details misled (they may count from 1, or name only the first): find out by trying.
    }
    const middle = Math.ceil(messages.length / 2);
    await deliver(batch, messages.slice(0, middle), paid);
    await deliver(batch, messages.slice(middle), paid);
  }

  /** After INSUFFICIENT_CREDITS, if the user wants it so: sends as many as the credits pay for, the first ones. */
  async function deliverAffordable(batch: number, messages: readonly Message[], reply: Rejected): Promise<void> {
    const count =
      control.whenCreditsRunOut === 'stop' || control.stopOnFailure ? 0 : affordable(messages.length, reply.error);
    if (count > 0) {
      creditsRanOut ??= reply.failure;
      await deliver(batch, messages.slice(0, count), true);
    }
    fail(batch, messages.slice(count), reply.failure);
  }

  async function request(messages: readonly Message[], batch: number, paid: boolean): Promise<Reply> {
    const why = () => halt ?? (paid ? null : creditsRanOut);
    const before = why();
    if (before !== null) return notTried(forOthers(before));
    try {
      return await control.request(messages, batch, () => why() === null);
    } catch {
      const reason = why();
      // Else only the Stop button ends a wait; n8n itself says so to the user.
      return notTried(reason === null ? STOPPED : forOthers(reason));
    }
  }

  function settle(batch: number, messages: readonly Message[], reply: Reply): void {
    if (reply.kind === 'rejected') {
      fail(batch, messages, reply.failure);
      return;
    }
    if (reply.kind === 'uncertain') {
      const failure = mayHaveGoneOut(reply.failure);
      add(batch, messages, null, () => ({ kind: 'uncertain', failure }));
      return;
    }
    const outcomes = control.outcomes(messages, reply.data);
    add(batch, messages, control.kept(reply.data), (index) => outcomes[index] ?? NOT_LISTED);
  }

  function fail(batch: number, messages: readonly Message[], failure: Failure): void {
    if (messages.length > 0) add(batch, messages, null, () => ({ kind: 'not_sent', failure }));
  }

  function add(
    batch: number,
    messages: readonly Message[],
    data: JsonRecord | null,
    outcomeAt: (index: number) => Outcome,
  ): void {
    const results = messages.map((message, index) => ({ message, outcome: outcomeAt(index) }));
    for (const { outcome } of results) {
      if (outcome.kind === 'sent') continue;
      const endsRun = outcome.failure.scope === 'run' && outcome.failure !== creditsRanOut;
      if (halt === null && (control.stopOnFailure || endsRun)) {
        halt = outcome.kind === 'uncertain' ? { ...outcome.failure, scope: 'request' } : outcome.failure;
        control.onHalt();
      }
    }
    const receipt = { batch, results, data };
    receipts.push(receipt);
    control.onReceipt(receipt);
  }
}

/**
 * Works through batches with at most `parallel` under way, in their order; one that has a number in
 * common with an earlier one waits for that one to be done. The first goes alone, so that a wrong key
 * or an empty account costs one request and not several.
 */
async function inOrder(
  batches: readonly Batch[],
  parallel: number,
  work: (batch: Batch) => Promise<void>,
): Promise<void> {
  const [first, ...others] = batches;
  if (first !== undefined) await work(first);
  const underWay = new Map<string, Promise<void>>();
  const queue = others.values();

  const worker = async (): Promise<void> => {
    for (const batch of queue) {
      const phones = batch.messages.map(({ phone }) => phone);
      const earlier = new Set(phones.flatMap((phone) => underWay.get(phone) ?? []));
      const done = Promise.all(earlier).then(async () => await work(batch));
      for (const phone of phones) underWay.set(phone, done);
      await done;
      for (const phone of phones) if (underWay.get(phone) === done) underWay.delete(phone);
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallel, others.length) }, worker));
}

/** Whether a batch was refused for some of its messages (422), or for being too large (413): others may pass. */
function isAboutSome({ failure: { code, httpStatus } }: Rejected): boolean {
  return code === 'VALIDATION_ERROR' || httpStatus === 422 || httpStatus === 413;
}

function notTried(failure: Failure): Rejected {
  return { kind: 'rejected', failure, error: {}, unreached: false, retryAfter: null };
}

/** What a failure that ended the run means for a message that was not tried because of it. */
function forOthers(halt: Failure): Failure {
  return halt.scope === 'run' ? halt : NOT_STARTED;
}

const NOT_STARTED: Failure = {
  code: 'NOT_STARTED',
  httpStatus: null,
  message: 'Not sent, because the run ended at an earlier failure',
  description: '',
  scope: 'run',
};

/** For messages that the Stop button kept from being sent. */
export const STOPPED: Failure = {
  code: 'STOPPED',
  httpStatus: null,
  message: 'The run was stopped before this message was sent',
  description: 'A new execution sends all items again: start it only with those that were not sent.',
  scope: 'run',
};
