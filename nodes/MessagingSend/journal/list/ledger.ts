import { hash } from 'node:crypto';

import type { Asked, LedgerQueue, LedgerStorage } from './ledgerQueue';

/**
 * The state of a fact. `open`: begun, and its end is not noted. `noted`: it is true.
 *
 * A fact is a pair of entries; `open` is both, `noted` the first alone. n8n can't be asked for an entry without adding
 * it, so a question adds both for a moment: if n8n is killed then, the fact stays `open`, which sends nothing and claims
 * nothing. For the same reason the first entry comes first in the list, which drops its beginning when it gets too long.
 */
export type FactState = 'unknown' | 'open' | 'noted';

/** How many facts one call asks for: n8n blocks for some milliseconds, and a kill meanwhile leaves only these open. */
const MAX_ASKED = 100;

const HASH_LENGTH = 16;

/** Facts that outlive an execution, kept as hashes. */
export class Ledger {
  /**
   * @param secret hashed with each fact, so that nobody can guess what an entry is about
   * @param uniqueName returns a different name each time, across processes too
   */
  constructor(
    private readonly queue: LedgerQueue,
    private readonly storage: LedgerStorage,
    private readonly secret: string,
    private readonly uniqueName: () => string,
  ) {}

  async ask(facts: readonly string[]): Promise<FactState[]> {
    return (await this.look(facts)).states;
  }

  /** The same for facts that are to be claimed: what another process has written back of it would count as claimed. */
  async askBeforeClaim(facts: readonly string[]): Promise<FactState[]> {
    const { states, asked } = await this.look(facts);
    await this.queue.confirmRemoved(asked, this.storage);
    return states;
  }

  private async look(facts: readonly string[]): Promise<{ states: FactState[]; asked: Asked[] }> {
    const states: FactState[] = [];
    const asked: Asked[] = [];
    for (let start = 0; start < facts.length; start += MAX_ASKED) {
      const pairs = facts.slice(start, start + MAX_ASKED).map((fact) => this.pairOf(fact));
      const answer = await this.queue.ask(pairs.flat(), this.newMark(), this.storage);
      const { present } = answer;
      asked.push(answer);
      for (const [first, second] of pairs) {
        states.push(present.has(second) ? 'open' : present.has(first) ? 'noted' : 'unknown');
      }
    }
    return { states, asked };
  }

  /**
   * Resolves once all of it is stored, and holds it until it is closed, retracted or released.
   * @throws what the storage throws
   */
  async record({ open = [], note = [] }: { open?: readonly string[]; note?: readonly string[] }): Promise<void> {
    const entries = [...open.flatMap((fact) => this.pairOf(fact)), ...note.map((fact) => this.pairOf(fact)[0])];
    this.queue.hold(entries);
    await this.queue.record(entries, this.storage);
  }

  /**
   * Opens facts that are unknown in this process and, as far as n8n's storage shows, in all others.
   * @returns what they were before: those that were unknown are open now, and nobody else has opened them
   */
  async claim(facts: readonly string[]): Promise<FactState[]> {
    const pairs = facts.map((fact) => this.pairOf(fact));
    const wanted = pairs.map(([entry, companion]) => ({ entry, companion }));
    const { won, present } = await this.queue.claim(wanted, this.newMark(), this.storage);
    return pairs.map(([first, second]) => {
      if (won.has(first)) return 'unknown';
      return present.has(first) && !present.has(second) ? 'noted' : 'open';
    });
  }

  /** From `open` to `noted`. */
  close(facts: readonly string[]): void {
    this.queue.releaseWhenFound(this.removeSigns(facts));
  }

  /** The same for facts that other processes rely on, whatever happens to this one: they are repeated for longer. */
  closeForAll(facts: readonly string[]): void {
    this.queue.releaseWhenSafe(this.removeSigns(facts));
  }

  /** @returns what is left of them in the list */
  private removeSigns(facts: readonly string[]): string[] {
    const pairs = facts.map((fact) => this.pairOf(fact));
    this.queue.remove(
      pairs.map(([, second]) => second),
      this.storage,
    );
    return pairs.map(([first]) => first);
  }

  /** Back to `unknown`. */
  retract(facts: readonly string[]): void {
    this.queue.remove(
      facts.flatMap((fact) => this.pairOf(fact)),
      this.storage,
    );
  }

  /**
   * Notes one fact that covers others, which go back to `unknown`. Until then, those that are `open` stay so, because to
   * close them would be a write for nothing. Nothing is held any more when this resolves.
   */
  async replace(facts: readonly string[], by: string): Promise<void> {
    const pairs = facts.map((fact) => this.pairOf(fact));
    const entries = pairs.flat();
    this.queue.keep(pairs.map(([, second]) => second));
    try {
      await this.record({ note: [by] });
      this.queue.remove(entries, this.storage);
    } catch {
      // Those that it would have covered are noted or open instead.
    }
    this.queue.release(entries);
    this.release([by]);
  }

  /** Resolves once what was closed and retracted so far is stored, as far as the storage takes it. */
  async whenWritten(): Promise<void> {
    await this.queue.whenWritten();
  }

  /** They are stored: another process that overwrites them later had not read them. */
  releaseWhenFound(facts: readonly string[]): void {
    this.queue.releaseWhenFound(facts.flatMap((fact) => this.pairOf(fact)));
  }

  /** The run has ended: another process that overwrites these facts now does so without harm. */
  release(facts: readonly string[]): void {
    this.queue.release(facts.flatMap((fact) => this.pairOf(fact)));
  }

  private newMark(): string {
    return this.pairOf(this.uniqueName())[0];
  }

  private pairOf(fact: string): [first: string, second: string] {
    const entry = hash('sha256', JSON.stringify([this.secret, fact]), 'base64').slice(0, HASH_LENGTH);
    return [entry, `${entry}?`];
  }
}
