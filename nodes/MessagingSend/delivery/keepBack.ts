import { type Failure, failure, isFailure } from '../failures/failure';
import { type Interruptible, withEach } from '../messages/interruptible';
import { type KeptBack, type Message, personOf } from '../messages/message';
import { cleanPhone } from '../phone/phone';
import type { DeliveryOptions } from './options';

/** Why the user does not want a message to be sent; null if it is sent. */
export type KeepBack = (message: Message) => KeptBack['reason'] | null;

/**
 * Decides which messages are kept back.
 * @returns null if none is, or why that can't be decided: then nothing may be sent
 */
export function* keepBackBy(options: DeliveryOptions): Interruptible<KeepBack | Failure | null> {
  const { emptyFields, neverSendTo } = options;
  const optedOut = yield* peopleIn(neverSendTo, options.numberCheck);
  if (isFailure(optedOut)) return optedOut;
  if (emptyFields === 'send' && optedOut.size === 0) return null;
  return ({ phone, empty }) => {
    if (optedOut.has(personOf(phone))) return 'opted_out';
    return empty !== undefined && emptyFields === 'doNotSend' ? 'empty_field' : null;
  };
}

/** A wrong opt-out list is worse than none, so one number that can't be read keeps everything from being sent. */
function* peopleIn(
  { numbers, countryCode }: DeliveryOptions['neverSendTo'],
  check: DeliveryOptions['numberCheck'],
): Interruptible<ReadonlySet<string> | Failure> {
  const people = new Set<string>();
  // A landline can opt out as well.
  const rules = { countryCode, numberCheck: check === 'mobile' ? 'on' : check } as const;
  const wrong: Failure[] = [];
  let place = 0;
  yield* withEach(numbers, (number) => {
    place += 1;
    const phone = cleanPhone(number, rules);
    if (typeof phone === 'string') people.add(personOf(phone));
    else wrong.push(failure('optOutUnreadable', { place, count: numbers.length, reason: phone.message }));
  });
  return wrong[0] ?? people;
}
