import { duplicateKey, type Message } from '../../messages/message';
import { mayBeSent, type Outcome, type Result } from '../../messages/outcome';
import type { FactState } from '../list/factList';
import type { Facts } from '../list/facts';

/** Messages that other executions have: `noted` ones were sent, `open` ones may have been. */
export type Taken = ReadonlyMap<Message, Exclude<FactState, 'unknown'>>;

/**
 * The messages that all executions have sent from an account. A message is reserved before its request leaves, and
 * given up only if it was certainly not sent.
 */
export class Reservations {
  private readonly own = new Set<Message>();
  /** Until when messages wait for other runs of this process, in milliseconds of the list's clock. */
  private readonly patience = new Map<Message, number>();

  /**
   * @param maxWait how long a message may wait for another run of this process, in milliseconds
   * @param earlier what an earlier attempt may have sent: never given up, and taken only if noted as sent
   */
  constructor(
    private readonly facts: Facts,
    private readonly maxWait: number,
    private readonly earlier: Pick<ReadonlySet<Message>, 'has'>,
  ) {}

  /** Whether another run of this process has some of these in flight, and they may still wait for it. */
  mustWait(messages: readonly Message[]): boolean {
    const { now, known } = this.facts.list;
    const facts = this.factsOf(messages);
    return messages.some((message, index) => {
      if (this.own.has(message) || this.earlier.has(message) || !known.isInFlight(facts[index] ?? '')) return false;
      const end = this.patience.get(message) ?? now() + this.maxWait;
      this.patience.set(message, end);
      return now() < end;
    });
  }

  /**
   * Finds messages that were sent or reserved before, and reserves none. Leaves out those that must wait for another
   * run of this process.
   * @throws what the storage throws
   */
  async find(messages: readonly Message[]): Promise<Taken> {
    const taken = this.takenOf(messages, await this.facts.ask(this.factsOf(messages)));
    return new Map([...taken].filter(([message, state]) => state !== 'open' || !this.mustWait([message])));
  }

  /**
   * Reserves messages that are not reserved yet: all of them, or none.
   * @returns the messages that can't be reserved
   * @throws what the storage throws
   */
  async reserve(messages: readonly Message[]): Promise<Taken> {
    const left = messages.filter((message) => !this.own.has(message));
    const facts = this.factsOf(left);
    const states = left.length === 0 ? [] : await this.facts.claim(facts);
    const taken = this.takenOf(left, states);
    if (taken.size === 0) for (const message of left) this.own.add(message);
    else this.facts.retract(facts.filter((_fact, index) => states[index] === 'unknown'));
    return taken;
  }

  private takenOf(messages: readonly Message[], states: readonly FactState[]): Taken {
    const taken = new Map<Message, Exclude<FactState, 'unknown'>>();
    for (const [index, message] of messages.entries()) {
      const state = states[index] ?? 'open';
      if (state !== 'unknown' && !(state === 'open' && this.earlier.has(message))) taken.set(message, state);
    }
    return taken;
  }

  giveUp(messages: readonly Message[]): void {
    const given = messages.filter((message) => !this.earlier.has(message) && this.own.delete(message));
    this.facts.retract(this.factsOf(given));
  }

  /** Keeps messages that were sent, or may have been, and gives up the rest. */
  settle(results: readonly Result[]): void {
    const own = results.filter(({ message }) => this.own.has(message));
    const ownWhere = (are: (outcome: Outcome) => boolean) =>
      own.filter(({ outcome }) => are(outcome)).map(({ message }) => message);
    this.facts.close(this.factsOf(ownWhere(({ kind }) => kind === 'sent')));
    // No other run has to wait for these any longer: nobody will learn their outcome.
    this.facts.releaseWhenFound(this.factsOf(ownWhere(({ kind }) => kind === 'uncertain')));
    this.giveUp(ownWhere((outcome) => !mayBeSent(outcome)));
  }

  /** Called when the run has ended: reserved messages stay reserved. Resolves once all of it is stored. */
  async end(): Promise<void> {
    await this.facts.list.turns.last;
    this.facts.release(this.factsOf([...this.own]));
    this.facts.end();
  }

  private factsOf(messages: readonly Message[]): string[] {
    return this.facts.of(messages.map(duplicateKey));
  }
}
