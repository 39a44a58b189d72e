import { isObject } from '../tools/json';
import type { Problem } from './details';

/** One message of a request. */
export interface Message {
  phone: string;
  message: string;
}

export type Validated = { kind: 'valid'; messages: Message[] } | { kind: 'invalid'; problems: Problem[] };

/** Limits of part 8 of the document. */
export const MESSAGES_PER_BULK = 100;
export const SINGLE_MESSAGE_CHARACTERS = 1000;

/** 7 to 15 digits (E.164) with the country code, "without a leading 0 or +" (4.2). */
const PHONE = /^[1-9]\d{6,14}$/;

/** Checks the body of POST /messages/send. */
export function validateSend(body: unknown): Validated {
  return validated([readMessage(body, [], SINGLE_MESSAGE_CHARACTERS)]);
}

/**
 * Checks the body of POST /messages/send-bulk; one bad message makes the whole body invalid.
 * `messageCharacters` limits each text, 0 for any length: the document shows no maximum for bulk.
 */
export function validateBulk(body: unknown, messageCharacters: number): Validated {
  if (!isObject(body)) return invalid([], 'must be a JSON object');
  const { messages } = body;
  if (!Array.isArray(messages)) return invalid(['messages'], 'must be an array');
  if (messages.length === 0) return invalid(['messages'], 'must contain at least 1 message');
  if (messages.length > MESSAGES_PER_BULK) {
    return invalid(['messages'], `must contain at most ${MESSAGES_PER_BULK} messages, not ${messages.length}`, true);
  }
  return validated(messages.map((entry: unknown, index) => readMessage(entry, ['messages', index], messageCharacters)));
}

function validated(parts: Array<Message | Problem[]>): Validated {
  const messages: Message[] = [];
  const problems: Problem[] = [];
  for (const part of parts) {
    if (Array.isArray(part)) problems.push(...part);
    else messages.push(part);
  }
  return problems.length > 0 ? { kind: 'invalid', problems } : { kind: 'valid', messages };
}

function readMessage(value: unknown, path: Problem['path'], maximum: number): Message | Problem[] {
  if (!isObject(value)) return [problem(path, 'must be a JSON object')];
  const { phone, message } = value;
  const problems: Problem[] = [];
  if (typeof phone !== 'string') problems.push(problem([...path, 'phone'], mustBeText(phone)));
  else if (!PHONE.test(phone)) {
    problems.push(problem([...path, 'phone'], 'must be 7 to 15 digits with country code, without a leading 0 or +'));
  }
  if (typeof message !== 'string') problems.push(problem([...path, 'message'], mustBeText(message)));
  else if (message.trim() === '') problems.push(problem([...path, 'message'], 'must not be empty'));
  else if (maximum > 0 && characters(message) > maximum) {
    problems.push(
      problem([...path, 'message'], `must have at most ${maximum} characters, not ${characters(message)}`, true),
    );
  }
  if (problems.length > 0 || typeof phone !== 'string' || typeof message !== 'string') return problems;
  return { phone, message };
}

/** Characters are Unicode code points: an emoji outside the basic plane is one. */
function characters(text: string): number {
  return Array.from(text).length;
}

function mustBeText(value: unknown): string {
  return value === undefined ? 'is required' : 'must be a string';
}

function problem(path: Problem['path'], message: string, overLimit = false): Problem {
  return { path, message, overLimit };
}

function invalid(path: Problem['path'], message: string, overLimit = false): Validated {
  return { kind: 'invalid', problems: [problem(path, message, overLimit)] };
}
