import { z } from 'zod/v4';

import { type Answer, failure } from './answers';

/** Limits of part 8 of the document. */
const MESSAGES_PER_BULK = 100;
const CHARACTERS = 1000;

/** E.164 with the country code, "without a leading 0 or +" (4.2). */
const PHONE_RULE = 'must be a string of 7 to 15 digits with country code, without a leading 0 or +';
const TEXT_RULE = 'must be a string that is not empty';

const MESSAGE = z.object({
  phone: z.string(PHONE_RULE).regex(/^[1-9]\d{6,14}$/, PHONE_RULE),
  message: z.string(TEXT_RULE).regex(/\S/, TEXT_RULE),
});
export type Message = z.infer<typeof MESSAGE>;

/** One bad message makes the whole body invalid. */
const BULK = z.object({ messages: z.array(MESSAGE).min(1, 'must contain messages') });

/**
 * The messages in the body of a request, or the answer that rejects it. The document leaves the maximum for bulk texts
 * open; here it is that of a single send.
 */
export function validate(endpoint: 'send' | 'bulk', body: unknown): Message[] | Answer {
  const { length } = messagesIn(endpoint, body);
  if (length > MESSAGES_PER_BULK) return exceeded(`At most ${MESSAGES_PER_BULK} messages, not ${length}`);
  const checked = endpoint === 'bulk' ? BULK.safeParse(body) : MESSAGE.safeParse(body);
  if (!checked.success) {
    const details = checked.error.issues.map(({ path, message }) => ({ field: path.join('.') || 'body', message }));
    return failure(422, { code: 'VALIDATION_ERROR', message: 'Request validation failed', details });
  }
  const messages = 'messages' in checked.data ? checked.data.messages : [checked.data];
  // Characters are Unicode code points: an emoji beyond the basic plane is one.
  const isTooLong = messages.some(({ message }) => Array.from(message).length > CHARACTERS);
  return isTooLong ? exceeded(`At most ${CHARACTERS} characters`) : messages;
}

/** Part 8 answers what exceeds its limits as it does too many requests. */
function exceeded(message: string): Answer {
  return failure(429, { code: 'RATE_LIMIT_EXCEEDED', message });
}

const LISTED = z.object({ messages: z.array(z.unknown()) });

/** The messages that a request contains, valid or not. */
export function messagesIn(endpoint: 'balance' | 'send' | 'bulk', body: unknown): readonly unknown[] {
  if (endpoint === 'balance') return [];
  return endpoint === 'send' ? [body] : (LISTED.safeParse(body).data?.messages ?? []);
}
