import { isObject } from '../tools/json';
import type { Problem } from './details';

export interface Message {
  phone: string;
  message: string;
}

export type Validated = { messages: Message[] } | { problems: Problem[] };

/** Limits of part 8 of the document. */
const MESSAGES_PER_BULK = 100;
const SINGLE_MESSAGE_CHARACTERS = 1000;

/** 7 to 15 digits (E.164) with the country code, "without a leading 0 or +" (4.2). */
const PHONE = /^[1-9]\d{6,14}$/;

/** Checks the body of POST /messages/send. */
export function validateSend(body: unknown): Validated {
  return validated([body], () => '', SINGLE_MESSAGE_CHARACTERS);
}

/**
 * Checks the body of POST /messages/send-bulk. One bad message makes the whole body invalid. The document has no
 * maximum for bulk texts.
 */
export function validateBulk(body: unknown): Validated {
  const messages: unknown = isObject(body) ? body.messages : undefined;
  if (!Array.isArray(messages)) return { problems: [{ field: 'messages', message: 'must be an array' }] };
  if (messages.length === 0 || messages.length > MESSAGES_PER_BULK) {
    const message = `must contain 1 to ${MESSAGES_PER_BULK} messages, not ${messages.length}`;
    return { problems: [{ field: 'messages', message }] };
  }
  return validated(messages, (index) => `messages.${index}.`, Infinity);
}

function validated(values: unknown[], placeOf: (index: number) => string, characters: number): Validated {
  const problems = values.flatMap((value, index) => problemsOf(value, placeOf(index), characters));
  return problems.length > 0 ? { problems } : { messages: values as Message[] };
}

/** Characters are Unicode code points: an emoji beyond the basic plane is one. */
function problemsOf(value: unknown, place: string, characters: number): Problem[] {
  const { phone, message } = isObject(value) ? value : {};
  const problems: Problem[] = [];
  if (typeof phone !== 'string' || !PHONE.test(phone)) {
    const rule = 'must be a string of 7 to 15 digits with country code, without a leading 0 or +';
    problems.push({ field: `${place}phone`, message: rule });
  }
  if (typeof message !== 'string' || message.trim() === '') {
    problems.push({ field: `${place}message`, message: 'must be a string that is not empty' });
  } else if (Array.from(message).length > characters) {
    problems.push({ field: `${place}message`, message: `must have at most ${characters} characters` });
  }
  return problems;
}
