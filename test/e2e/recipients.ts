import { type Sandbox } from '../../sandbox/server';

/** A message, as in a list for Send Bulk. */
export interface Listed {
  phone: string;
  message: string;
}

/** The messages that a sandbox has received, in the order of their numbers: batches may arrive in any order. */
export function receivedBy(sandbox: Sandbox): Listed[] {
  return sandbox
    .messages()
    .map(({ phone, message }) => ({ phone, message }))
    .sort(byPhone);
}

/** Compares two messages by their numbers. */
export function byPhone(left: { phone: unknown }, right: { phone: unknown }): number {
  return String(left.phone).localeCompare(String(right.phone));
}
