import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { parse } from 'csv-parse/sync';

import { PROJECT_FOLDER } from '../tools/project';
import { DemoFailure, systemCode } from './failure';
import { asArray, asObject, asString } from './json';

/** The list that comes with the examples. */
export const EXAMPLE_CONTACTS = path.join(PROJECT_FOLDER, 'examples', 'contacts.csv');

/** One row of the list: its columns by name, always text. */
export type Contact = Record<string, string>;

/**
 * Reads a list of contacts, apart from n8n, to know what has to come of it.
 *
 * @throws DemoFailure when the file isn't there, isn't CSV or has no column `phone`
 */
export async function readContacts(file: string): Promise<Contact[]> {
  try {
    const rows: unknown = parse(await readFile(file), { columns: true, bom: true, skip_empty_lines: true });
    const contacts = asArray(rows, file).map((row) => asContact(row, file));
    if (contacts[0]?.phone === undefined) throw new Error('it has no column "phone", or no rows');
    return contacts;
  } catch (failure) {
    if (systemCode(failure) === 'ENOENT') throw new DemoFailure(`There is no file ${file}`);
    throw new DemoFailure(`${file} can't be used: ${failure instanceof Error ? failure.message : String(failure)}`);
  }
}

/**
 * The number a message to this contact has to go to, by the API document (4.2): digits with the country code,
 * no leading 0 or +. Written apart from the node's own rule, which it checks.
 *
 * @returns `undefined` for a contact that can't be reached
 */
export function expectedPhone(contact: Contact): string | undefined {
  const bare = (contact.phone ?? '').replace(/[\s().-]/g, '');
  const digits = bare.replace(/^(\+|00)/, '');
  return /^[1-9]\d{6,14}$/.test(digits) ? digits : undefined;
}

/**
 * The text a contact has to receive.
 *
 * @param template  the workflow's expression: plain text with places such as `{{ $json.name }}`
 */
export function expectedMessage(template: string, contact: Contact): string {
  const place = /\{\{\s*\$json\.(\w+)\s*\}\}/g;
  return template.replace(/^=/, '').replace(place, (_place, column: string) => contact[column] ?? '');
}

function asContact(row: unknown, file: string): Contact {
  const cells = Object.entries(asObject(row, `a row of ${file}`));
  return Object.fromEntries(cells.map(([column, cell]) => [column, asString(cell, column)]));
}
