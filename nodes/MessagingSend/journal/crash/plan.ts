import { createHash } from 'node:crypto';

import { type Interruptible, withEach, YIELD_EVERY } from '../../messages/interruptible';
import { type Batch, duplicateKey, type Message } from '../../messages/message';
import { placeOf } from '../identity';
import type { FactState } from '../list/factList';

/** The messages that a run is going to send, from one account after the other. */
export type PlannedMessages = ReadonlyArray<readonly Message[]>;

/** A request as the first attempt packed it; later attempts may pack its messages otherwise. */
export interface PlannedRequest extends Batch {
  readonly unit: Unit;
}

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
  private size = 0;
  private requests: readonly PlannedRequest[] = [];
  private byFirstMessage: ReadonlyMap<Message | undefined, PlannedRequest> = new Map();
  /** Made only where it is needed, which is not in most runs. */
  private byMessage: ReadonlyMap<Message, PlannedRequest> | null = null;

  /**
   * @param places identifies the places and phones of the messages
   * @param contents identifies their texts, or keys
   */
  constructor(
    run: string,
    private readonly accounts: PlannedMessages,
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

  get units(): readonly Unit[] {
    return [...new Set(this.requests.map(({ unit }) => unit))];
  }

  /**
   * Divides the messages into requests as the first attempt did.
   * @param size messages in each request
   * @param firstBatch the number of the first one
   */
  pack(size: number, firstBatch: number): void {
    const batches = this.accounts.flatMap((messages) =>
      Array.from({ length: Math.ceil(messages.length / size) }, (_, index) =>
        messages.slice(index * size, (index + 1) * size),
      ),
    );
    const together = Math.max(1, Math.ceil(batches.length / MAX_UNITS));
    let unit = new Unit('');
    this.requests = batches.map((messages, index) => {
      if (index % together === 0) unit = new Unit(`${this.name} ${size} ${index}`);
      unit.messages.push(...messages);
      unit.unsettled += messages.length;
      return { number: firstBatch + index, messages, unit };
    });
    this.size = size;
    this.byFirstMessage = new Map(this.requests.map((request) => [request.messages[0], request]));
    this.byMessage = null;
  }

  /** Finds the messages of a second try (Retry On Fail), which are other objects, by their places and phones. */
  *findAgain(accounts: PlannedMessages): Interruptible<void> {
    const byPlace = new Map<string, PlannedRequest>();
    yield* withEach(this.requests, (request) => {
      for (const message of request.messages) byPlace.set(placeAndPhone(message), request);
    });
    const byMessage = new Map<Message, PlannedRequest>();
    for (const messages of accounts) {
      yield* withEach(messages, (message) => {
        const request = byPlace.get(placeAndPhone(message));
        if (request !== undefined) byMessage.set(message, request);
      });
    }
    this.byFirstMessage = new Map();
    this.byMessage = byMessage;
  }

  /** @returns undefined for a message that was added since the first try */
  requestOf(message: Message): PlannedRequest | undefined {
    this.byMessage ??= new Map(
      this.requests.flatMap((request) => request.messages.map((each) => [each, request] as const)),
    );
    return this.byMessage.get(message);
  }

  /** @returns the unit of each message; most batches are those of the plan, without a message more or less */
  unitsOf(messages: readonly Message[]): ReadonlyArray<Unit | undefined> {
    const own = this.byFirstMessage.get(messages[0]);
    const isWhole =
      own?.messages.length === messages.length && own.messages.every((message, index) => message === messages[index]);
    return messages.map((message) => (isWhole ? own : this.requestOf(message))?.unit);
  }
}

/** @param run the run's name in short */
export function* planOf(run: string, accounts: PlannedMessages): Interruptible<Plan> {
  const [places, contents] = [createHash('sha256'), createHash('sha256')];
  for (const messages of accounts) {
    for (let start = 0; start < messages.length; start += YIELD_EVERY) {
      const some = messages.slice(start, start + YIELD_EVERY);
      places.update(some.map((message) => `${placeAndPhone(message)},`).join(''));
      contents.update(some.map(lengthAndContent).join(''));
      yield;
    }
    places.update(';');
  }
  return new Plan(run, accounts, places.digest('base64'), contents.digest('base64'));
}

/** With the length, so that no text can look like the end of one and the start of the next. */
function lengthAndContent(message: Message): string {
  const content = message.key === undefined ? message.text : duplicateKey(message);
  return `${content.length}${message.key === undefined ? 't' : 'k'}${content}`;
}

function placeAndPhone(message: Message): string {
  return `${placeOf(message)} ${message.phone}`;
}

/** What one fact covers: one request of the first attempt or, in a very long run, several in a row. */
export class Unit {
  /** What the list says of it, or will when the writes under way have ended. */
  state: FactState = 'unknown';
  /** Resolves once the list says that it is open. */
  opening: Promise<boolean> | null = null;
  /** Its messages, as the attempt has them that divided the plan. */
  readonly messages: Message[] = [];
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

  /** Noted where the unit has exceptions. */
  get partly(): string {
    return `${this.fact} partly`;
  }

  exceptionOf(message: Message): string {
    return `${this.fact} not sent ${placeOf(message)}`;
  }
}
