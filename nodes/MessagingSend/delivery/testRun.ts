import type { Message } from '../messages/message';
import type { Result } from '../messages/outcome';

/** A run whose first messages really go to somebody who tests it, and the others to nobody. */
export interface TestRun {
  /** The tester's number, clean. */
  readonly phone: string;
  /** How many messages the tester gets. */
  readonly count: number;
}

/**
 * Gives the first messages that would be sent to the tester.
 * @param isSent whether a message would be sent; the others keep their own reason
 * @returns the messages that are left, and those that a test run sends to nobody
 */
export function divertToTester(
  messages: readonly Message[],
  test: TestRun | null,
  isSent: (message: Message) => boolean,
): { readonly messages: readonly Message[]; readonly untested: readonly Result[] } {
  if (test === null) return { messages, untested: [] };
  const left: Message[] = [];
  const untested: Result[] = [];
  let texts = 0;
  for (const message of messages) {
    if (!isSent(message)) {
      left.push(message);
      continue;
    }
    texts += 1;
    if (texts <= test.count) left.push({ ...message, phone: test.phone, testFor: message.phone });
    else untested.push({ message, outcome: { kind: 'skipped', reason: 'test_run' } });
  }
  return { messages: left, untested };
}
