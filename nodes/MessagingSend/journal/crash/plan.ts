import { createHash, type Hash } from 'node:crypto';

import { type Batch, duplicateKey, type Message } from '../../messages/message';
import { byOrigin } from '../../messages/order';
import { placeOf } from '../identity';
import type { FactState } from '../list/factList';

/** A request as the first attempt packed it; later attempts may pack its messages otherwise. */
export interface PlannedRequest extends Batch {
  readonly unit: Unit;
}

/** How many messages are digested in one go. */
export const DIGESTED_TOGETHER = 64;

/** The most units of a run. */
const MAX_UNITS = 8_000;

/** What a run is going to send, and the names of the facts about it, which are noted with its first request. */
export class Plan {
  private readonly name: string;
  /** Noted by the first attempt. */
  readonly texts: string;
  /** Noted by an attempt that had other texts. */
  readonly otherTexts: string;
  /** Noted in place of all others. */
  readonly allSent: string;
  /** Whether the first attempt had other texts. */
  haveTextsChanged = false;
  units: readonly Unit[] = [];
  private size = 0;
  private requests: readonly PlannedRequest[] = [];

  /**
   * @param places identifies the places and phones of the messages
   * @param contents identifies their texts, or keys
   */
  constructor(
    run: string,
    private readonly messages: readonly Message[],
    places: string,
    contents: string,
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
    return [this.haveTextsChanged ? this.otherTexts : this.texts, this.packing];
  }

  packingOf(size: number): string {
    return `${this.name} by ${size}`;
  }

  /**
   * Divides the messages into requests as the first attempt did.
   * @param size messages in each request
   * @param firstBatch the number of the first one
   */
  pack(size: number, firstBatch: number): void {
    const together = Math.max(1, Math.ceil(this.messages.length / size / MAX_UNITS));
    const units: Unit[] = [];
    const requests: PlannedRequest[] = [];
    let unit = new Unit('');
    for (let start = 0; start < this.messages.length; start += size) {
      const packed = requests.length;
      if (packed % together === 0) {
        unit = new Unit(`${this.name} ${size} ${packed}`);
        units.push(unit);
      }
      const request = { number: firstBatch + packed, messages: this.messages.slice(start, start + size), unit };
      unit.requests.push(request);
      unit.unsettled += request.messages.length;
      requests.push(request);
    }
    this.size = size;
    this.units = units;
    this.requests = requests;
  }

  /**
   * Finds a message by its place and phone: in a second try (Retry On Fail) it is another object.
   * @returns undefined for a message that was added since the first try
   */
  requestOf(message: Message): PlannedRequest | undefined {
    const index = indexIn(this.messages, message);
    return this.messages[index]?.phone === message.phone ? this.requests[Math.floor(index / this.size)] : undefined;
  }

  /** @returns the unit of each message; most batches are those of the plan, without a message more or less */
  unitsOf(messages: readonly Message[]): ReadonlyArray<Unit | undefined> {
    const own = messages[0] && this.requestOf(messages[0]);
    return messages.map((message, index) => (message === own?.messages[index] ? own : this.requestOf(message))?.unit);
  }
}

/** @returns where the message from the same place is in the list, which is in the order of the places; -1 if nowhere */
function indexIn(messages: readonly Message[], message: Message): number {
  let [low, high] = [0, messages.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const order = byOrigin(messages[middle] ?? message, message);
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/**
 * @param run the run's name in short
 * @param messages what the run is going to send, in the order of the places
 */
export function planOf(run: string, messages: readonly Message[]): Plan {
  const [places, contents] = [createHash('sha256'), createHash('sha256')];
  for (let start = 0; start < messages.length; start += DIGESTED_TOGETHER) {
    const some = messages.slice(start, start + DIGESTED_TOGETHER);
    digest(places, some.map(placeOf));
    digest(
      places,
      some.map(({ phone }) => phone),
    );
    digest(contents, some.map(content));
  }
  return new Plan(run, messages, places.digest('base64'), contents.digest('base64'));
}

/**
 * Adds texts, each with a null character behind it. No message, and no key as JSON, contains one: so the end of a text can't
 * look like the start of the next.
 */
function digest(hash: Hash, texts: readonly string[]): void {
  hash.update(texts.join('\0'));
  hash.update('\0');
}

/** A key begins with a null character, so that it can't look like a text. */
function content(message: Message): string {
  return message.key === undefined ? message.text : `\0${duplicateKey(message)}`;
}

/** What one fact covers: one request of the first attempt or, in a very long run, several in a row. */
export class Unit {
  /** What the list says of it, or will when the writes under way have ended. */
  state: FactState = 'unknown';
  /** Resolves once the list says that it is open. */
  opening: Promise<boolean> | null = null;
  readonly requests: PlannedRequest[] = [];
  /** How many of them this attempt sends and has not settled yet. */
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

  /** Its messages, as the attempt has them that divided the plan. */
  get messages(): readonly Message[] {
    return this.requests.flatMap(({ messages }) => messages);
  }

  /** Noted where the unit has exceptions. */
  get partly(): string {
    return `${this.fact} partly`;
  }

  exceptionOf(message: Message): string {
    return `${this.fact} not sent ${placeOf(message)}`;
  }
}
