import { createHash } from 'node:crypto';

import { type Interruptible, YIELD_EVERY } from '../../messages/interruptible';
import { type Batch, duplicateKey, type Message } from '../../messages/message';
import { placeOf } from '../identity';
import type { FactState } from '../list/factList';

/** The messages that a run is going to send, from one account after the other. */
export type PlannedMessages = ReadonlyArray<readonly Message[]>;

/** What tells two plans apart. */
export interface PlanDigests {
  /** Of the places and phones of the messages. */
  readonly places: string;
  /** Of their texts, or keys. */
  readonly contents: string;
}

/** The names of the facts about a plan, which are noted with its first request. */
export class PlanFacts {
  readonly name: string;
  /** Noted by the first attempt. */
  readonly texts: string;
  /** Noted by an attempt that had other texts. */
  readonly otherTexts: string;
  /** Noted in place of all others. */
  readonly allSent: string;
  /** Whether the first attempt had other texts. */
  haveTextsChanged = false;

  /** @param size messages in each request of the first attempt */
  constructor(
    run: string,
    { places, contents }: PlanDigests,
    public size: number,
  ) {
    this.name = `${run} ${places}`;
    this.texts = `${this.name} ${contents}`;
    this.otherTexts = `${this.name} other texts`;
    this.allSent = `${this.name} all sent`;
  }

  get packing(): string {
    return this.packingOf(this.size);
  }

  get notes(): string[] {
    return [this.name, this.haveTextsChanged ? this.otherTexts : this.texts, this.packing];
  }

  packingOf(size: number): string {
    return `${this.name} by ${size}`;
  }
}

/** Neither depends on how the messages are packed. */
export function* digestsOf(accounts: PlannedMessages): Interruptible<PlanDigests> {
  const [places, contents] = [createHash('sha256'), createHash('sha256')];
  for (const messages of accounts) {
    for (let start = 0; start < messages.length; start += YIELD_EVERY) {
      const some = messages.slice(start, start + YIELD_EVERY);
      places.update(some.map((message) => `${placeOf(message)} ${message.phone},`).join(''));
      contents.update(some.map(lengthAndContent).join(''));
      yield;
    }
    places.update(';');
  }
  return { places: places.digest('base64'), contents: contents.digest('base64') };
}

/** With the length, so that no text can look like the end of one and the start of the next. */
function lengthAndContent(message: Message): string {
  const content = message.key === undefined ? message.text : duplicateKey(message);
  return `${content.length}${message.key === undefined ? 't' : 'k'}${content}`;
}

/** The messages of one request, as the first attempt of a run packed them; later attempts may pack them otherwise. */
export interface Chunk {
  /** Index of the account. */
  readonly account: number;
  readonly batch: Batch;
  readonly unit: Unit;
}

/** What one fact covers: one request of the first attempt or, in a very long run, several in a row. */
export class Unit {
  /** What the list says of it, or will when the writes under way have ended. */
  state: FactState = 'unknown';
  /** Resolves once the list says that it is open. */
  opening: Promise<boolean> | null = null;
  /** How many of its messages this attempt sends and has not settled yet. */
  unsettled = 0;
  /** How many requests with messages of it are in flight. */
  inFlight = 0;
  /** Whether a message of it was or may have been sent: then it can't become unknown again. */
  mayHaveSent = false;
  /** Whether a message of it is uncertain: then it stays open. */
  isUncertain = false;
  /** The messages of this attempt that were not sent. */
  unsent: Message[] = [];
  /** The facts by which single messages of a noted unit were not sent. */
  readonly exceptions = new Set<string>();

  constructor(readonly fact: string) {}

  /** Noted where the unit has exceptions. */
  get partly(): string {
    return `${this.fact} partly`;
  }

  exceptionOf(message: Message): string {
    return `${this.fact} not sent ${placeOf(message)}`;
  }
}

/** The most units of a run. */
const MAX_UNITS = 8_000;

/**
 * @param size messages in each request
 * @param firstBatch the number of the first one
 */
export function chunksOf(accounts: PlannedMessages, size: number, plan: string, firstBatch: number): Chunk[] {
  const requests = accounts.reduce((sum, { length }) => sum + Math.ceil(length / size), 0);
  const together = Math.max(1, Math.ceil(requests / MAX_UNITS));
  const chunks: Chunk[] = [];
  let unit: Unit | null = null;
  for (const [account, messages] of accounts.entries()) {
    for (let start = 0; start < messages.length; start += size) {
      if (unit === null || chunks.length % together === 0) unit = new Unit(`${plan} ${size} ${chunks.length}`);
      const batch = { number: firstBatch + chunks.length, messages: messages.slice(start, start + size) };
      unit.unsettled += batch.messages.length;
      chunks.push({ account, batch, unit });
    }
  }
  return chunks;
}

export function unitsIn(chunks: readonly Chunk[]): Unit[] {
  return [...new Set(chunks.map(({ unit }) => unit))];
}
