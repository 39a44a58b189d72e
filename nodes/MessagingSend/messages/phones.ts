import { type Interruptible, withEach } from './interruptible';
import type { Message } from './message';

/** The phones that more than one of the messages goes to. */
export function* repeatedPhones(messages: Iterable<Message>): Interruptible<ReadonlySet<string>> {
  const phones = new Set<string>();
  const repeated = new Set<string>();
  yield* withEach(messages, ({ phone }) => {
    const { size } = phones;
    if (phones.add(phone).size === size) repeated.add(phone);
  });
  return repeated;
}
