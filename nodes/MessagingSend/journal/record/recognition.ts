import { addTo, type Message } from '../../messages/message';
import { contentOf, phoneMarkOf, type Placed, placeOf } from '../identity';
import type { Past } from '../recall';
import type { RecordedIdentity } from './storedReceipt';

/** An outcome in the record, with the identity of its message. */
export interface Recorded extends Past {
  readonly identity: RecordedIdentity;
}

/** Unique within an attempt. */
export function placeAndContent({ place, content }: Placed): string {
  return `${place} ${content}`;
}

/**
 * Finds messages in the record, and uses each entry at most once: first for unchanged messages, then for those with the
 * same phone and text at another place (a row above was removed). A message with another text (it contains the time)
 * matches the entry at its place only if its phone gets no other text in any attempt.
 * @param recorded by place and content
 * @param repeated phones that get more than one text
 * @returns null for a message if something was sent to its phone, and nobody knows whether it was this message
 */
export function recognize(
  messages: readonly Message[],
  recorded: ReadonlyMap<string, Recorded>,
  repeated: ReadonlySet<string>,
): ReadonlyMap<Message, Recorded | null> {
  const found = new Map<Message, Recorded | null>();
  const claimed = new Set<Recorded>();
  const moved: Array<Placed & { readonly message: Message }> = [];
  for (const message of messages) {
    const placed = { place: placeOf(message), content: contentOf(message) };
    const entry = recorded.get(placeAndContent(placed));
    if (entry === undefined) {
      moved.push({ message, ...placed });
      continue;
    }
    found.set(message, entry);
    claimed.add(entry);
  }
  if (moved.length === 0) return found;

  const byContent = new Map<string, Recorded[]>();
  // Reversed, so that `pop` takes the earliest entry.
  for (const entry of [...recorded.values()].reverse()) {
    if (!claimed.has(entry)) addTo(byContent, entry.identity.content, entry);
  }
  const left: typeof moved = [];
  for (const each of moved) {
    const entry = byContent.get(each.content)?.pop();
    if (entry === undefined) left.push(each);
    else found.set(each.message, entry);
  }
  if (left.length === 0) return found;

  const byPhone = new Map<string, Recorded[]>();
  for (const entry of [...byContent.values()].flat().reverse()) addTo(byPhone, entry.identity.phone, entry);
  for (const { message, place } of left) {
    const entries = byPhone.get(phoneMarkOf(message));
    if (entries === undefined) continue;
    const isOnly =
      !repeated.has(message.phone) &&
      entries.every(({ identity }) => !identity.isOneOfSeveral && identity.place === place);
    found.set(message, isOnly ? latest(entries) : null);
  }
  return found;
}

/** For one message whose text was different each time it was sent. */
function latest(entries: readonly Recorded[]): Recorded | null {
  return entries.find(({ outcome }) => outcome.kind === 'sent') ?? entries.at(-1) ?? null;
}
