/**
 * Sends batches: which one is next, whether it may leave, its request, what the reply means for its messages, and what
 * follows from it for the others. Read it from top to bottom.
 */
import type { JsonObject } from '../api/objects';
import type { Reply } from '../api/reply';
import { failure } from '../failures/failure';
import type { Journal, Permission } from '../journal/journal';
import type { Reservations } from '../journal/reservations';
import { type Batch, failed, isOpen, type Outcome, type Row, settle, textCount } from '../messages/row';
import type { Flight, Requests } from '../requests/requests';
import { CircuitBreaker, type Outages, type Pass } from './circuitBreaker';
import { NOT_LISTED, type SendOperation } from './operation';
import { offendersIn, type Rejection, searchInHalves } from './search';
import { type DeliveryOptions, type KeepBack, select } from './select';

/** Everything that a dispatch needs besides its batches. It has no clock, network or signal of its own. */
export interface DispatchConfig extends Pick<DeliveryOptions, 'parallelRequests'> {
  readonly operation: SendOperation;
  readonly requests: Pick<Requests, 'make' | 'probe' | 'halt' | 'whyHalted' | 'wait'>;
  readonly journal: Pick<Journal, 'beforeRequest' | 'afterFlight' | 'note'>;
  /** What all executions have sent from the account; null if each may send it again. */
  readonly reservations: Reservations | null;
  readonly outages: Outages;
  /** Decides which messages the user doesn't want sent; null if all may be sent. */
  readonly keepBack: KeepBack | null;
  /** Whether the first failure ends the run: no request starts after it, and none at all if a message can't be sent. */
  readonly stopOnFailure: boolean;
  /** Called with the number of messages that got their outcomes. */
  readonly onSettled: (messages: number) => void;
  /** Lets other work in this process run; called after each batch. */
  readonly pause: () => Promise<void>;
}

/**
 * Packs messages into requests. A message is never divided: all parts of its text are in one batch.
 * @param size in texts; a message with more parts gets a batch of its own
 * @param lastNumber the number of the batch before the first one
 */
export function pack(rows: readonly Row[], size: number, lastNumber = 0): Batch[] {
  const batches: Row[][] = [];
  let [batch, texts] = [[] as Row[], Infinity];
  for (const row of rows) {
    const own = textCount(row);
    if (texts + own > size) {
      batches.push((batch = []));
      texts = 0;
    }
    batch.push(row);
    row.batch = lastNumber + batches.length;
    texts += own;
  }
  return batches;
}

/** How long to wait, in milliseconds, before asking again about a message that another run has in flight. */
const ASK_AGAIN_AFTER = 200;

/** Sends the batches of one account. */
export class Dispatch {
  private readonly breaker: CircuitBreaker;
  private readonly rejectedInARow = { count: 0 };
  private lastSearch: Promise<void> = Promise.resolve();

  constructor(private readonly config: DispatchConfig) {
    this.breaker = new CircuitBreaker(config.requests, config.outages);
  }

  /**
   * Sends several batches at once, in their order, but never two that share a person: messages to one person arrive in
   * order. Every open row gets its outcome.
   */
  async sendAll(batches: readonly Batch[]): Promise<void> {
    const inProgress = new Map<string, Promise<void>>();
    const queue = batches.values();
    const workThroughQueue = async (): Promise<void> => {
      for (const batch of queue) {
        const shared = batch.filter(({ isOneOfSeveral }) => isOneOfSeveral).map(({ person }) => person);
        const earlier = new Set(shared.flatMap((person) => inProgress.get(person) ?? []));
        const done = Promise.all(earlier).then(async () => await this.sendBatch(batch));
        for (const person of shared) inProgress.set(person, done);
        await done;
      }
    };
    // The user may have entered any number for "without limit".
    const length = Math.min(this.config.parallelRequests, batches.length);
    await Promise.all(Array.from({ length }, workThroughQueue));
  }

  /** If a batch is rejected because of some of its messages, finds those, and sends the others. */
  private async sendBatch(batch: Batch): Promise<void> {
    const rejection = await this.requestBatch(batch);
    if (rejection !== null) await this.sendOthers(rejection);
    await this.config.pause();
  }

  private async sendOthers(rejection: Rejection): Promise<void> {
    const offenders = offendersIn(rejection);
    const others = rejection.batch.filter((row) => !offenders.has(row));
    if (offenders.size > 0 && (await this.requestBatch(others)) === null)
      this.settleAll([...offenders.keys()], (row) => failed(offenders.get(row) ?? rejection.reply.failure));
    // Nobody is named, or the details were misleading: they may count from 1, or name only the first message.
    else await this.search({ ...rejection, batch: rejection.batch.filter(isOpen) });
  }

  /** One batch at a time, so that rejections in a row mean something. */
  private async search(rejection: Rejection): Promise<void> {
    const send = async (half: Batch) => await this.requestBatch(half);
    const reject = (found: Rejection) => this.settleAll(found.batch, () => failed(found.reply.failure));
    const search = async () => await searchInHalves(rejection, send, reject, this.rejectedInARow);
    await (this.lastSearch = this.lastSearch.then(search));
  }

  /**
   * Makes one request for what is left of a batch, and settles its messages.
   * @returns null once they are settled, else why they were rejected, perhaps because of some of them
   */
  private async requestBatch(batch: Batch): Promise<Rejection | null> {
    const made = await this.makeRequest(batch);
    if (made === null) return null;
    const { operation, requests, stopOnFailure } = this.config;
    const { batch: rows, reply, isValid } = made;
    if (reply.kind === 'accepted') {
      this.rejectedInARow.count = 0;
      const outcomes = operation.outcomes(rows, reply.data);
      // Without the entries of messages: the outcomes contain what they say.
      const data: JsonObject = { ...reply.data };
      delete data.messages;
      this.settleAll(rows, (_row, index) => outcomes[index] ?? NOT_LISTED, data);
    } else if (reply.kind === 'uncertain') {
      for (const row of rows) row.isUnanswered = true;
      this.settleAll(rows, () => failed(reply.failure));
    } else if (stopOnFailure || reply.failure.scope === 'run') {
      const offenders = offendersIn({ batch: rows, reply });
      // First, because `settleAll` would halt with what the reply says of one message.
      if (reply.failure.scope === 'run') requests.halt(reply.failure);
      // If the reply names some of the messages, the others are not to blame: they count as not started.
      const others = offenders.size > 0 && reply.failure.scope !== 'run' ? failure('notStarted') : reply.failure;
      this.settleAll(rows, (row) => failed(offenders.get(row) ?? others));
    }
    // The next request may leave: the outcomes have shown whether the run goes on. An answer that confirms nothing counts
    // as none.
    const { outcome: first } = rows[0] ?? {};
    const isUnclear = first?.kind === 'uncertain' && rows.every(({ outcome }) => outcome?.kind === 'uncertain');
    this.breaker.end(isValid, isUnclear ? first : reply);
    return reply.kind === 'rejected' && rows.some(isOpen) ? { batch: rows, reply } : null;
  }

  /**
   * Makes the request as soon as breaker and journal allow it.
   * @returns the batch without messages that were kept back, or that others have; null if nothing was requested, and all is
   * settled
   */
  private async makeRequest(batch: Batch): Promise<{ batch: Batch; reply: Reply; isValid: Pass } | null> {
    let left = batch;
    try {
      for (; left.length > 0; left = left.filter(isOpen)) {
        const isValid = await this.breaker.admit();
        const reply = await this.tryRequest(left, isValid);
        if (reply !== null) return { batch: left, reply, isValid };
      }
    } catch {
      // The run has ended, or was stopped, during a wait.
    }
    // If the run has not ended, only the Stop button can be the reason; n8n itself tells the user.
    const why = this.config.requests.whyHalted ?? failure('stopped');
    this.settleAll(left.filter(isOpen), () => failed(why));
    return null;
  }

  /** @returns null if it may leave later @throws if the run has ended */
  private async tryRequest(batch: Batch, isValid: Pass): Promise<Reply | null> {
    const { operation, requests, journal, reservations, keepBack, pause, onSettled } = this.config;
    let permission: Permission = 'leave';
    const flight: Flight = {
      beforeRequest: async () => {
        if (!isValid()) return false;
        permission = await journal.beforeRequest(batch, reservations);
        if (permission !== 'leave') return false;
        // A window may have closed since the request was planned, or first made, or while n8n's database took its time.
        const keptBack = keepBack === null ? [] : await select(batch, { isOnce: false, keepBack, pause });
        if (keptBack.length > 0) permission = 'changed';
        else if (isValid()) return true;
        journal.afterFlight(batch);
        journal.note(keptBack, reservations);
        return false;
      },
      afterFlight: () => journal.afterFlight(batch),
    };
    const reply = await requests.make(operation.requestFor(batch), flight).catch(() => null);
    if (reply !== null) return reply;
    this.breaker.end(isValid, null);
    // The flight has assigned it, which TypeScript doesn't see.
    const given = permission as Permission;
    if (given === 'leave' && isValid()) throw new Error('the run has ended');
    // It may wait for long, and others may send what it has reserved.
    if (given === 'leave') reservations?.giveUp(batch);
    else if (given === 'wait') await requests.wait(ASK_AGAIN_AFTER);
    else if (given === 'changed') onSettled(batch.filter((row) => !isOpen(row)).length);
    else this.settleAll(batch, () => failed(given));
    return null;
  }

  /** Settles messages, notes them, and ends the run if an outcome means that every other request would fail. */
  private settleAll(
    batch: Batch,
    outcomeOf: (row: Row, index: number) => Outcome,
    data: JsonObject | null = null,
  ): void {
    if (batch.length === 0) return;
    const { requests, journal, reservations, stopOnFailure, onSettled } = this.config;
    batch.forEach((row, index) => {
      const outcome = outcomeOf(row, index);
      row.data = data;
      settle(row, outcome);
      if (!('failure' in outcome)) return;
      if (outcome.failure.scope === 'run') requests.halt(outcome.failure);
      else if (stopOnFailure) requests.halt(failure('notStarted'));
    });
    journal.note(batch, reservations);
    onSettled(batch.length);
  }
}
