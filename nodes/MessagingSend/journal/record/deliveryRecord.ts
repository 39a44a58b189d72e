import { isRecord, type JsonRecord } from '../../api/records';
import { failure } from '../../failures/failure';
import { mayHaveBeenSent, type Outcome, type Row } from '../../messages/row';
import { digestOfName, markOf, readReceipt, type Receipt, type Recorded, writeReceipt } from './storedReceipt';

/** The outcome of a message in an earlier attempt. */
export type Past = Pick<Recorded, 'outcome' | 'batch' | 'data'>;

/** What one memory knows about the messages of a run. */
export interface Memory {
  readonly pastOf: (row: Row) => Past | undefined;
  /** Whether an earlier attempt may have sent a message that can no longer be composed. */
  readonly mayHaveSent: (row: Row) => boolean;
}

/** For messages whose request is not known. */
export function pastWith(outcome: Outcome): Past {
  return { outcome, batch: null, data: null };
}

/** n8n did not store the outcome. */
const INTERRUPTED = pastWith({ kind: 'uncertain', failure: failure('interrupted') });

/** An earlier attempt sent something to the person, perhaps this message with another text, or under another name. */
const TEXT_CHANGED = pastWith({ kind: 'uncertain', failure: failure('textChanged') });

/** Receipts are joined up to this length, because n8n's storage format needs extra room for each text. */
const MAX_JOINED = 4096;

/**
 * The outcomes of one run of a node so far, kept in the execution, so that a re-run (Retry On Fail, Retry in the list
 * of executions) sends only what was not sent. n8n keeps a node's context through all re-runs, and a new execution
 * starts with an empty one. The runs of a loop share it, so records are kept by run index.
 */
export class DeliveryRecord {
  /** Whether an earlier attempt opened the record. */
  readonly isOpen: boolean;
  /** Texts once they are written. */
  private receipts: Array<string | Receipt>;

  constructor(
    private readonly kept: JsonRecord,
    private readonly runIndex: number,
  ) {
    const own = recordOf(kept.deliveries)[String(runIndex)] as readonly string[] | undefined;
    this.isOpen = own !== undefined;
    this.receipts = [...(own ?? [])];
  }

  /**
   * Gives n8n the record as a list of texts, written whenever n8n reads it. First called when the run begins: a re-run
   * that finds no record follows a kill.
   */
  open(): void {
    const deliveries = recordOf(this.kept.deliveries);
    Object.defineProperty(deliveries, String(this.runIndex), {
      get: () => this.written(),
      enumerable: true,
      configurable: true,
    });
    this.kept.deliveries = deliveries;
  }

  /**
   * The numbers of the ledger's attempts whose outcomes this record contains. Not how many they are: one of them may
   * have sent something to a row that was removed, and that is back.
   */
  get attempts(): readonly number[] {
    const own = recordOf(this.kept.attempts)[String(this.runIndex)];
    return Array.isArray(own) ? own.map(Number) : [];
  }

  set attempts(numbers: readonly number[]) {
    this.kept.attempts = { ...recordOf(this.kept.attempts), [String(this.runIndex)]: numbers };
  }

  /** Whether outcomes of this execution were lost: every message without one may have been sent. */
  get isInterrupted(): boolean {
    return this.kept.interrupted === true;
  }

  markInterrupted(): void {
    this.kept.interrupted = true;
  }

  /** Whether no message has an outcome, or can have lost one. */
  get isEmpty(): boolean {
    return this.receipts.length === 0 && !this.isInterrupted;
  }

  /** What is known about the messages of a run. */
  lookUp(rows: readonly Row[]): { readonly recorded: Memory | null; readonly lastBatch: number } {
    if (this.isEmpty) return { recorded: null, lastBatch: 0 };
    const byName = new Map<string, Recorded>();
    let lastBatch = 0;
    for (const text of this.written().flatMap((joined) => joined.split('\n'))) {
      for (const entry of readReceipt(text)) {
        // The later outcome counts: the reply came after Stop.
        byName.set(entry.name, entry);
        lastBatch = Math.max(lastBatch, entry.batch ?? 0);
      }
    }
    const fallback = this.isInterrupted ? INTERRUPTED : undefined;
    const pasts = new Map<Row, Past>();
    for (const row of rows) {
      const own = byName.get(digestOfName(row));
      if (own === undefined) continue;
      pasts.set(row, own);
      byName.delete(own.name);
    }
    // Those to whom something was sent, or may have been, that is not in the list under its name.
    const people = new Set([...byName.values()].map(({ person }) => person));
    const pastOf = (row: Row) => pasts.get(row) ?? (people.has(markOf(row)) ? TEXT_CHANGED : fallback);
    const listed = new Set(people.size === 0 ? [] : rows.filter(({ person }) => person !== '').map(markOf));
    // A number that can't be read now may be that of anybody who is no longer in the list.
    const isAnybodyGone = [...people].some((person) => !listed.has(person));
    const mayHaveSent = (row: Row) =>
      fallback !== undefined || (row.person === '' ? isAnybodyGone : people.has(markOf(row)));
    return { recorded: { pastOf, mayHaveSent }, lastBatch };
  }

  /**
   * Notes messages of one request that must not be sent again: sent, or maybe sent. The text is written only when n8n
   * reads it to store the execution. A run that sends everything never needs it, and writing takes a tenth of its time.
   * @param outcome of all of them, in place of their own
   */
  note(rows: readonly Row[], outcome: Outcome | null = null): void {
    if (!rows.some((row) => mayHaveBeenSent(outcome ?? row.outcome))) return;
    this.receipts.push({ rows, outcome });
    this.open();
  }

  private written(): readonly string[] {
    const texts: string[] = [];
    for (const receipt of this.receipts) {
      const text = typeof receipt === 'string' ? receipt : writeReceipt(receipt);
      const last = texts.at(-1);
      if (last === undefined || last.length > MAX_JOINED) texts.push(text);
      else texts[texts.length - 1] = `${last}\n${text}`;
    }
    // A copy: n8n may keep what it gets, while more receipts are added here.
    this.receipts = [...texts];
    return texts;
  }

  /** Forgets the run: everything was sent, so it will not be run again. */
  clear(): void {
    for (const name of ['deliveries', 'attempts']) {
      const kept = recordOf(this.kept[name]);
      Reflect.deleteProperty(kept, String(this.runIndex));
      if (Object.keys(kept).length === 0) Reflect.deleteProperty(this.kept, name);
    }
  }
}

function recordOf(kept: unknown): JsonRecord {
  return isRecord(kept) ? kept : {};
}
