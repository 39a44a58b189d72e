import { copyFile, readFile } from 'node:fs/promises';
import path from 'node:path';

import { parse } from 'csv-parse/sync';

import { filesFolderOf } from '../settings';
import { EXAMPLES_FOLDER } from './files';

/** The list that comes with the examples. */
const EXAMPLE_CONTACTS = path.join(EXAMPLES_FOLDER, 'contacts.csv');

/** One row of the list: its columns by name, always text. */
export type Contact = Record<string, string>;

/** Reads the list independently of n8n, to know what must come of it. */
export async function readContacts(): Promise<Contact[]> {
  return parse(await readFile(EXAMPLE_CONTACTS), { columns: true, bom: true });
}

/**
 * Copies the list to where the contacts example reads it.
 *
 * @param userFolder  n8n's home
 */
export async function provideContacts(userFolder: string): Promise<void> {
  await copyFile(EXAMPLE_CONTACTS, path.join(filesFolderOf(userFolder), 'contacts.csv'));
}
