import { isRecord, type JsonRecord } from '../../api/records';
import { failure } from '../../failures/failure';
import { mayHaveBeenSent, type Outcome, placeOf, type Row } from '../../messages/row';
import { type Memory, pastWith } from '../memory';
import { placeAndContent, recognize } from './recognition';
import { readReceipt, type Receipt, type Recorded, writeReceipt } from './storedReceipt';

/** n8n did not store the outcome. */
const INTERRUPTED = pastWith({ kind: 'uncertain', failure: failure('interrupted') });

/** An earlier attempt sent something to the person, perhaps this message with another text. */
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

  /** How many of the ledger's attempts have their outcomes in this record. */
  get attempts(): number {
    return Number(recordOf(this.kept.attempts)[String(this.runIndex)] ?? 0);
  }

  set attempts(count: number) {
    this.kept.attempts = { ...recordOf(this.kept.attempts), [String(this.runIndex)]: count };
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
    const entries = new Map<string, Recorded>();
    let lastBatch = 0;
    for (const text of this.written().flatMap((joined) => joined.split('\n'))) {
      for (const entry of readReceipt(text)) {
        // The later outcome counts: the reply came after Stop.
        entries.set(placeAndContent(entry), entry);
        lastBatch = Math.max(lastBatch, entry.batch ?? 0);
      }
    }
    const fallback = this.isInterrupted ? INTERRUPTED : undefined;
    const found = recognize(rows, entries);
    // Includes the item of a list entry, because now the list itself may be unreadable.
    const places = new Set([...entries.values()].flatMap(({ place }) => [place, place.split('.')[0]]));
    const pastOf = (row: Row) => {
      const own = found.get(row);
      return own === null ? TEXT_CHANGED : (own ?? fallback);
    };
    const mayHaveSent = (row: Row) => fallback !== undefined || places.has(placeOf(row));
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
