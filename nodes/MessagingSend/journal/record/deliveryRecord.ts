import { isRecord, type JsonRecord } from '../../api/records';
import { type Failure, failure } from '../../failures/failure';
import type { Message, Unsendable } from '../../messages/message';
import { mayBeSent, type Receipt } from '../../messages/outcome';
import { placeOf } from '../identity';
import { type Intent, type Memory, type Past, WITHOUT_RECEIPT } from '../recall';
import { placeAndContent, recognize, type Recorded } from './recognition';
import { readReceipt, writeReceipt } from './storedReceipt';

function uncertain(why: Failure, isRepeatable: boolean): Past {
  return { receipt: WITHOUT_RECEIPT, outcome: { kind: 'uncertain', failure: why }, isRepeatable };
}

/** n8n has not stored the outcome. */
const INTERRUPTED = uncertain(failure('interrupted'), true);

/** The outcome may be in a receipt that can't be read. */
const UNREADABLE = uncertain(failure('outcomeUnknown'), true);

/** An earlier attempt sent something to the phone, perhaps a part, or another text of this message: never sent again. */
const TEXT_CHANGED = uncertain(failure('textChanged'), false);

/** Receipts are joined up to this length: n8n's form of storage needs some room for each text. */
const MAX_JOINED = 4096;

/**
 * The delivery record of one run of a node: the outcomes so far, kept in the execution, so that a re-run (Retry On Fail,
 * Retry in the list of executions) sends only what was not sent. n8n keeps what a node writes to its context
 * through all its re-runs, and begins each execution anew; the runs of a loop share it, so they are kept apart by run
 * index.
 */
export class DeliveryRecord {
  /** Whether an earlier attempt got as far as opening it. */
  readonly isOpen: boolean;
  /** As texts, as far as they are written. */
  private receipts: Array<string | Receipt>;
  /** The phones that several texts go to in this attempt. */
  private repeated: ReadonlySet<string> = new Set();

  constructor(
    private readonly kept: JsonRecord,
    private readonly runIndex: number,
  ) {
    const own = recordOf(kept.deliveries)[String(runIndex)];
    this.isOpen = Array.isArray(own);
    this.receipts = Array.isArray(own) ? own.filter((text) => typeof text === 'string') : [];
  }

  /**
   * Gives n8n the record as a list of texts, as it is whenever n8n reads it: first when the run begins, so that a re-run
   * that finds none is recognized as following a kill.
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

  /** How many of the ledger's attempts it contains the outcomes of. */
  get attempts(): number {
    return Number(recordOf(this.kept.attempts)[String(this.runIndex)] ?? 0);
  }

  set attempts(count: number) {
    this.kept.attempts = { ...recordOf(this.kept.attempts), [String(this.runIndex)]: count };
  }

  /** Notes that outcomes of this execution were lost: every message that has none may have been sent. */
  markInterrupted(): void {
    this.kept.interrupted = true;
  }

  /** Whether no message has an outcome, nor can have lost one. */
  get isEmpty(): boolean {
    return this.receipts.length === 0 && this.kept.interrupted !== true;
  }

  /** What is known of these messages, if anything is; from now on they are those of the attempt. */
  recall({ messages, repeated }: Intent): { readonly recorded: Memory | null; readonly lastBatch: number } {
    this.repeated = repeated;
    if (this.isEmpty) return { recorded: null, lastBatch: 0 };
    const { recorded: entries, lastBatch, isReadable } = this.read();
    const fallback = this.kept.interrupted === true ? INTERRUPTED : isReadable ? undefined : UNREADABLE;
    const found = recognize(messages, entries, repeated);
    // The item of an entry as well, because its list may be what can't be read.
    const places = new Set(
      [...entries.values()].flatMap(({ identity: { place } }) => [place, ...place.split('.').slice(0, 1)]),
    );
    const pastOf = (message: Message) => {
      const own = found.get(message);
      return own === null ? TEXT_CHANGED : (own ?? fallback);
    };
    const mayHaveSent = (draft: Unsendable) => fallback !== undefined || places.has(placeOf(draft));
    return { recorded: { pastOf, mayHaveSent }, lastBatch };
  }

  private read() {
    const recorded = new Map<string, Recorded>();
    let lastBatch = 0;
    // Not, if another version of this node has written it.
    let isReadable = true;
    for (const text of this.written().flatMap((joined) => joined.split('\n'))) {
      const receipt = readReceipt(text);
      isReadable &&= receipt !== null;
      if (receipt === null) continue;
      lastBatch = Math.max(lastBatch, receipt.batch ?? 0);
      for (const { identity, outcome } of receipt.outcomes) {
        const isRepeatable = outcome.kind === 'uncertain';
        // The later outcome counts: the message was sent again.
        recorded.set(placeAndContent(identity), { identity, outcome, receipt, isRepeatable });
      }
    }
    return { recorded, lastBatch, isReadable };
  }

  /**
   * Notes what must not be sent again: what was sent, and what may have been. It is written when n8n reads it to store the
   * execution. Of a run that sends everything, nothing need be written: that would be a tenth of its work.
   */
  note(receipt: Receipt): void {
    if (!receipt.results.some(({ outcome }) => mayBeSent(outcome))) return;
    this.receipts.push(receipt);
    this.open();
  }

  private written(): readonly string[] {
    const texts: string[] = [];
    for (const receipt of this.receipts) {
      const text = typeof receipt === 'string' ? receipt : writeReceipt(receipt, this.repeated);
      const last = texts.at(-1);
      if (last === undefined || last.length > MAX_JOINED) texts.push(text);
      else texts[texts.length - 1] = `${last}\n${text}`;
    }
    // n8n may keep what it gets, and more is noted here.
    this.receipts = [...texts];
    return texts;
  }

  /** Forgets the run: everything was sent, so nothing will be run again. */
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
