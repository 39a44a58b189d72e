import type { Interruptible, Message } from './message';

/** The phones that more than one of the messages goes to. */
export function* repeatedPhones(messages: Iterable<Message>): Interruptible<ReadonlySet<string>> {
  const phones = new Set<string>();
  const repeated = new Set<string>();
  for (const { phone } of messages) {
    if (phones.has(phone)) repeated.add(phone);
    phones.add(phone);
    yield;
  }
  return repeated;
}
