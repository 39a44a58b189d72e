import { hash, randomBytes } from 'node:crypto';

import { entriesOfOpen, type FactList, type FactState, type ListStorage, stateIn } from './factList';

/** How many facts one call asks for: n8n blocks for some milliseconds, and a kill at that moment leaves only these open. */
const MAX_ASKED = 100;

/** How many answers one write confirms: each has up to 200 entries. */
const CONFIRMED_TOGETHER = 4;

/** No process takes longer from reading the list to writing it back, in milliseconds. */
const LONGEST_WRITE = 2_000;

/** How often an overwritten write is repeated: another process may write without a pause for many seconds. */
const MAX_ATTEMPTS = 25;

const HASH_LENGTH = 16;

/** What the list had of some facts. */
interface Asked {
  readonly states: readonly FactState[];
  /** An entry of this question alone: where it comes back, another process has written back what was added for it. */
  readonly mark: string;
  readonly added: readonly string[];
}

/** Facts that outlive an execution, as one run sees them: named by texts, and kept as hashes. */
export class Facts {
  /**
   * @param secret hashed with each fact, so that nobody can guess what an entry is about
   * @param isShared whether other executions rely on these facts, whatever happens to this process
   */
  constructor(
    private readonly list: FactList,
    private readonly storage: ListStorage,
    private readonly secret: string,
    private readonly isShared: boolean,
  ) {
    list.runs += 1;
  }

  /**
   * Called when the run has ended. Others may now overwrite these facts without harm. While other runs of this process go
   * on, all that is in the list may be what they rely on.
   */
  runEnded(names: readonly string[]): void {
    const { list, storage } = this;
    for (const fact of this.hashed(names)) list.changeHold(fact, null);
    list.runs -= 1;
    if (list.runs === 0) void list.inTurn(async () => await storage.shorten()).catch(() => undefined);
  }

  /** @throws what the storage throws */
  async ask(names: readonly string[]): Promise<FactState[]> {
    return (await this.answers(names)).flatMap(({ states }) => states);
  }

  /** Like {@link ask}, then removes what other processes have written back: it would count as claimed. */
  async askBeforeClaim(names: readonly string[]): Promise<FactState[]> {
    const answers = await this.answers(names);
    let open = answers.filter(({ added }) => added.length > 0);
    for (let attempt = 0; open.length > 0 && attempt < MAX_ATTEMPTS; attempt += 1) {
      await this.storage.waitForOthers(attempt);
      const back: Asked[] = [];
      for (let start = 0; start < open.length; start += CONFIRMED_TOGETHER) {
        const some = open.slice(start, start + CONFIRMED_TOGETHER);
        back.push(...(await this.list.inTurn(async () => await this.removeWrittenBack(some))));
      }
      open = back;
    }
    return answers.flatMap(({ states }) => states);
  }

  private async answers(names: readonly string[]): Promise<Asked[]> {
    const answers: Asked[] = [];
    for (let start = 0; start < names.length; start += MAX_ASKED) {
      const facts = this.hashed(names.slice(start, start + MAX_ASKED));
      answers.push(await this.list.inTurn(async () => await this.answer(facts)));
    }
    return answers;
  }

  private async answer(facts: readonly string[]): Promise<Asked> {
    const { list, storage } = this;
    const mark = randomBytes(12).toString('base64');
    // What is known now may be in the list alone by the time of its answer.
    const known = facts.map((fact) => list.stateOf(fact));
    const asked = facts.filter((_fact, index) => known[index] === undefined);
    const entries = asked.flatMap(entriesOfOpen);
    const present = entries.length === 0 ? new Set<string>() : await storage.record([mark, ...entries]);
    const added = entries.filter((entry) => !present.has(entry));
    if (entries.length > 0) {
      await storage.remove([mark, ...added]).catch(() => this.removeLater([...asked, mark], present));
    }
    const states = facts.map((fact, index) => list.stateOf(fact) ?? known[index] ?? stateIn(present, fact));
    return { states, mark, added };
  }

  /** What a question added and has not removed. */
  private removeLater(facts: readonly string[], present: ReadonlySet<string>): void {
    for (const fact of facts) {
      const state = stateIn(present, fact);
      if (this.list.stateOf(fact) === undefined && state !== 'open') this.list.set(fact, state, null, true);
    }
    this.list.removeSurplus(this.storage);
  }

  /** @returns the answers that another process had written back */
  private async removeWrittenBack(answers: readonly Asked[]): Promise<Asked[]> {
    const marks = answers.map(({ mark }) => mark);
    const present = await this.storage.record(marks);
    const back = answers.filter(({ mark }) => present.has(mark));
    // One write removes both: an entry that is written back after it comes back with its mark.
    const added = this.list.withoutKnown(back.flatMap((each) => each.added));
    await this.storage.remove([...marks, ...added]);
    return back;
  }

  /**
   * Resolves once these facts are stored. They are held until they are closed, retracted or released.
   * @param bar facts that nobody else may open any more
   * @param fresh facts of these that nobody else may have begun
   * @returns whether another process has begun one of them
   * @throws what the storage throws
   */
  async record({
    open = [],
    note = [],
    bar = [],
    fresh = [],
  }: Partial<Record<'open' | 'note' | 'bar' | 'fresh', readonly string[]>>): Promise<boolean> {
    const { list } = this;
    const begun = this.hashed(fresh).filter((fact) => list.stateOf(fact) === undefined);
    for (const fact of this.hashed(open)) list.set(fact, 'open', 'held');
    for (const fact of this.hashed(note)) list.set(fact, 'noted', 'held');
    for (const fact of this.hashed(bar)) list.set(fact, 'barred', 'held');
    const present = await list.write([], this.storage);
    return begun.some((fact) => entriesOfOpen(fact).some((entry) => present.has(entry)));
  }

  /** Whether a run of this process has the fact, or has just had it. */
  isKnown(name: string): boolean {
    return this.list.stateOf(entryOf(name, this.secret)) !== undefined;
  }

  /**
   * Opens facts that nobody else has. Another process may have read the list before they were in it, and write it back
   * afterwards. So they are looked for once more when such a write has most likely ended.
   * @returns what each was before: an unknown one is now held by the caller
   * @throws what the storage throws, and where others overwrite each write; then nothing is claimed
   */
  async claim(names: readonly string[]): Promise<FactState[]> {
    const { list, storage } = this;
    const facts = this.hashed(names);
    await list.finishRemoval(facts, storage);
    const before = new Map(facts.map((fact) => [fact, list.stateOf(fact)]));
    const open = new Set(facts.filter((fact) => before.get(fact) === undefined));
    const states = () => facts.map((fact) => before.get(fact) ?? 'unknown');
    if (open.size === 0) return states();
    for (const fact of open) list.set(fact, 'open', 'claiming');
    const mark = randomBytes(12).toString('base64');
    let isAdded = false;
    try {
      for (let attempt = 0; open.size > 0; attempt += 1) {
        if (attempt > MAX_ATTEMPTS) throw new Error('other processes overwrite every claim');
        if (attempt > 0) await storage.waitForOthers(attempt - 1);
        const present = await list.write([mark, ...[...open].flatMap(entriesOfOpen)], storage);
        if (present.has(mark) && isAdded) break;
        if (present.has(mark)) throw new Error('a write that was reported as failed had been stored');
        // The list is new, or what another process wrote over it, and what nobody had was added.
        isAdded = true;
        for (const fact of open) {
          const state = stateIn(present, fact);
          if (state === 'unknown') continue;
          before.set(fact, state);
          open.delete(fact);
          // The claim has added a pending marker to what is noted.
          list.set(fact, state, null, state === 'noted');
        }
        list.removeSurplus(storage);
      }
      for (const fact of open) list.changeHold(fact, 'held');
      open.clear();
      return states();
    } finally {
      // Where the first write failed, nobody knows whose entries there are.
      for (const fact of open) list.set(fact, 'unknown', null, isAdded);
      list.set(mark, 'unknown', null, true);
      list.removeSurplus(storage);
    }
  }

  /** @returns a promise that resolves when a run of this process has settled the fact; null where none has it in flight */
  whenSettled(name: string): Promise<void> | null {
    return this.list.whenSettled(entryOf(name, this.secret));
  }

  /** From open to noted. */
  close(names: readonly string[]): void {
    const hold = { untilFoundAfter: this.lastOverwrite };
    for (const fact of this.hashed(names)) this.list.set(fact, 'noted', hold, true);
    this.list.removeSurplus(this.storage);
  }

  retract(names: readonly string[]): void {
    for (const fact of this.hashed(names)) this.list.set(fact, 'unknown', null, true);
    this.list.removeSurplus(this.storage);
  }

  /**
   * Notes one fact in place of others, which become unknown. Their pending markers stay until then: to remove them first
   * would be a write for nothing.
   * @throws what the storage throws; then the facts are as they were
   */
  async replace(names: readonly string[], by: string): Promise<void> {
    for (const fact of this.hashed(names)) this.list.set(fact, 'noted', { untilFoundAfter: -Infinity }, false);
    await this.record({ note: [by] });
    this.retract(names);
  }

  /** Releases facts once a later write has found them: the one that added them may have been overwritten. */
  releaseWhenFound(names: readonly string[]): void {
    for (const fact of this.hashed(names)) this.list.releaseWhenFound(fact, this.lastOverwrite);
  }

  /** Resolves when all changes so far are stored, as far as the storage takes them. */
  async whenWritten(): Promise<void> {
    await this.list.whenWritten();
  }

  /** When another process can no more overwrite what is in the list now, where others rely on that. */
  private get lastOverwrite(): number {
    return this.isShared ? this.list.now() + LONGEST_WRITE : -Infinity;
  }

  private hashed(names: readonly string[]): string[] {
    return names.map((name) => entryOf(name, this.secret));
  }
}

/** The entry of a noted fact. */
export function entryOf(name: string, secret: string): string {
  return hash('sha256', JSON.stringify([secret, name]), 'base64').slice(0, HASH_LENGTH);
}
