import type { Message } from '../messages/message';
import type { Result } from '../messages/outcome';
import type { Selection } from './selection';

/** A run whose first messages really go to somebody who tests it, and the others to nobody. */
export interface TestRun {
  /** The tester's number, clean. */
  readonly phone: string;
  /** How many messages the tester gets. */
  readonly count: number;
}

/** Gives the first messages that would be sent to the tester, and the others to nobody. */
export function divertToTester(
  { willSend, keptBack, duplicates }: Selection,
  { phone, count }: TestRun,
): Omit<Selection, 'willSend'> & { readonly messages: readonly Message[] } {
  const untested = willSend.slice(count).map((message): Result => {
    return { message, outcome: { kind: 'skipped', reason: 'test_run' } };
  });
  const messages = willSend.slice(0, count).map((message) => ({ ...message, phone, testFor: message.phone }));
  return { messages, keptBack: [...keptBack, ...untested], duplicates };
}
