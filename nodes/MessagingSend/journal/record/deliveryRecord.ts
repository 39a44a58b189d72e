import { isRecord, type JsonRecord } from '../../api/records';
import { failure } from '../../failures/failure';
import { mayHaveBeenSent, type Outcome, placeOf, type Row } from '../../messages/row';
import { type Memory, pastWith } from '../memory';
import { placeAndContent, recognize, type Recorded } from './recognition';
import { readReceipt, type Receipt, writeReceipt } from './storedReceipt';

/** n8n did not store the outcome. */
const INTERRUPTED = pastWith({ kind: 'uncertain', failure: failure('interrupted') });

/** The outcome may be in a receipt that can't be read. */
const UNREADABLE = pastWith({ kind: 'uncertain', failure: failure('outcomeUnknown') });

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
    const own = recordOf(kept.deliveries)[String(runIndex)];
    this.isOpen = Array.isArray(own);
    // Anything but a text can't be read.
    this.receipts = Array.isArray(own) ? own.map((text) => (typeof text === 'string' ? text : 'null')) : [];
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

  /** Notes that outcomes of this execution were lost: every message without one may have been sent. */
  markInterrupted(): void {
    this.kept.interrupted = true;
  }

  /** Whether no message has an outcome, or can have lost one. */
  get isEmpty(): boolean {
    return this.receipts.length === 0 && this.kept.interrupted !== true;
  }

  /** What is known about the messages of a run. */
  lookUp(rows: readonly Row[]): { readonly recorded: Memory | null; readonly lastBatch: number } {
    if (this.isEmpty) return { recorded: null, lastBatch: 0 };
    const { recorded: entries, lastBatch, isReadable } = this.read();
    const fallback = this.kept.interrupted === true ? INTERRUPTED : isReadable ? undefined : UNREADABLE;
    const found = recognize(rows, entries);
    // Includes the item of a list entry, because now the list itself may be unreadable.
    const places = new Set([...entries.values()].flatMap(({ identity: { place } }) => [place, place.split('.')[0]]));
    const pastOf = (row: Row) => {
      const own = found.get(row);
      return own === null ? TEXT_CHANGED : (own ?? fallback);
    };
    const mayHaveSent = (row: Row) => fallback !== undefined || places.has(placeOf(row));
    return { recorded: { pastOf, mayHaveSent }, lastBatch };
  }

  private read() {
    const recorded = new Map<string, Recorded>();
    let lastBatch = 0;
    let isReadable = true;
    for (const text of this.written().flatMap((joined) => joined.split('\n'))) {
      const receipt = readReceipt(text);
      isReadable &&= receipt !== null;
      if (receipt === null) continue;
      const { batch, data } = receipt;
      lastBatch = Math.max(lastBatch, batch ?? 0);
      // The later outcome counts: the reply came after Stop.
      for (const { identity, outcome } of receipt.outcomes) {
        recorded.set(placeAndContent(identity), { identity, outcome, batch, data });
      }
    }
    return { recorded, lastBatch, isReadable };
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
