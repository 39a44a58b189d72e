import { prerelease, valid } from 'semver';

import { readChangelog } from './changelog';

export interface ReleaseInput {
  /** The tag on the commit, such as `v1.2.3`. */
  tag: string;
  /** The version in package.json. */
  version: string;
  /** The version at the top of package-lock.json, which npm ci doesn't compare. */
  lockVersion: string;
  /** The text of CHANGELOG.md. */
  changelog: string;
  /** `repository.url` of package.json. */
  repositoryUrl: string;
  /** The repository that publishes, as `owner/name`; without one, this is not checked. */
  publishedFrom?: string;
}

/** @returns what keeps a tag from being published, a sentence each; nothing if all is well. */
export function releaseProblems(input: ReleaseInput): string[] {
  const { tag, version, lockVersion, changelog, repositoryUrl, publishedFrom } = input;
  const { releases, unreleased, problems } = readChangelog(changelog);
  const newest = releases[0]?.version;
  return [
    ...(valid(version) === version ? [] : [`package.json: "${version}" is no version by semver.org.`]),
    ...(tag === `v${version}`
      ? []
      : [`The tag is ${tag}, and the version in package.json is ${version}: the tag has to be v${version}.`]),
    ...(lockVersion === version ? [] : [`package-lock.json is of version ${lockVersion}: run npm install.`]),
    ...problems.map((problem) => `CHANGELOG.md: ${problem}`),
    ...(newest === version ? [] : [`CHANGELOG.md: the newest version is ${newest ?? 'none'}, not ${version}.`]),
    // They are in the tagged code, so they belong to this version.
    ...(unreleased === 0 ? [] : [`CHANGELOG.md: ${unreleased} entries under [Unreleased] belong to ${version}.`]),
    ...(publishedFrom === undefined ? [] : repositoryProblems(repositoryUrl, publishedFrom)),
  ];
}

/** @returns the name under which npm keeps a version: only those without a suffix are what a user gets unasked. */
export function distTagOf(version: string): 'latest' | 'next' {
  return prerelease(version) === null ? 'latest' : 'next';
}

/** npm compares the address with the one in the provenance, upper and lower case included. */
function repositoryProblems(url: string, publishedFrom: string): string[] {
  const expected = `git+https://github.com/${publishedFrom}.git`;
  return url === expected
    ? []
    : [`package.json: repository.url is ${url}; to publish from here it has to be ${expected}.`];
}
