import { failure } from '../../failures/failure';
import { type Interruptible, withEach } from '../../messages/interruptible';
import type { Message } from '../../messages/message';
import { addTo } from '../../messages/order';
import type { Outcome } from '../../messages/outcome';
import { originOf, placeOf, readPlace, textPlaceOf } from '../identity';
import type { Planned, Recorded } from './recognition';

/** Of a whole text: never sent again, because the recipient has a part of it for certain. */
export const SENT_IN_PART: Outcome = { kind: 'uncertain', failure: failure('sentInPart') };

/**
 * Finds texts that had another number of parts in an earlier attempt, because the text or 'Long Messages' has changed
 * since. What was sent to the same place and phone is not sent in other parts as well. Where only some of its parts were
 * sent, the rest follows, but not the whole text: that would repeat what the recipient has.
 * @param messages those that are not found otherwise
 * @param found gets what is found
 */
export function* inOtherParts(
  messages: readonly Message[],
  recorded: readonly Recorded[],
  planned: Planned,
  found: Map<Message, Recorded>,
): Interruptible<void> {
  // In most runs no text is split.
  if (!planned.hasParts && messages.every(({ part }) => part === null)) return;
  // What was found elsewhere says nothing about what is at its former place now.
  const moved = new Set<Recorded>();
  yield* withEach(found, ([message, entry]) => {
    if (textPlaceOf(entry.identity.place) !== placeOf({ ...message, part: null })) moved.add(entry);
  });
  const byText = new Map<string, Recorded[]>();
  yield* withEach(recorded, (entry) => {
    if (!moved.has(entry)) addTo(byText, textPlaceOf(entry.identity.place), entry);
  });
  yield* withEach(messages, (message) => {
    const text = placeOf({ ...message, part: null });
    const toSamePhone = ({ identity: { place, origin } }: Recorded) =>
      origin === originOf({ ...message, part: readPlace(place).part });
    const entry = entryFor(message, (byText.get(text) ?? []).filter(toSamePhone), planned.partsOf(text));
    if (entry !== null) found.set(message, entry);
  });
}

/**
 * @param entries of its text
 * @param planned the places of the parts that the text had
 */
function entryFor(message: Message, entries: readonly Recorded[], planned: ReadonlySet<string>): Recorded | null {
  const [first] = entries;
  if (first === undefined) return null;
  const places = new Set(entries.map(({ identity }) => identity.place));
  const uncertain = entries.find(({ outcome }) => outcome.kind === 'uncertain');
  const isDone = [...planned].every((place) => places.has(place));
  if (message.part === null) return uncertain ?? (isDone ? first : { ...first, outcome: SENT_IN_PART });
  const whole = entries.find(({ identity }) => readPlace(identity.place).part === null);
  if (whole !== undefined) return whole;
  return isDone ? (uncertain ?? first) : null;
}
