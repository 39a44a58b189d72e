import { isObject } from '../tools/json';
import type { Problem } from './details';

export interface Message {
  phone: string;
  message: string;
}

/** The messages of a request, what is wrong with them, or the limit of part 8 that they exceed. */
export type Validated = { messages: Message[] } | { problems: Problem[] } | { exceeds: string };

/** Limits of part 8 of the document. */
const MESSAGES_PER_BULK = 100;
const CHARACTERS = 1000;

/** 7 to 15 digits (E.164) with the country code, "without a leading 0 or +" (4.2). */
const PHONE = /^[1-9]\d{6,14}$/;

/** Checks the body of POST /messages/send. */
export function validateSend(body: unknown): Validated {
  return validated([body], () => '');
}

/**
 * Checks the body of POST /messages/send-bulk. One bad message makes the whole body invalid. The document leaves the
 * maximum for bulk texts open; here it is that of a single send.
 */
export function validateBulk(body: unknown): Validated {
  const messages: unknown = isObject(body) ? body.messages : undefined;
  if (!Array.isArray(messages)) return { problems: [{ field: 'messages', message: 'must be an array' }] };
  const { length } = messages;
  if (length === 0) return { problems: [{ field: 'messages', message: 'must contain messages' }] };
  if (length > MESSAGES_PER_BULK) return { exceeds: `At most ${MESSAGES_PER_BULK} messages, not ${length}` };
  return validated(messages, (index) => `messages.${index}.`);
}

function validated(values: unknown[], placeOf: (index: number) => string): Validated {
  const problems = values.flatMap((value, index) => problemsOf(value, placeOf(index)));
  if (problems.length > 0) return { problems };
  const messages = values as Message[];
  // Characters are Unicode code points: an emoji beyond the basic plane is one.
  const isTooLong = messages.some(({ message }) => Array.from(message).length > CHARACTERS);
  return isTooLong ? { exceeds: `At most ${CHARACTERS} characters` } : { messages };
}

function problemsOf(value: unknown, place: string): Problem[] {
  const { phone, message } = isObject(value) ? value : {};
  const problems: Problem[] = [];
  if (typeof phone !== 'string' || !PHONE.test(phone)) {
    const rule = 'must be a string of 7 to 15 digits with country code, without a leading 0 or +';
    problems.push({ field: `${place}phone`, message: rule });
  }
  if (typeof message !== 'string' || message.trim() === '') {
    problems.push({ field: `${place}message`, message: 'must be a string that is not empty' });
  }
  return problems;
}
