import { type Message, samenessOf } from '../../messages/message';
import type { Result } from '../../messages/outcome';
import type { FactState, Ledger } from '../list/ledger';

/** Messages that other executions have: `noted` were sent, of those that are `open` nobody knows. */
export type Taken = ReadonlyMap<Message, Exclude<FactState, 'unknown'>>;

/**
 * Which messages have been sent from an account, in all executions. A message is reserved before its request leaves,
 * and released only if it was certainly not sent.
 */
export class Reservations {
  private readonly own = new Set<Message>();
  /** Of an earlier attempt of this execution, which may have sent them: never given up. */
  private readonly earlier = new Set<Message>();

  constructor(private readonly ledger: Ledger) {}

  /** Those that were sent or reserved before; reserves none. */
  async find(messages: readonly Message[]): Promise<Taken> {
    const taken = takenOf(messages, await this.ledger.askBeforeClaim(messages.map(samenessOf)));
    return new Map([...taken].filter(([message, state]) => state === 'noted' || !this.earlier.has(message)));
  }

  /**
   * Reserves messages that are not reserved yet.
   * @returns those that another execution was faster with, or that are known to be sent; if there are any, none is reserved
   */
  async reserve(messages: readonly Message[]): Promise<Taken> {
    const left = messages.filter((message) => !this.own.has(message));
    const sent = await this.reserveEarlier(left.filter((message) => this.earlier.has(message)));
    const wanted = left.filter((message) => !this.earlier.has(message));
    const states = wanted.length === 0 ? [] : await this.ledger.claim(wanted.map(samenessOf));
    const taken = sent.size === 0 ? takenOf(wanted, states) : new Map([...sent, ...takenOf(wanted, states)]);
    const won = wanted.filter((message) => !taken.has(message));
    if (taken.size > 0) this.ledger.retract(won.map(samenessOf));
    else for (const message of won) this.own.add(message);
    return taken;
  }

  /** Takes over messages that an earlier attempt of this execution may have sent: only that they were sent counts. */
  takeOver(messages: Iterable<Message>): void {
    for (const message of messages) this.earlier.add(message);
  }

  /**
   * The earlier attempt may have reserved none, because it had another setting, or its reservations may have fallen out
   * of the list.
   * @returns those that are known to be sent
   */
  private async reserveEarlier(messages: readonly Message[]): Promise<Taken> {
    if (messages.length === 0) return new Map();
    const sent = await this.find(messages);
    const left = messages.filter((message) => !sent.has(message));
    await this.ledger.record({ open: left.map(samenessOf) });
    for (const message of left) this.own.add(message);
    return sent;
  }

  /** Called when the run has ended: what is reserved stays so. Resolves once all of it is stored. */
  async end(): Promise<void> {
    await this.ledger.whenWritten();
    this.ledger.release([...this.own, ...this.earlier].map(samenessOf));
  }

  /** Gives up what is not sent after all. */
  release(messages: readonly Message[]): void {
    const given = messages.filter((message) => !this.earlier.has(message) && this.own.delete(message));
    this.ledger.retract(given.map(samenessOf));
  }

  /** Keeps what was sent, or may have been, and releases the rest. */
  settle(results: readonly Result[]): void {
    const those = (kind: 'sent' | 'not_sent') =>
      results.filter(({ outcome }) => outcome.kind === kind).map(({ message }) => message);
    const sent = those('sent').filter((message) => this.own.has(message));
    if (sent.length > 0) this.ledger.closeForAll(sent.map(samenessOf));
    this.release(those('not_sent'));
  }
}

function takenOf(messages: readonly Message[], states: readonly FactState[]): Taken {
  const taken = new Map<Message, Exclude<FactState, 'unknown'>>();
  for (const [index, message] of messages.entries()) {
    const state = states[index] ?? 'open';
    if (state !== 'unknown') taken.set(message, state);
  }
  return taken;
}
