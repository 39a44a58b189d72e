import { type Message, samenessOf } from '../messages/message';
import type { Result } from '../messages/outcome';
import type { FactState, Ledger } from './ledger';

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
    return takenOf(messages, await this.ledger.askBeforeClaim(messages.map(samenessOf)));
  }

  /**
   * Reserves messages that are not reserved yet.
   * @returns those that another execution was faster with; if there are any, none is reserved
   */
  async reserve(messages: readonly Message[]): Promise<Taken> {
    await this.keepEarlier(messages);
    const wanted = messages.filter((message) => !this.own.has(message));
    if (wanted.length === 0) return new Map();
    const states = await this.ledger.claim(wanted.map(samenessOf));
    const taken = takenOf(wanted, states);
    const won = wanted.filter((message) => !taken.has(message));
    if (taken.size > 0) this.ledger.retract(won.map(samenessOf));
    else for (const message of won) this.own.add(message);
    return taken;
  }

  /** Takes over messages that an earlier attempt of this execution may have sent: nobody else's reservation counts. */
  takeOver(messages: Iterable<Message>): void {
    for (const message of messages) this.earlier.add(message);
  }

  /** The earlier attempt may have had another setting, or its reservations have fallen out of the list. */
  private async keepEarlier(messages: readonly Message[]): Promise<void> {
    const earlier = messages.filter((message) => this.earlier.has(message) && !this.own.has(message));
    if (earlier.length === 0) return;
    await this.ledger.record({ open: earlier.map(samenessOf) });
    for (const message of earlier) this.own.add(message);
  }

  /** Called when the run has ended: what is reserved stays so. Resolves once all of it is stored. */
  async end(): Promise<void> {
    await this.ledger.whenWritten();
    this.ledger.release([...this.own].map(samenessOf));
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
