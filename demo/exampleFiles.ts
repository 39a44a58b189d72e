import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

import { PROJECT_FOLDER } from '../tools/project';
import { asArray, asObject, type JsonObject } from './json';

/** Where the examples are. */
export const EXAMPLES_FOLDER = path.join(PROJECT_FOLDER, 'examples');

const ENDING = '.json';

/** The names of all examples, in alphabetical order: those of their files, without the ending. */
export async function exampleNames(): Promise<string[]> {
  const files = await readdir(EXAMPLES_FOLDER);
  return files
    .filter((file) => file.endsWith(ENDING))
    .map((file) => path.basename(file, ENDING))
    .sort();
}

/** Reads the workflow of an example. */
export async function readExampleFile(name: string): Promise<JsonObject> {
  const file = path.join(EXAMPLES_FOLDER, `${name}${ENDING}`);
  const parsed: unknown = JSON.parse(await readFile(file, 'utf8'));
  return asObject(parsed, file);
}

/** The nodes of a workflow. */
export function nodesOf(workflow: JsonObject): JsonObject[] {
  return asArray(workflow.nodes, 'workflow.nodes').map((node) => asObject(node, 'a node'));
}
