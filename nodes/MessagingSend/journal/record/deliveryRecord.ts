import { asText, isRecord, type JsonRecord } from '../../api/records';
import { type Failure, failure } from '../../failures/failure';
import { addTo, type Batch, type Message, type Unsendable, unsendable } from '../../messages/message';
import { type Outcome, type Receipt, receiptOf, type Result } from '../../messages/outcome';
import { identityOf, placeOf, readPlace } from '../identity';
import type { Question, Recalled } from '../question';
import { type Found, placeAndContent, recognize, type Recorded } from './recognition';
import { isKept, readReceipt, type RecordedIdentity, type Remembered, writeReceipt } from './storedReceipt';

/** The outcome of a message, with the receipt it was in. */
type Known = Pick<Recorded, 'receipt' | 'outcome'>;

/** For messages that are in no receipt, although a request may have carried them. */
const WITHOUT_RECEIPT: Remembered = { batch: null, outcomes: [], data: null };

function uncertain(why: Failure): Known {
  return { receipt: WITHOUT_RECEIPT, outcome: { kind: 'uncertain', failure: why } };
}

/** n8n has not stored the outcome. */
const INTERRUPTED = uncertain(failure('interrupted'));

/** The outcome may be in a receipt that can't be read. */
const UNREADABLE = uncertain(failure('outcomeUnknown'));

/** An earlier attempt sent something to the phone, perhaps a part, or another text of this message: never sent again. */
const TEXT_CHANGED = uncertain(failure('textChanged'));

const IN_FLIGHT: Outcome = { kind: 'uncertain', failure: failure('stoppedInFlight') };

/** Receipts are joined up to this length: n8n's form of storage needs some room for each text. */
const MAX_JOINED = 4096;

/**
 * The delivery record of one run of a node: the outcomes so far, kept in the execution, so that a re-run (Retry On Fail,
 * Retry in the list of executions) sends only what was not sent. n8n keeps what a node writes to its context
 * through all its re-runs, and begins each execution anew; the runs of a loop share it, so they are kept apart by run
 * index.
 *
 * Outcomes are written when n8n reads them to store the execution, which takes it several times as long for the items
 * alone. Of a run that sends everything, none need be written: that would be a tenth of its work.
 */
export class DeliveryRecord {
  private readonly texts: string[];
  private unwritten: Receipt[] = [];
  private readonly inFlight = new Set<Batch>();
  /** Of messages that are sent again, what they are recorded as: the new outcome replaces the old one. */
  private readonly recordedAs = new Map<Message, RecordedIdentity>();
  /** Whether an earlier attempt got as far as opening it. */
  readonly isOpen: boolean;
  /** The phones that several texts go to in this attempt. */
  private repeated: ReadonlySet<string> = new Set();

  constructor(
    private readonly context: JsonRecord,
    private readonly runIndex: number,
  ) {
    const kept = isRecord(context.deliveries) ? context.deliveries[String(runIndex)] : undefined;
    this.isOpen = Array.isArray(kept);
    this.texts = Array.isArray(kept) ? kept.filter((text) => typeof text === 'string') : [];
  }

  /** How many of the ledger's attempts it contains the outcomes of. */
  get attempts(): number {
    const all = isRecord(this.context.attempts) ? this.context.attempts : {};
    return Number(all[String(this.runIndex)] ?? 0);
  }

  set attempts(count: number) {
    const all = isRecord(this.context.attempts) ? this.context.attempts : {};
    this.context.attempts = { ...all, [String(this.runIndex)]: count };
  }

  /** Marks that the run has begun, so that a re-run without the mark is recognised as following a kill. */
  open(): void {
    this.keep();
  }

  /** Notes that outcomes of this execution were lost: every message that has none may have been sent. */
  markInterrupted(): void {
    this.context.interrupted = true;
  }

  private get whyUnknown(): Known | undefined {
    return this.context.interrupted === true ? INTERRUPTED : undefined;
  }

  /** Whether no message has an outcome, nor can have lost one. */
  get isEmpty(): boolean {
    return this.texts.length === 0 && this.whyUnknown === undefined;
  }

  /**
   * Divides messages by whether they already have an outcome. Drafts that can't be composed any more have the outcome of
   * their place: their number or text may have been readable when a message of theirs was sent.
   */
  recall({ messages, unsendable: drafts, sendUncertainAgain, repeated }: Question): Recalled {
    this.repeated = repeated;
    const { recorded, lastBatch, isReadable } = this.read();
    const found: Found = recorded.size === 0 ? new Map() : recognize(messages, recorded, repeated);
    const fallback = this.whyUnknown ?? (isReadable ? undefined : UNREADABLE);
    const byReceipt = new Map<Remembered, Result[]>();
    // In most runs there is nothing to look up.
    const isNew = recorded.size === 0 && fallback === undefined;
    const left: Message[] = [];
    const again = new Map<Message, Failure>();
    for (const message of isNew ? [] : messages) {
      const own = found.get(message);
      const known: Known | undefined = own === null ? TEXT_CHANGED : (own ?? fallback);
      if (known === undefined) {
        left.push(message);
      } else if (known.outcome.kind === 'uncertain' && sendUncertainAgain && known !== TEXT_CHANGED) {
        left.push(message);
        again.set(message, known.outcome.failure);
        if (own !== undefined && own !== null) this.recordedAs.set(message, own.identity);
      } else {
        addTo(byReceipt, known.receipt, { message, outcome: known.outcome });
      }
    }
    const pending = isNew ? messages : left;
    const claimed = new Set<unknown>(found.values());
    const unclaimed = drafts.length === 0 ? new Map<string, Recorded[]>() : byPlace(recorded, claimed);
    const unsendableLeft: Unsendable[] = [];
    for (const draft of drafts) {
      const own = unclaimed.get(placeOf(draft)) ?? [];
      const phone = asText(draft.phone);
      for (const { identity, receipt, outcome } of own) {
        addTo(byReceipt, receipt, { message: { ...readPlace(identity.place), phone, text: '' }, outcome });
      }
      // Of the entries of a list, nobody knows whether there were more.
      const isWhole = own.length === 1 && own[0]?.identity.place === placeOf(draft);
      const mayBeSent = own.length > 0 || fallback !== undefined;
      if (!isWhole) unsendableLeft.push(mayBeSent ? unsendable(draft, draft.failure, 'uncertain') : draft);
    }
    const receipts = Array.from(byReceipt, ([{ batch, data }, results]) => ({ batch, results, data }));
    return { receipts, pending, again, lastBatch, unsendable: unsendableLeft };
  }

  /** From here on, until its request has ended, a batch may have been sent. */
  requestStarted(batch: Batch): void {
    this.inFlight.add(batch);
  }

  requestEnded(batch: Batch): void {
    this.inFlight.delete(batch);
  }

  /** n8n stores the execution as soon as Stop is pressed, so what is in flight is noted before its reply. */
  noteInFlight(): void {
    for (const batch of this.inFlight) this.note(receiptOf(batch, IN_FLIGHT));
  }

  /** Notes what must not be sent again: what was sent, and what may have been. */
  note(receipt: Receipt): void {
    if (!receipt.results.some(({ outcome }) => isKept(outcome))) return;
    this.unwritten.push(receipt);
    // With the first one, n8n's next reading writes all that follow.
    if (this.unwritten.length === 1) this.keep();
  }

  /** Removes what is kept of the run under this name. */
  private forget(name: 'attempts' | 'deliveries'): void {
    const kept = this.context[name];
    if (!isRecord(kept)) return;
    Reflect.deleteProperty(kept, String(this.runIndex));
    if (Object.keys(kept).length === 0) Reflect.deleteProperty(this.context, name);
  }

  /** Writes the rest. */
  endAttempt(): void {
    this.written();
  }

  /** Forgets the run: everything was sent, so nothing will be run again. */
  clear(): void {
    this.unwritten = [];
    this.forget('deliveries');
    this.forget('attempts');
  }

  private written(): readonly string[] {
    for (const receipt of this.unwritten) this.write(receipt);
    this.unwritten = [];
    return this.texts;
  }

  private write(receipt: Receipt): void {
    const identity = (message: Message) =>
      this.recordedAs.get(message) ?? { ...identityOf(message), isOneOfSeveral: this.repeated.has(message.phone) };
    this.append(writeReceipt(receipt, identity));
  }

  private append(text: string): void {
    const last = this.texts.at(-1);
    if (last === undefined || last.length > MAX_JOINED) this.texts.push(text);
    else this.texts[this.texts.length - 1] = `${last}\n${text}`;
    this.keep();
  }

  /** Gives n8n the record as a list of texts, as it is whenever n8n reads it. */
  private keep(): void {
    const deliveries: JsonRecord = isRecord(this.context.deliveries) ? this.context.deliveries : {};
    Object.defineProperty(deliveries, String(this.runIndex), {
      get: () => this.written(),
      enumerable: true,
      configurable: true,
    });
    this.context.deliveries = deliveries;
  }

  /** All that is known. */
  private read(): {
    recorded: ReadonlyMap<string, Recorded>;
    lastBatch: number;
    /** Whether nothing was written by another version of this node. */
    isReadable: boolean;
  } {
    const recorded = new Map<string, Recorded>();
    let lastBatch = 0;
    let isReadable = true;
    for (const text of linesOf(this.written())) {
      const receipt = readReceipt(text);
      if (receipt === null) {
        isReadable = false;
        continue;
      }
      for (const { identity, outcome } of receipt.outcomes) {
        // The later outcome counts: the message was sent again.
        recorded.set(placeAndContent(identity), { identity, outcome, receipt });
      }
      lastBatch = Math.max(lastBatch, receipt.batch ?? 0);
    }
    return { recorded, lastBatch, isReadable };
  }
}

/** What no message has claimed, by the item or entry that it came from. */
function byPlace(recorded: ReadonlyMap<string, Recorded>, claimed: ReadonlySet<unknown>): Map<string, Recorded[]> {
  const found = new Map<string, Recorded[]>();
  for (const entry of recorded.values()) {
    const { place } = entry.identity;
    // The item of an entry as well, because its list may be what can't be read.
    const places = new Set([place, `${readPlace(place).item}`]);
    if (!claimed.has(entry)) for (const place of places) addTo(found, place, entry);
  }
  return found;
}

/** One after the other: splitting all of a large record would take long. */
function* linesOf(texts: readonly string[]): Generator<string> {
  for (const joined of texts) yield* joined.split('\n');
}
