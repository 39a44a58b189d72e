import { asText, isRecord, type JsonRecord } from '../../api/records';
import { type Failure, failure } from '../../failures/failure';
import { addTo, type Batch, type Message, type Unsendable, unsendable } from '../../messages/message';
import { mayBeSent, type Outcome, type Receipt, receiptOf, type Result } from '../../messages/outcome';
import { identityOf, placeOf, readPlace } from '../identity';
import { type Found, placeAndContent, recognize, type Recorded } from './recognition';
import { readReceipt, type RecordedIdentity, type Remembered, writeReceipt } from './storedReceipt';

/** What a run is about to send, before it is known what was sent before. */
export interface Intent {
  /** All messages of the run, also duplicates and those that are kept back, in the order of their places. */
  readonly messages: readonly Message[];
  readonly unsendable: readonly Unsendable[];
  /** The phones that more than one text goes to. */
  readonly repeated: ReadonlySet<string>;
  readonly sendUncertainAgain: boolean;
}

/** What is left of it, when what has an outcome is taken out. */
export interface Recalled {
  /** Of messages that already have an outcome, as it was when it was new. */
  readonly receipts: readonly Receipt[];
  /** The messages that are still to be sent, in the order of the intent. */
  readonly pending: readonly Message[];
  /** Those of them that may already have been sent, with the reason. */
  readonly again: ReadonlyMap<Message, Failure>;
  /** The highest batch number so far; 0 if there is none. */
  readonly lastBatch: number;
  /** The drafts that can't be sent, without those that have an outcome. */
  readonly unsendable: readonly Unsendable[];
}

/** The outcome of a message, with the receipt it was in. */
type Past = Pick<Recorded, 'receipt' | 'outcome'>;

/** For messages that are in no receipt, although a request may have carried them. */
const WITHOUT_RECEIPT: Remembered = { batch: null, outcomes: [], data: null };

function uncertain(why: Failure): Past {
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
  /** From when its request may leave until it has ended, a batch may have been sent. */
  readonly inFlight = new Set<Batch>();
  /** Of messages that are sent again, what they are recorded as: the new outcome replaces the old one. */
  private readonly recordedAs = new Map<Message, RecordedIdentity>();
  /** Whether an earlier attempt got as far as opening it. */
  readonly isOpen: boolean;
  /** The phones that several texts go to in this attempt. */
  private repeated: ReadonlySet<string> = new Set();

  constructor(
    private readonly kept: JsonRecord,
    private readonly runIndex: number,
  ) {
    const own = isRecord(kept.deliveries) ? kept.deliveries[String(runIndex)] : undefined;
    this.isOpen = Array.isArray(own);
    this.texts = Array.isArray(own) ? own.filter((text) => typeof text === 'string') : [];
  }

  /** How many of the ledger's attempts it contains the outcomes of. */
  get attempts(): number {
    const all = isRecord(this.kept.attempts) ? this.kept.attempts : {};
    return Number(all[String(this.runIndex)] ?? 0);
  }

  set attempts(count: number) {
    const all = isRecord(this.kept.attempts) ? this.kept.attempts : {};
    this.kept.attempts = { ...all, [String(this.runIndex)]: count };
  }

  /** Notes that outcomes of this execution were lost: every message that has none may have been sent. */
  markInterrupted(): void {
    this.kept.interrupted = true;
  }

  private get whyUnknown(): Past | undefined {
    return this.kept.interrupted === true ? INTERRUPTED : undefined;
  }

  /** Whether no message has an outcome, nor can have lost one. */
  get isEmpty(): boolean {
    return this.texts.length === 0 && this.whyUnknown === undefined;
  }

  /**
   * Divides messages by whether they already have an outcome. Drafts that can't be composed any more have the outcome of
   * their place: their number or text may have been readable when a message of theirs was sent.
   */
  recall({ messages, unsendable: drafts, sendUncertainAgain, repeated }: Intent): Recalled {
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
      const past: Past | undefined = own === null ? TEXT_CHANGED : (own ?? fallback);
      if (past === undefined) {
        left.push(message);
      } else if (past.outcome.kind === 'uncertain' && sendUncertainAgain && past !== TEXT_CHANGED) {
        left.push(message);
        again.set(message, past.outcome.failure);
        if (own !== undefined && own !== null) this.recordedAs.set(message, own.identity);
      } else {
        addTo(byReceipt, past.receipt, { message, outcome: past.outcome });
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

  /** n8n stores the execution as soon as Stop is pressed, so what is in flight is noted before its reply. */
  noteInFlight(): void {
    for (const batch of this.inFlight) this.note(receiptOf(batch, IN_FLIGHT));
  }

  /** Notes what must not be sent again: what was sent, and what may have been. */
  note(receipt: Receipt): void {
    if (!receipt.results.some(({ outcome }) => mayBeSent(outcome))) return;
    this.unwritten.push(receipt);
    // With the first one, n8n's next reading writes all that follow.
    if (this.unwritten.length === 1) this.open();
  }

  endAttempt(): void {
    this.written();
  }

  /** Forgets the run: everything was sent, so nothing will be run again. */
  clear(): void {
    this.unwritten = [];
    for (const name of ['deliveries', 'attempts']) {
      const kept = this.kept[name];
      if (!isRecord(kept)) continue;
      Reflect.deleteProperty(kept, String(this.runIndex));
      if (Object.keys(kept).length === 0) Reflect.deleteProperty(this.kept, name);
    }
  }

  private written(): readonly string[] {
    const identity = (message: Message) =>
      this.recordedAs.get(message) ?? { ...identityOf(message), isOneOfSeveral: this.repeated.has(message.phone) };
    for (const receipt of this.unwritten) {
      const text = writeReceipt(receipt, identity);
      const last = this.texts.at(-1);
      if (last === undefined || last.length > MAX_JOINED) this.texts.push(text);
      else this.texts[this.texts.length - 1] = `${last}\n${text}`;
    }
    this.unwritten = [];
    return this.texts;
  }

  /**
   * Gives n8n the record as a list of texts, as it is whenever n8n reads it: first when the run begins, so that a re-run
   * that finds none is recognised as following a kill.
   */
  open(): void {
    const deliveries: JsonRecord = isRecord(this.kept.deliveries) ? this.kept.deliveries : {};
    Object.defineProperty(deliveries, String(this.runIndex), {
      get: () => this.written(),
      enumerable: true,
      configurable: true,
    });
    this.kept.deliveries = deliveries;
  }

  private read(): {
    recorded: ReadonlyMap<string, Recorded>;
    lastBatch: number;
    /** Whether nothing was written by another version of this node. */
    isReadable: boolean;
  } {
    const recorded = new Map<string, Recorded>();
    let lastBatch = 0;
    let isReadable = true;
    for (const joined of this.written()) {
      for (const text of joined.split('\n')) {
        const receipt = readReceipt(text);
        isReadable &&= receipt !== null;
        if (receipt === null) continue;
        lastBatch = Math.max(lastBatch, receipt.batch ?? 0);
        // The later outcome counts: the message was sent again.
        for (const past of receipt.outcomes) recorded.set(placeAndContent(past.identity), { ...past, receipt });
      }
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
