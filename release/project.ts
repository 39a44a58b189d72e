import { readProjectFile } from '../tools/project';
import type { ReleaseInput } from './version';

/** The fields of package.json that the release checks read; the linter checks what it must contain. */
export interface Manifest {
  name: string;
  version: string;
  homepage: string;
  repository: { url: string };
  optionalDependencies?: Record<string, string>;
  bundleDependencies?: unknown;
  n8n: { nodes: string[]; credentials: string[] };
}

/** package.json of the checkout. */
export function readManifest(): Manifest {
  return JSON.parse(readProjectFile('package.json')) as Manifest;
}

/** The facts about the checkout's version that a tag must agree with. */
export function readReleaseInput(): Omit<ReleaseInput, 'tag'> {
  const { version, repository } = readManifest();
  const lock = JSON.parse(readProjectFile('package-lock.json')) as { version: string };
  return {
    version,
    lockVersion: lock.version,
    changelog: readProjectFile('CHANGELOG.md'),
    repositoryUrl: repository.url,
  };
}
