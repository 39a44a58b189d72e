import { readProjectFile } from '../tools/project';
import type { Manifest } from './contents';
import type { ReleaseInput } from './version';

/** package.json of the checkout; what it has to hold is checked by the linter. */
export function readManifest(): Manifest {
  return JSON.parse(readProjectFile('package.json')) as Manifest;
}

/** What the checkout says of its version, to compare with a tag. */
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
