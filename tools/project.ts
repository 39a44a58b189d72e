/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { readFileSync } from 'node:fs';
import path from 'node:path';

export const PROJECT_FOLDER = path.resolve(__dirname, '..');

/** @param file  a path from the folder of the checkout */
export function readProjectFile(file: string): string {
  return readFileSync(path.join(PROJECT_FOLDER, file), 'utf8');
}

/** The parts of package.json that tests and release read; the linter checks what it must contain. */
interface Manifest {
  name: string;
  version: string;
  homepage: string;
  repository: { url: string };
  optionalDependencies?: Record<string, string>;
  bundleDependencies?: unknown;
  n8n: { nodes: string[]; credentials: string[] };
}

export function readManifest(): Manifest {
  return JSON.parse(readProjectFile('package.json')) as Manifest;
}
