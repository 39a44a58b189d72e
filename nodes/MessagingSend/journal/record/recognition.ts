import { type Interruptible, withEach } from '../../messages/interruptible';
import type { Message } from '../../messages/message';
import type { Outcome } from '../../messages/outcome';
import { contentOf, type Identity, originOf, type Placed, placeOf, textPlaceOf } from '../identity';
import { inOtherParts } from './otherParts';
import type { Remembered } from './storedReceipt';

/** A message in the record, with its outcome. */
export interface Recorded {
  readonly identity: Identity;
  readonly outcome: Outcome;
  readonly receipt: Remembered;
}

/** The messages of earlier attempts to phones that several messages went to, sent or not. */
export class Planned {
  private readonly contents = new Set<string>();
  private readonly places = new Set<string>();
  /** The places of the parts of each text. */
  private readonly parts = new Map<string, Set<string>>();

  add({ place, content }: Placed): void {
    this.contents.add(content);
    this.places.add(`${place} ${content}`);
    const text = textPlaceOf(place);
    if (text === place) return;
    const parts = this.parts.get(text);
    if (parts === undefined) this.parts.set(text, new Set([place]));
    else parts.add(place);
  }

  get hasParts(): boolean {
    return this.parts.size > 0;
  }

  /** The places of the parts that a text had in earlier attempts; none where it was not split. */
  partsOf(text: string): ReadonlySet<string> {
    return this.parts.get(text) ?? new Set();
  }

  has({ place, content }: Placed): boolean {
    return this.places.has(`${place} ${content}`);
  }

  /** Whether an earlier attempt had this message elsewhere: then it is not another one with a new text. */
  hasMoved({ place, content }: Placed): boolean {
    return this.contents.has(content) && !this.has({ place, content });
  }
}

/**
 * Finds messages in the record, each there at most once. First those that have not changed, then those with the same phone
 * and text elsewhere (a row before them was removed), and only of what is left those with the same place and phone
 * (their text contains the time): in another order, a message could take the outcome of another one to the same phone.
 * What is still left may be a text that had another number of parts.
 */
export function* recognize(
  messages: readonly Message[],
  recorded: readonly Recorded[],
  planned: Planned,
): Interruptible<ReadonlyMap<Message, Recorded>> {
  const unchanged = new Candidates();
  const byContent = new Candidates();
  const byOrigin = new Candidates();
  yield* withEach(recorded, (entry) => {
    const { place, content, origin } = entry.identity;
    unchanged.add(`${place} ${content}`, entry);
    byContent.add(content, entry);
    byOrigin.add(`${place} ${origin}`, entry);
  });

  const found = new Map<Message, Recorded>();
  const claimed = new Set<Recorded>();
  const claims = (message: Message, entry: Recorded | undefined): boolean => {
    if (entry === undefined) return false;
    found.set(message, entry);
    claimed.add(entry);
    return true;
  };

  const changed: Array<Placed & { readonly message: Message }> = [];
  yield* withEach(messages, (message) => {
    const [place, content] = [placeOf(message), contentOf(message)];
    const isFound = claims(message, unchanged.first(`${place} ${content}`, claimed));
    if (!isFound) changed.push({ message, place, content });
  });
  const reworded: typeof changed = [];
  yield* withEach(changed, (each) => {
    const isFound = claims(each.message, byContent.first(each.content, claimed));
    if (!isFound && !planned.hasMoved(each)) reworded.push(each);
  });
  const left: Message[] = [];
  yield* withEach(reworded, ({ message, place }) => {
    const isFound = claims(message, byOrigin.first(`${place} ${originOf(message)}`, claimed));
    if (!isFound) left.push(message);
  });
  yield* inOtherParts(left, recorded, planned, found);
  return found;
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
