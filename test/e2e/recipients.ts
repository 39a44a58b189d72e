/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { readFile } from 'node:fs/promises';

import { parse } from 'csv-parse/sync';

import { type Sandbox } from '../../sandbox/server';
import { EXAMPLE_CONTACTS } from '../../tools/n8n/examples';

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

export function byPhone(left: { phone: unknown }, right: { phone: unknown }): number {
  return String(left.phone).localeCompare(String(right.phone));
}

/** One row of the list of the contacts example: its columns by name, always text. */
type Contact = Record<string, string>;

/** Reads the list independently of n8n, to know what must come of it. */
export const readContacts = async (): Promise<Contact[]> =>
  parse(await readFile(EXAMPLE_CONTACTS), { columns: true, bom: true });

/**
 * The number a message to this contact must go to, by the API document (4.2): digits with the country code, no
 * leading 0 or +. Written independently of the node's own rule, which it checks.
 *
 * @returns `undefined` for a contact that can't be reached
 */
export function expectedPhone(contact: Contact): string | undefined {
  const bare = (contact.phone ?? '').replace(/[\s().-]/g, '');
  const digits = bare.replace(/^(\+|00)/, '');
  return /^[1-9]\d{6,14}$/.test(digits) ? digits : undefined;
}
