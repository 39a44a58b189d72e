import { hash } from 'node:crypto';

import type { Answer, FactList, FactState, ListStorage } from './factList';

/** How many facts one call asks for: n8n blocks for some milliseconds, and a kill at that moment leaves only these open. */
const MAX_ASKED = 100;

const HASH_LENGTH = 16;

/** Facts that outlive an execution, as one run sees them: named by texts, and kept as hashes. */
export class Facts {
  /**
   * @param secret hashed with each fact, so that nobody can guess what an entry is about
   * @param uniqueName returns a different name each time, across processes too
   * @param isShared whether other executions rely on these facts, whatever happens to this process
   */
  constructor(
    private readonly list: FactList,
    private readonly storage: ListStorage,
    private readonly secret: string,
    private readonly uniqueName: () => string,
    private readonly isShared: boolean,
  ) {}

  /** {@link FactList.enter} */
  enter(): void {
    this.list.enter();
  }

  /** {@link FactList.leave} */
  leave(): void {
    this.list.leave(this.storage);
  }

  /** @throws what the storage throws */
  async ask(facts: readonly string[]): Promise<FactState[]> {
    return (await this.answers(facts)).flatMap(({ states }) => states);
  }

  /** Like {@link ask}, then removes what other processes have written back: it would count as claimed. */
  async askBeforeClaim(facts: readonly string[]): Promise<FactState[]> {
    const answers = await this.answers(facts);
    await this.list.confirmRemoved(answers, this.storage);
    return answers.flatMap(({ states }) => states);
  }

  private async answers(facts: readonly string[]): Promise<Answer[]> {
    const answers: Answer[] = [];
    for (let start = 0; start < facts.length; start += MAX_ASKED) {
      const asked = this.hashed(facts.slice(start, start + MAX_ASKED));
      answers.push(await this.list.ask(asked, this.newMark(), this.storage));
    }
    return answers;
  }

  /**
   * {@link FactList.record}
   * @param begin facts that are opened for the first time
   * @returns whether another process has begun one of these before
   */
  async record({
    begin = [],
    open = [],
    note = [],
  }: Partial<Record<'begin' | 'open' | 'note', readonly string[]>>): Promise<boolean> {
    const begun = this.hashed(begin);
    const found = await this.list.record(
      { open: [...begun, ...this.hashed(open)], note: this.hashed(note) },
      this.storage,
    );
    return found.size > 0 && begun.some((fact) => found.has(fact));
  }

  /** {@link FactList.claim} @returns what each was before, in the same order */
  async claim(facts: readonly string[]): Promise<FactState[]> {
    const hashed = this.hashed(facts);
    const before = await this.list.claim(hashed, this.newMark(), this.storage);
    return hashed.map((fact) => before.get(fact) ?? 'open');
  }

  /** {@link FactList.whenSettled} */
  whenSettled(fact: string): Promise<void> | null {
    return this.list.whenSettled(this.hash(fact));
  }

  /** From open to noted. */
  close(facts: readonly string[]): void {
    this.list.close(this.hashed(facts), this.isShared, this.storage);
  }

  /** Back to unknown. */
  retract(facts: readonly string[]): void {
    this.list.retract(this.hashed(facts), this.storage);
  }

  /** {@link FactList.replace} */
  async replace(facts: readonly string[], by: string): Promise<void> {
    await this.list.replace(this.hashed(facts), this.hash(by), this.storage);
  }

  /** {@link FactList.whenWritten} */
  async whenWritten(): Promise<void> {
    await this.list.whenWritten();
  }

  /** {@link FactList.releaseWhenFound} */
  releaseWhenFound(facts: readonly string[]): void {
    this.list.releaseWhenFound(this.hashed(facts), this.isShared);
  }

  /** {@link FactList.release} */
  release(facts: readonly string[]): void {
    this.list.release(this.hashed(facts));
  }

  private newMark(): string {
    return this.hash(this.uniqueName());
  }

  private hashed(facts: readonly string[]): string[] {
    return facts.map((fact) => this.hash(fact));
  }

  private hash(fact: string): string {
    return hash('sha256', JSON.stringify([this.secret, fact]), 'base64').slice(0, HASH_LENGTH);
  }
}
