import { duplicateKey, type Message } from '../../messages/message';
import type { Result } from '../../messages/outcome';
import type { FactState } from '../list/factList';
import type { Facts } from '../list/facts';

/** Messages that other executions have: `noted` were sent, of those that are `open` nobody knows. */
export type Taken = ReadonlyMap<Message, Exclude<FactState, 'unknown'>>;

/** Messages that an earlier attempt of this execution may have sent. */
export type Earlier = Pick<ReadonlySet<Message>, 'has'>;

/** The result of an attempt to reserve messages: all of them are reserved, or none is. */
export type Reserved =
  | { readonly kind: 'reserved' }
  | { readonly kind: 'taken'; readonly taken: Taken }
  /** Another run of this process has some in flight; resolves when it has settled one. */
  | { readonly kind: 'inFlight'; readonly settled: Promise<void> };

/**
 * Which messages have been sent from an account, in all executions. A message is reserved before its request leaves,
 * and released only if it was certainly not sent.
 */
export class Reservations {
  private readonly own = new Set<Message>();

  /**
   * @param isPatient whether a message may still wait for another run of this process
   * @param earlier these are never given up, and only that they were sent counts
   */
  constructor(
    private readonly facts: Facts,
    private readonly isPatient: (message: Message) => boolean,
    private readonly earlier: Earlier,
  ) {}

  /**
   * Finds messages that were sent or reserved before, without reserving any. One that another run of this process has in
   * flight is not among them.
   * @throws what the storage throws
   */
  async find(messages: readonly Message[]): Promise<Taken> {
    return this.takenOf(messages, await this.facts.ask(this.factsOf(messages))).taken;
  }

  /**
   * Reserves messages that are not reserved yet.
   * @throws what the storage throws
   */
  async reserve(messages: readonly Message[]): Promise<Reserved> {
    const left = messages.filter((message) => !this.own.has(message));
    const states = left.length === 0 ? [] : await this.facts.claim(this.factsOf(left));
    const { taken, settled } = this.takenOf(left, states);
    if (taken.size + settled.length === 0) {
      for (const message of left) this.own.add(message);
      return { kind: 'reserved' };
    }
    this.facts.retract(this.factsOf(left.filter((_message, index) => states[index] === 'unknown')));
    if (taken.size > 0) return { kind: 'taken', taken };
    return { kind: 'inFlight', settled: Promise.race(settled) };
  }

  private takenOf(
    messages: readonly Message[],
    states: readonly FactState[],
  ): { readonly taken: Taken; readonly settled: ReadonlyArray<Promise<void>> } {
    const taken = new Map<Message, Exclude<FactState, 'unknown'>>();
    const settled: Array<Promise<void>> = [];
    for (const [index, message] of messages.entries()) {
      const state = states[index] ?? 'open';
      if (state === 'unknown' || (state === 'open' && this.earlier.has(message))) continue;
      const [fact = ''] = state === 'open' ? this.factsOf([message]) : [];
      const inFlight = this.facts.whenSettled(fact);
      if (inFlight !== null && this.isPatient(message)) settled.push(inFlight);
      else taken.set(message, state);
    }
    return { taken, settled };
  }

  giveUp(messages: readonly Message[]): void {
    const given = messages.filter((message) => !this.earlier.has(message) && this.own.delete(message));
    this.facts.retract(this.factsOf(given));
  }

  /** Keeps what was sent, or may have been, and releases the rest. */
  settle(results: readonly Result[]): void {
    const own = {
      sent: [] as Message[],
      uncertain: [] as Message[],
      not_sent: [] as Message[],
      skipped: [] as Message[],
    };
    for (const { message, outcome } of results) if (this.own.has(message)) own[outcome.kind].push(message);
    this.facts.close(this.factsOf(own.sent));
    // Nobody need wait for their outcome any more.
    this.facts.releaseWhenFound(this.factsOf(own.uncertain));
    this.giveUp([...own.not_sent, ...own.skipped]);
  }

  /** The run has ended: what is reserved stays so. Resolves once all of it is stored. */
  async end(): Promise<void> {
    await this.facts.list.turns.last;
    this.facts.release(this.factsOf([...this.own]));
    this.facts.end();
  }

  private factsOf(messages: readonly Message[]): string[] {
    return this.facts.of(messages.map(duplicateKey));
  }
}
