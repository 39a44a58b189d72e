import { type Failure, failure, isFailure } from '../failures/failure';
import { addTo, duplicateKey, type Message } from '../messages/message';
import type { Receipt, Result, Skipped } from '../messages/outcome';
import { personOf } from '../phone/numbering';
import { readPhone } from '../phone/phone';
import type { DeliveryOptions } from './options';
import { Windows } from './sendWindow';

/** A message that is not sent because an identical one is. */
export interface Duplicate {
  readonly message: Message;
  readonly original: Message;
}

/** What happens to messages without an outcome; each is in one list. */
export interface Selection {
  readonly willSend: readonly Message[];
  readonly keptBack: readonly Result[];
  readonly duplicates: readonly Duplicate[];
}

/**
 * Selects what is sent now. Messages that earlier attempts have sent, or may have, count first: a duplicate of one is a
 * duplicate even if something else would keep it back.
 * @param known receipts of messages that have an outcome
 * @param repeated phones that get more than one message
 * @param again pending messages that an earlier attempt may have sent
 */
export function select(
  pending: readonly Message[],
  known: readonly Receipt[],
  repeated: ReadonlySet<string>,
  { isOnce, keepBack }: { readonly isOnce: boolean; readonly keepBack: KeepBack | null },
  again: ReadonlyMap<Message, Failure> = new Map(),
): Selection {
  const originals = new Map<string, Message>();
  /** Null if the message can't have a duplicate. */
  const keyOf = (message: Message) =>
    isOnce && (message.key !== undefined || repeated.has(message.phone)) ? duplicateKey(message) : null;
  const keep = (key: string | null, message: Message) => {
    if (key !== null && !originals.has(key)) originals.set(key, message);
  };
  for (const { results } of known) for (const { message } of results) keep(keyOf(message), message);
  const [willSend, keptBack, duplicates]: [Message[], Result[], Duplicate[]] = [[], [], []];
  for (const message of pending) {
    const key = keyOf(message);
    const original = key === null ? undefined : originals.get(key);
    const outcome = original === undefined ? (keepBack?.(message) ?? null) : null;
    const doubt = original === undefined ? undefined : again.get(message);
    // It is a duplicate only now: its text was another one.
    if (doubt !== undefined) keptBack.push({ message, outcome: { kind: 'uncertain', failure: doubt } });
    else if (original !== undefined) duplicates.push({ message, original });
    else if (outcome !== null) keptBack.push({ message, outcome });
    else {
      willSend.push(message);
      keep(key, message);
    }
  }
  return { willSend, keptBack, duplicates };
}

/** Phones that get more than one message; the spellings of a number count as one. */
export function phonesOfSeveral(messages: readonly Message[]): ReadonlySet<string> {
  const byPerson = new Map<string, string[]>();
  for (const { phone } of messages) addTo(byPerson, personOf(phone), phone);
  return new Set([...byPerson.values()].filter(({ length }) => length > 1).flat());
}

/** A run whose first messages are sent to a tester; the rest is not sent. */
export interface TestRun {
  readonly phone: string;
  readonly count: number;
}

/** Diverts the first messages that would be sent to the tester, and keeps back the rest. */
export function divertToTester({ willSend, keptBack, duplicates }: Selection, { phone, count }: TestRun): Selection {
  const untested = willSend.slice(count).map((message): Result => {
    return { message, outcome: { kind: 'skipped', reason: 'test_run' } };
  });
  const diverted = willSend.slice(0, count).map((message) => ({ ...message, phone, testFor: message.phone }));
  return { willSend: diverted, keptBack: [...keptBack, ...untested], duplicates };
}

/**
 * Why the user doesn't want a message sent now; null if it may be. Asked when a run is planned, and again when the
 * message's request is about to leave: by then, a window may have closed.
 */
export type KeepBack = (message: Message) => Skipped | null;

/**
 * Decides which messages are kept back.
 * @param now in milliseconds since 1970
 * @param timeZone the workflow's
 * @returns null if none are, or why that can't be decided: then nothing may be sent
 */
export function keepBackBy(options: DeliveryOptions, now: () => number, timeZone: string): KeepBack | Failure | null {
  const { emptyFields, neverSendTo, sendWindow, testRun } = options;
  const optedOut = peopleIn(neverSendTo, options.numberCheck === 'off');
  if (isFailure(optedOut)) return optedOut;
  // Test runs ignore the send window.
  const windows = sendWindow === null || testRun !== null ? null : new Windows(sendWindow, [timeZone]);
  if (emptyFields === 'send' && optedOut.size === 0 && windows === null) return null;
  return ({ phone, testFor = phone, empty }) => {
    if ([phone, testFor].some((each) => optedOut.has(personOf(each)))) return { kind: 'skipped', reason: 'opted_out' };
    if (empty !== undefined && emptyFields === 'doNotSend') return { kind: 'skipped', reason: 'empty_field' };
    const sendAt = windows?.closedUntil(phone, now()) ?? null;
    return sendAt === null ? null : { kind: 'skipped', reason: 'outside_window', sendAt };
  };
}

/** A wrong opt-out list is worse than none, so if one number can't be read, nothing is sent. */
function peopleIn(
  { numbers, countryCode }: DeliveryOptions['neverSendTo'],
  isUnchecked: boolean,
): ReadonlySet<string> | Failure {
  const people = new Set<string>();
  for (const [index, number] of (numbers ?? []).entries()) {
    // With 'on', because landlines opt out, too. Even unchecked, a number without + must be one that 'on' can read.
    const checked = readPhone(number, { countryCode, numberCheck: 'on' });
    const unchecked = isUnchecked ? readPhone(number, { countryCode, numberCheck: 'off' }) : checked;
    const isSure = !isFailure(unchecked) && unchecked.readAs === null;
    if (isFailure(checked) && !isSure) {
      return failure('optOutUnreadable', { place: index + 1, count: numbers?.length ?? 0, reason: checked.message });
    }
    for (const read of [checked, unchecked]) if (!isFailure(read)) people.add(read.person);
  }
  return people;
}
