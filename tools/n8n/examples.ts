/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { copyFile, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

import { PROJECT_FOLDER } from '../project';
import { filesFolderOf } from './settings';
import { WORKFLOW, type Workflow } from './workflow';

const EXAMPLES_FOLDER = path.join(PROJECT_FOLDER, 'examples');

/** The list that the contacts example reads. */
export const EXAMPLE_CONTACTS = path.join(EXAMPLES_FOLDER, 'contacts.csv');

/** The name of the example that sends to a list of contacts. */
export const CONTACTS_EXAMPLE = 'contacts-to-bulk';

const ENDING = '.json';

/** The names of all examples in alphabetical order: their file names without the ending. */
export async function exampleNames(): Promise<string[]> {
  const files = await readdir(EXAMPLES_FOLDER);
  return files
    .filter((file) => file.endsWith(ENDING))
    .map((file) => path.basename(file, ENDING))
    .sort();
}

export function exampleFile(name: string): string {
  return path.join(EXAMPLES_FOLDER, `${name}${ENDING}`);
}

export async function readExample(name: string): Promise<Workflow> {
  return WORKFLOW.parse(JSON.parse(await readFile(exampleFile(name), 'utf8')));
}

/** The names of the nodes of the contacts example. */
export function contactsExampleNodes({ nodes }: Workflow) {
  const nameOf = (type: string) => nodes.find((node) => node.type === type)?.name ?? `no ${type}`;
  return {
    trigger: nameOf('n8n-nodes-base.manualTrigger'),
    contacts: nameOf('n8n-nodes-base.extractFromFile'),
    sender: nameOf('n8n-nodes-messaging-send.messagingSend'),
  };
}

/** Copies the list to the folder where the contacts example reads it. */
export async function provideContacts(userFolder: string): Promise<void> {
  await copyFile(EXAMPLE_CONTACTS, path.join(filesFolderOf(userFolder), 'contacts.csv'));
}
