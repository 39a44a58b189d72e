import { type Sandbox } from '../../sandbox/server';

/** A message, as in a list for Send Bulk. */
export interface Listed {
  phone: string;
  message: string;
}

/** A made-up number, another one for each index below 100,000. */
export function phoneAt(index: number): string {
  return `4477009${String(index).padStart(5, '0')}`;
}

/** A list of so many messages, each with its own number and text. */
export function listOf(count: number): Listed[] {
  return Array.from({ length: count }, (_slot, index) => ({ phone: phoneAt(index), message: `Hello ${index}` }));
}

/** The messages that a sandbox has received, in the order of their numbers: batches may arrive in any order. */
export function receivedBy(sandbox: Sandbox): Listed[] {
  return sorted(sandbox.messages().map(({ phone, message }) => ({ phone, message })));
}

/** Messages in the order of their numbers. */
export function sorted(messages: readonly Listed[]): Listed[] {
  return messages.toSorted(byPhone);
}

/** Compares two messages by their numbers. */
export function byPhone(left: { phone: unknown }, right: { phone: unknown }): number {
  return String(left.phone).localeCompare(String(right.phone));
}

/** {@link listOf} as an expression for the parameter Messages of Send Bulk. */
export function listExpression(count: number): string {
  return `={{ Array.from({ length: ${count} }, (_, index) => ({ phone: '4477009' + String(index).padStart(5, '0'), message: 'Hello ' + index })) }}`;
}
