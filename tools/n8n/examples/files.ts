/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

import { asObject, asObjects, type JsonObject } from '../../json';
import { PROJECT_FOLDER } from '../../project';

export const EXAMPLES_FOLDER = path.join(PROJECT_FOLDER, 'examples');

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

export async function readExample(name: string): Promise<JsonObject> {
  const file = exampleFile(name);
  return asObject(JSON.parse(await readFile(file, 'utf8')), file);
}

export function nodesOf(workflow: JsonObject): JsonObject[] {
  return asObjects(workflow.nodes, 'workflow.nodes');
}
