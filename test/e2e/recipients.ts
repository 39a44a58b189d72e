import { type Sandbox } from '../../sandbox/server';

/** A message, as in a list for Send Bulk. */
export interface Listed {
  phone: string;
  message: string;
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
