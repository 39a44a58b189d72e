import { isRecord, type JsonRecord } from '../api/records';
import { failure } from '../failures/catalogue';
import type { Failure } from '../failures/failure';
import { type Batch, type Interruptible, type Message, type Unsendable, unsendable } from '../messages/message';
import { type Outcome, type Receipt, receiptOf, type Result } from '../messages/outcome';
import { fingerprintOf, isPlaceOfPart, originOf, placeOf } from './identity';
import { readReceipt, type Remembered, writeReceipt } from './storedReceipt';

/** How messages are looked up in a record. */
export interface Recall {
  /** Whether those whose outcome is not known are to be sent. */
  readonly sendUncertainAgain: boolean;
  /** Whether the same number and text is known wherever it came from: it is to be sent once. */
  readonly anyOrigin: boolean;
  /** Whether the service's answers have the form of a single send (API 2.2). */
  readonly isSingle: boolean;
}

/** What a record knows of a run's messages. */
export interface Recalled {
  /** Of those that have an outcome already, as they were when it was new. */
  readonly receipts: readonly Receipt[];
  /** Those that are still to be sent. */
  readonly pending: readonly Message[];
  /** Of those, the ones that may have been sent already, with the reason. */
  readonly again: ReadonlyMap<Message, Failure>;
  /** The highest batch number so far; 0 if there is none. */
  readonly lastBatch: number;
}

/** The outcome of a message, with the receipt it was in. */
interface Known {
  readonly receipt: Remembered;
  readonly outcome: Outcome;
}

/** The same, with the place that the message came from. */
interface Placed extends Known {
  readonly place: string;
}

/** For messages that are in no receipt, although a request may have carried them. */
const WITHOUT_RECEIPT: Remembered = { batch: null, outcomes: [], dataFor: () => null };

/** For a message whose outcome n8n has not stored. */
const INTERRUPTED: Known = {
  receipt: WITHOUT_RECEIPT,
  outcome: { kind: 'uncertain', failure: failure('interrupted') },
};

/** For a message whose outcome may be in a receipt that can't be read. */
const UNREADABLE: Known = {
  receipt: WITHOUT_RECEIPT,
  outcome: { kind: 'uncertain', failure: failure('outcomeUnknown') },
};

const IN_FLIGHT: Outcome = { kind: 'uncertain', failure: failure('stoppedInFlight') };

/** Receipts are joined up to this length: n8n's form of storage needs some room for each text. */
const MAX_JOINED = 4096;

/**
 * The delivery record of one run of a node: the outcomes so far, kept in the execution, so that a re-run (Retry On Fail,
 * Retry in the list of executions) sends only what was not sent. n8n keeps what a node writes to `getContext('node')`
 * through all its re-runs, and begins each execution anew; the runs of a loop share it, so they are kept apart by run
 * index.
 */
export class DeliveryRecord {
  private readonly texts: string[];
  private readonly inFlight = new Set<Batch>();
  /** Each text is read once, so that an outcome stays the same object. */
  private readonly receipts = new Map<string, Remembered | null>();
  /** Whether an earlier attempt got as far as opening it. */
  readonly isOpen: boolean;

  constructor(
    private readonly context: JsonRecord,
    private readonly runIndex: number,
  ) {
    const kept = isRecord(context.deliveries) ? context.deliveries[String(runIndex)] : undefined;
    this.isOpen = Array.isArray(kept);
    this.texts = Array.isArray(kept) ? kept.filter((text) => typeof text === 'string') : [];
  }

  /** Leaves a sign that the run has begun, so that a re-run that finds none is known for what it is. */
  open(): void {
    this.save(this.texts);
  }

  /** Notes that outcomes of this execution were lost: every message that has none may have been sent. */
  markInterrupted(): void {
    this.context.interrupted = true;
  }

  /** Whether no message has an outcome, nor can have lost one. */
  get isEmpty(): boolean {
    return this.texts.length === 0 && this.context.interrupted !== true;
  }

  /** Divides messages by whether they have an outcome already. One whose number or text has changed is new. */
  *recall(messages: readonly Message[], { sendUncertainAgain, anyOrigin, isSingle }: Recall): Interruptible<Recalled> {
    const isInterrupted = this.context.interrupted === true;
    if (this.isEmpty) {
      return { receipts: [], pending: messages, again: new Map(), lastBatch: 0 };
    }
    const { byPlace, byFingerprint, lastBatch, isReadable } = yield* this.read(anyOrigin);
    const fallback = isInterrupted ? INTERRUPTED : isReadable ? undefined : UNREADABLE;
    const known = (message: Message): Known | undefined => {
      const fingerprint = fingerprintOf(message);
      const own = byPlace.get(`${placeOf(message)} ${fingerprint}`);
      return own ?? (message.part === null ? byFingerprint.get(fingerprint) : undefined) ?? fallback;
    };
    const byReceipt = new Map<Remembered, Result[]>();
    const pending: Message[] = [];
    const again = new Map<Message, Failure>();
    for (const message of messages) {
      const found = known(message);
      if (found === undefined) {
        pending.push(message);
      } else if (found.outcome.kind === 'uncertain' && sendUncertainAgain) {
        pending.push(message);
        again.set(message, found.outcome.failure);
      } else {
        const results = byReceipt.get(found.receipt) ?? [];
        if (results.push({ message, outcome: found.outcome }) === 1) byReceipt.set(found.receipt, results);
      }
      yield;
    }
    return { receipts: yield* receiptsOf(byReceipt, isSingle), pending, again, lastBatch };
  }

  /**
   * What is known of drafts that can't be composed any more, by their place alone: their number or text may be as it was
   * when a message of theirs was sent.
   * @param known the receipts of the messages that could be composed; what they have is no other draft's
   */
  *recallUnsendable(
    drafts: readonly Unsendable[],
    known: readonly Receipt[],
    isSingle: boolean,
  ): Interruptible<{ readonly receipts: readonly Receipt[]; readonly unsendable: readonly Unsendable[] }> {
    if (this.isEmpty || drafts.length === 0) {
      this.receipts.clear();
      return { receipts: [], unsendable: drafts };
    }
    const claimed = new Set<Outcome>();
    for (const { results } of known) {
      for (const { outcome } of results) if (outcome.kind === 'sent') claimed.add(outcome);
      yield;
    }
    const { byOrigin, isReadable } = yield* this.readByOrigin(claimed);
    this.receipts.clear();
    const mayBeLost = this.context.interrupted === true || !isReadable;

    const byReceipt = new Map<Remembered, Result[]>();
    const remaining: Unsendable[] = [];
    for (const draft of drafts) {
      const own = [...(byOrigin.get(placeOf(draft))?.values() ?? [])];
      const phone = typeof draft.phone === 'string' || typeof draft.phone === 'number' ? String(draft.phone) : '';
      for (const { place, receipt, outcome } of own) {
        const result = { message: { ...originOf(place), phone, text: '' }, outcome };
        const results = byReceipt.get(receipt) ?? [];
        if (results.push(result) === 1) byReceipt.set(receipt, results);
      }
      // Of parts and of the entries of a list, nobody knows whether there were more.
      const isWhole = own.length === 1 && own[0]?.place === placeOf(draft);
      const isUncertain = own.length > 0 || mayBeLost;
      if (!isWhole) remaining.push(isUncertain ? unsendable(draft, draft.failure, 'uncertain') : draft);
      yield;
    }
    return { receipts: yield* receiptsOf(byReceipt, isSingle), unsendable: remaining };
  }

  /** Notes that the request of a batch has left. */
  leave(batch: Batch): void {
    this.inFlight.add(batch);
  }

  /** Notes that its reply is there. */
  land(batch: Batch): void {
    this.inFlight.delete(batch);
  }

  /** n8n stores the execution as soon as Stop is pressed, so what is in flight is noted before its reply. */
  noteInFlight(): void {
    for (const batch of this.inFlight) this.note(receiptOf(batch, IN_FLIGHT));
  }

  /** Notes what must not be sent again: what was sent, and what may have been. */
  note(receipt: Receipt): void {
    const text = writeReceipt(receipt);
    if (text === null) return;
    const last = this.texts.at(-1);
    if (last === undefined || last.length > MAX_JOINED) this.texts.push(text);
    else this.texts[this.texts.length - 1] = `${last}\n${text}`;
    this.save(this.texts);
  }

  /** Forgets the run: all went well, so nothing will be run again. */
  clear(): void {
    this.save(undefined);
  }

  private save(texts: string[] | undefined): void {
    const deliveries: JsonRecord = isRecord(this.context.deliveries) ? this.context.deliveries : {};
    if (texts === undefined) Reflect.deleteProperty(deliveries, String(this.runIndex));
    else deliveries[String(this.runIndex)] = texts;
    if (Object.keys(deliveries).length > 0) this.context.deliveries = deliveries;
    else delete this.context.deliveries;
  }

  /** All that is known, by place and fingerprint; if asked, by fingerprint alone as well. */
  private *read(anyOrigin: boolean): Interruptible<{
    byPlace: Map<string, Known>;
    byFingerprint: Map<string, Known>;
    lastBatch: number;
    /** Whether nothing was written by another version of this node. */
    isReadable: boolean;
  }> {
    const byPlace = new Map<string, Known>();
    const byFingerprint = new Map<string, Known>();
    let lastBatch = 0;
    let isReadable = true;
    for (const text of this.lines()) {
      const receipt = this.readText(text);
      if (receipt === null) {
        isReadable = false;
        continue;
      }
      for (const { place, fingerprint, outcome } of receipt.outcomes) {
        byPlace.set(`${place} ${fingerprint}`, { receipt, outcome });
        // Not for parts: two texts that were split may have one in common.
        if (anyOrigin && !isPlaceOfPart(place)) byFingerprint.set(fingerprint, { receipt, outcome });
      }
      lastBatch = Math.max(lastBatch, receipt.batch ?? 0);
      yield;
    }
    return { byPlace, byFingerprint, lastBatch, isReadable };
  }

  /** What no message has claimed, by the item or entry that it came from. */
  private *readByOrigin(
    claimed: ReadonlySet<Outcome>,
  ): Interruptible<{ byOrigin: Map<string, Map<string, Placed>>; isReadable: boolean }> {
    const byOrigin = new Map<string, Map<string, Placed>>();
    let isReadable = true;
    for (const text of this.lines()) {
      const receipt = this.readText(text);
      if (receipt === null) isReadable = false;
      for (const { place, outcome } of receipt?.outcomes ?? []) {
        if (receipt === null || claimed.has(outcome)) continue;
        const { item, entry } = originOf(place);
        // The item of an entry as well, because its list may be what can't be read.
        for (const origin of new Set([placeOf({ item, entry, part: null }), `${item}`])) {
          const placed = byOrigin.get(origin) ?? new Map<string, Placed>();
          // The later outcome counts: the message was sent again.
          byOrigin.set(origin, placed.set(place, { place, receipt, outcome }));
        }
      }
      yield;
    }
    return { byOrigin, isReadable };
  }

  private *lines(): Generator<string> {
    for (const joined of this.texts) yield* joined.split('\n');
  }

  private readText(text: string): Remembered | null {
    const known = this.receipts.get(text);
    const receipt = known === undefined ? readReceipt(text) : known;
    this.receipts.set(text, receipt);
    return receipt;
  }
}

function* receiptsOf(byReceipt: ReadonlyMap<Remembered, Result[]>, isSingle: boolean): Interruptible<Receipt[]> {
  const receipts: Receipt[] = [];
  for (const [{ batch, dataFor }, results] of byReceipt) {
    receipts.push({ batch, results, data: dataFor(results, isSingle) });
    yield;
  }
  return receipts;
}
