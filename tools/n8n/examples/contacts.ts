import { copyFile, readFile } from 'node:fs/promises';
import path from 'node:path';

import { parse } from 'csv-parse/sync';

import { ExpectedError, messageOf, systemCode } from '../../cli/errors';
import { asObjects, asString, type JsonObject } from '../../json';
import { filesFolderOf } from '../settings';
import { EXAMPLES_FOLDER } from './files';

/** The list that comes with the examples. */
export const EXAMPLE_CONTACTS = path.join(EXAMPLES_FOLDER, 'contacts.csv');

/** One row of the list: its columns by name, always text. */
export type Contact = Record<string, string>;

/**
 * Reads a list of contacts, independently of n8n, to know what must come of it.
 *
 * @throws ExpectedError when the file isn't there, isn't CSV or has no column `phone`
 */
export async function readContacts(file: string): Promise<Contact[]> {
  try {
    const rows: unknown = parse(await readFile(file), { columns: true, bom: true, skip_empty_lines: true });
    const contacts = asObjects(rows, file).map(asContact);
    if (contacts[0]?.phone === undefined) throw new Error('it has no column "phone", or no rows');
    return contacts;
  } catch (failure) {
    if (systemCode(failure) === 'ENOENT') throw new ExpectedError(`There is no file ${file}`);
    throw new ExpectedError(`${file} can't be used: ${messageOf(failure)}`);
  }
}

function asContact(row: JsonObject): Contact {
  return Object.fromEntries(Object.entries(row).map(([column, cell]) => [column, asString(cell, column)]));
}

/**
 * Copies a list to where the contacts example reads it.
 *
 * @param userFolder  n8n's home
 */
export async function provideContacts(userFolder: string, file = EXAMPLE_CONTACTS): Promise<void> {
  await copyFile(file, path.join(filesFolderOf(userFolder), 'contacts.csv'));
}
