import { type Failure, failure, isFailure } from '../failures/failure';
import { type Message, personOf } from '../messages/message';
import type { Skipped } from '../messages/outcome';
import { cleanPhone } from '../phone/phone';
import type { DeliveryOptions } from './options';
import { Windows } from './sendWindow';

/**
 * Why the user does not want a message to be sent now; null if it may be. Asked when a run is planned, and again when the
 * message's request is about to leave: by then, a window may have closed.
 */
export type KeepBack = (message: Message) => Skipped | null;

const OPTED_OUT: Skipped = { kind: 'skipped', reason: 'opted_out' };
const EMPTY_FIELD: Skipped = { kind: 'skipped', reason: 'empty_field' };

/**
 * Decides which messages are kept back.
 * @param now in milliseconds since 1970
 * @param timeZone the workflow's
 * @returns null if none is, or why that can't be decided: then nothing may be sent
 */
export function keepBackBy(options: DeliveryOptions, now: () => number, timeZone: string): KeepBack | Failure | null {
  const { emptyFields, neverSendTo, sendWindow, testRun } = options;
  const optedOut = peopleIn(neverSendTo, options.numberCheck);
  if (isFailure(optedOut)) return optedOut;
  // Whoever tests is awake.
  const windows = sendWindow === null || testRun !== null ? null : new Windows(sendWindow, timeZone);
  if (emptyFields === 'send' && optedOut.size === 0 && windows === null) return null;
  return ({ phone, testFor = phone, empty }) => {
    if (optedOut.has(personOf(phone)) || optedOut.has(personOf(testFor))) return OPTED_OUT;
    if (empty !== undefined && emptyFields === 'doNotSend') return EMPTY_FIELD;
    const sendAt = windows?.closedUntil(phone, now()) ?? null;
    return sendAt === null ? null : { kind: 'skipped', reason: 'outside_window', sendAt };
  };
}

/** A wrong opt-out list is worse than none, so one number that can't be read keeps everything from being sent. */
function peopleIn(
  { numbers, countryCode }: DeliveryOptions['neverSendTo'],
  check: DeliveryOptions['numberCheck'],
): ReadonlySet<string> | Failure {
  const people = new Set<string>();
  // A landline can opt out as well.
  const rules = { countryCode, numberCheck: check === 'mobile' ? 'on' : check } as const;
  for (const [index, number] of numbers.entries()) {
    const phone = cleanPhone(number, rules);
    if (typeof phone !== 'string') {
      return failure('optOutUnreadable', { place: index + 1, count: numbers.length, reason: phone.message });
    }
    people.add(personOf(phone));
  }
  return people;
}
