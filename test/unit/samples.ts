/** Made-up data that several subjects are tested with; phone numbers are from a range kept for fiction. */
import type { JsonRecord } from '../../nodes/MessagingSend/api/records';
import type { Reply } from '../../nodes/MessagingSend/api/reply';
import type { CodeGiven, Failure } from '../../nodes/MessagingSend/failures/failure';
import type { Interruptible } from '../../nodes/MessagingSend/messages/interruptible';
import type { Message } from '../../nodes/MessagingSend/messages/message';

export const API_KEY = 'test-key-0123456789abcdef';

/** The number of the message with this index: 447700900000 to 447700900999. */
export function phoneAt(index: number): string {
  return `447700900${String(index % 1000).padStart(3, '0')}`;
}

export function messageAt(index: number, changed: Partial<Message> = {}): Message {
  return { item: index, entry: null, part: null, phone: phoneAt(index), text: `Text ${index}`, ...changed };
}

export function messagesUpTo(count: number): Message[] {
  return Array.from({ length: count }, (_, index) => messageAt(index));
}

export function failureWith(changed: Partial<Failure> = {}): Failure {
  return {
    code: 'SOME_CODE' as CodeGiven,
    httpStatus: 400,
    message: 'It failed',
    advice: 'Do something.',
    serviceSays: '',
    scope: 'request',
    sendAgain: 'safe',
    ...changed,
  };
}

/** The answer to a bulk request (API 2.3) in which every message is sent. */
export function acceptAll(messages: readonly Message[]): Reply {
  return {
    kind: 'accepted',
    data: {
      messages_sent: messages.length,
      credits_used: messages.length,
      credits_remaining: 500,
      messages: messages.map(({ item, phone }) => ({ message_id: 1000 + item, phone, status: 'sent' })),
    },
  };
}

export function rejectWith(changed: Partial<Failure>, error: JsonRecord = {}): Reply {
  return { kind: 'rejected', failure: failureWith(changed), error, retryable: false, retryAfter: null };
}

/** A 422 with these details. */
export function refuseValues(details: unknown): Reply {
  return rejectWith(
    { code: 'VALIDATION_ERROR', httpStatus: 422 },
    { code: 'VALIDATION_ERROR', message: 'Invalid', details },
  );
}

/** Random numbers from 0 to 1, the same ones for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Values that no parameter or answer should hold, and sometimes does. */
export const ODD_VALUES: readonly unknown[] = [
  undefined,
  null,
  true,
  false,
  0,
  -1,
  NaN,
  Infinity,
  10n ** 30n,
  '',
  ' ',
  '\0',
  '\ud800',
  '\udc00\ud800',
  'x'.repeat(100_000),
  [],
  [null, [undefined]],
  {},
  { toString: null },
  Object.create(null),
  JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}'),
  Symbol('odd'),
  () => 'odd',
  new Date(NaN),
  new Map([['phone', 1]]),
];

/** Does work that could be interrupted in one go. */
export function complete<Result>(work: Interruptible<Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
