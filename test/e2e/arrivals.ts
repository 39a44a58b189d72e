import { type Sandbox } from '../../sandbox/server';
import { type JsonObject } from '../../tools/n8n/workflow';

export interface Listed {
  phone: string;
  message: string;
}

/** The messages that a sandbox has received, in the order of their numbers: batches may arrive in any order. */
export const receivedBy = (sandbox: Sandbox): Listed[] =>
  sandbox
    .messages()
    .map(({ phone, message }) => ({ phone, message }))
    .sort((left, right) => left.phone.localeCompare(right.phone));

export const indexes = (count: number): number[] => Array.from({ length: count }, (_slot, index) => index);

/** A list for Send Bulk as an expression; without a text it is `listOf(count)`. */
export const listExpression = (count: number, text = "'Hello ' + index"): string =>
  `={{ Array.from({ length: ${count} }, (_, index) => ({ phone: '4477009' + String(index).padStart(5, '0'), message: ${text} })) }}`;

/** The indexes of the messages that have arrived with this name in brackets; one that arrived twice is there twice. */
export function arrivedFrom(sandbox: Sandbox, name: string): number[] {
  const own = sandbox.messages().filter(({ message }) => message.startsWith(`[${name}]`));
  return own.map(({ message }) => Number(/^\S+ (\d+)/.exec(message)?.[1])).sort((left, right) => left - right);
}

/** What an item reports; `before` if an earlier attempt has sent its message, no matter which memory knows it. */
export function outcomeOf({ status, reason, message_id: id, error, details }: JsonObject): string {
  if (status === 'skipped') return String(reason);
  if (error === undefined) return id === null ? 'before' : String(status);
  return String((details as JsonObject | undefined)?.outcome);
}
