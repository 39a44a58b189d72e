import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The folder of the checkout. */
export const PROJECT_FOLDER = path.resolve(__dirname, '..');

/** @param file  a path from the folder of the checkout */
export function readProjectFile(file: string): string {
  return readFileSync(path.join(PROJECT_FOLDER, file), 'utf8');
}
