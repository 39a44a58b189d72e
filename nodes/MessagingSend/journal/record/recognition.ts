import { type Interruptible, withEach } from '../../messages/interruptible';
import type { Message, Origin } from '../../messages/message';
import { addTo } from '../../messages/order';
import type { Outcome } from '../../messages/outcome';
import { contentOf, type Identity, phoneMarkOf, type Placed, placeOf, readPlace } from '../identity';
import type { Remembered } from './storedReceipt';

/** A message in the record, with its outcome. */
export interface Recorded {
  readonly identity: Identity;
  readonly outcome: Outcome;
  readonly receipt: Remembered;
  /** The line of the record that it is in, from 0. */
  readonly line: number;
}

/** The messages of earlier attempts to phones that several texts went to, sent or not. */
export class EarlierMessages {
  private readonly contents = new Set<string>();
  /** The line of the record that first has a message at a place. */
  private readonly lines = new Map<string, number>();

  add({ place, content }: Placed, line: number): void {
    this.contents.add(content);
    const key = `${place} ${content}`;
    if (!this.lines.has(key)) this.lines.set(key, line);
  }

  has({ place, content }: Placed): boolean {
    return this.lines.has(`${place} ${content}`);
  }

  /** Whether an earlier attempt had this message, at any place: then it is not another one with a new text. */
  hasContent(content: string): boolean {
    return this.contents.has(content);
  }

  /** Whether a message was at the place of an entry before that was sent there, with another text. */
  wasReplacedBy({ identity: { place }, line }: Recorded, content: string): boolean {
    return (this.lines.get(`${place} ${content}`) ?? Infinity) < line;
  }
}

/**
 * The entry of each message in the record; null where an earlier attempt sent something to its phone, and nobody knows
 * whether it was this message with another text.
 */
export type Found = ReadonlyMap<Message, Recorded | null>;

/**
 * Finds messages in the record, each entry at most once: first those that have not changed, then those with the same phone
 * and text elsewhere (a row before them was removed). Of what is left, a message is the one at its place with another text
 * (the text contains the time) only if no other text of any attempt goes to its phone.
 * @param repeated the phones that more than one text goes to
 */
export function* recognize(
  messages: readonly Message[],
  recorded: readonly Recorded[],
  earlier: EarlierMessages,
  repeated: ReadonlySet<string>,
): Interruptible<Found> {
  const unchanged = new Candidates();
  const byContent = new Candidates();
  yield* withEach(recorded, (entry) => {
    const { place, content } = entry.identity;
    unchanged.add(`${place} ${content}`, entry);
    byContent.add(content, entry);
  });

  const found = new Map<Message, Recorded | null>();
  const claimed = new Set<Recorded>();
  const claims = (message: Message, entry: Recorded | undefined): boolean => {
    if (entry === undefined) return false;
    found.set(message, entry);
    claimed.add(entry);
    return true;
  };
  const moved: Array<Placed & { readonly message: Message }> = [];
  yield* withEach(messages, (message) => {
    const [place, content] = [placeOf(message), contentOf(message)];
    const isFound = claims(message, unchanged.first(`${place} ${content}`, claimed));
    if (!isFound) moved.push({ message, place, content });
  });
  const left: typeof moved = [];
  yield* withEach(moved, (each) => {
    if (!claims(each.message, byContent.first(each.content, claimed))) left.push(each);
  });
  if (left.length === 0) return found;

  const byPhone = new Map<string, Recorded[]>();
  yield* withEach(recorded, (entry) => {
    if (!claimed.has(entry)) addTo(byPhone, entry.identity.phone, entry);
  });
  yield* withEach(left, ({ message, place, content }) => {
    const entries = byPhone.get(phoneMarkOf(message));
    if (entries === undefined) return;
    if (earlier.hasContent(content)) {
      if (entries.some((entry) => earlier.wasReplacedBy(entry, content))) found.set(message, null);
      return;
    }
    const isOnly =
      !repeated.has(message.phone) &&
      entries.every(
        ({ identity }) => isSameText(readPlace(identity.place), message) && !earlier.hasContent(identity.content),
      );
    const own = isOnly ? entries.find(({ identity }) => identity.place === place) : undefined;
    found.set(message, own ?? null);
  });
  return found;
}

function isSameText(one: Origin, other: Origin): boolean {
  return one.item === other.item && one.entry === other.entry;
}

/** Entries by a key. */
class Candidates {
  private readonly queues = new Map<string, { readonly entries: Recorded[]; next: number }>();

  add(key: string, entry: Recorded): void {
    const queue = this.queues.get(key);
    if (queue === undefined) this.queues.set(key, { entries: [entry], next: 0 });
    else queue.entries.push(entry);
  }

  /** The earliest entry that is not claimed; the claimed ones before it are passed only once. */
  first(key: string, claimed: ReadonlySet<Recorded>): Recorded | undefined {
    const queue = this.queues.get(key);
    if (queue === undefined) return undefined;
    for (; queue.next < queue.entries.length; queue.next += 1) {
      const entry = queue.entries[queue.next];
      if (entry !== undefined && !claimed.has(entry)) return entry;
    }
    return undefined;
  }
}
