/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { copyFile } from 'node:fs/promises';
import path from 'node:path';

import { filesFolderOf } from '../settings';
import { EXAMPLES_FOLDER } from './files';

export const EXAMPLE_CONTACTS = path.join(EXAMPLES_FOLDER, 'contacts.csv');

/** Copies the list to the folder where the contacts example reads it. */
export async function provideContacts(userFolder: string): Promise<void> {
  await copyFile(EXAMPLE_CONTACTS, path.join(filesFolderOf(userFolder), 'contacts.csv'));
}
