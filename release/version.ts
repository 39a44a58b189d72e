import { prerelease, valid } from 'semver';

export interface ReleaseInput {
  /** The tag on the commit, such as `v1.2.3`. */
  tag: string;
  /** The version in package.json. */
  version: string;
  /** The version at the top of package-lock.json, which `npm ci` doesn't compare. */
  lockVersion: string;
  /** The text of CHANGELOG.md. */
  changelog: string;
  /** `repository.url` of package.json. */
  repositoryUrl: string;
  /** The repository that publishes, as `owner/name`; without it, `repositoryUrl` is not checked. */
  publishedFrom?: string;
}

/** @returns what prevents a tag from being published, a sentence each; empty if nothing does. */
export function releaseProblems(input: ReleaseInput): string[] {
  const { tag, version, lockVersion, changelog, repositoryUrl, publishedFrom } = input;
  return [
    ...(valid(version) === version ? [] : [`package.json: "${version}" is not a version as semver.org defines it.`]),
    ...(tag === `v${version}`
      ? []
      : [`The tag is ${tag}; for version ${version} in package.json it must be v${version}.`]),
    ...(lockVersion === version ? [] : [`package-lock.json has version ${lockVersion}: run npm install.`]),
    ...changelogProblems(changelog, version),
    ...(publishedFrom === undefined ? [] : repositoryProblems(repositoryUrl, publishedFrom)),
  ];
}

/** @returns npm's tag for a version: users get `latest` unless they ask for another. */
export function distTagOf(version: string): 'latest' | 'next' {
  return prerelease(version) === null ? 'latest' : 'next';
}

const RELEASE_HEADING = /^\[(.+)\] - \d{4}-\d{2}-\d{2}$/;

/** The newest section must be about this version, and all entries of the tagged code must be in a version's section. */
function changelogProblems(changelog: string, version: string): string[] {
  const sections = changelog.split(/^## /m).slice(1);
  const newest = sections.find((section) => headingOf(section) !== '[Unreleased]') ?? '';
  const unreleased = sections.find((section) => headingOf(section) === '[Unreleased]') ?? '';
  const isAboutVersion = RELEASE_HEADING.exec(headingOf(newest))?.[1] === version;
  const left = countEntries(unreleased);
  return [
    ...(isAboutVersion
      ? []
      : [`CHANGELOG.md: the newest heading is "${headingOf(newest)}"; it must be "[${version}] - <date>".`]),
    ...(isAboutVersion && countEntries(newest) === 0 ? [`CHANGELOG.md: [${version}] has no entry.`] : []),
    ...(left === 0 ? [] : [`CHANGELOG.md: entries under [Unreleased] belong to [${version}]: ${left}.`]),
  ];
}

function headingOf(section: string): string {
  return section.split('\n')[0]?.trim() ?? '';
}

function countEntries(section: string): number {
  return section.match(/^- /gm)?.length ?? 0;
}

/** npm compares the address with the one in the provenance, case included. */
function repositoryProblems(url: string, publishedFrom: string): string[] {
  const expected = `git+https://github.com/${publishedFrom}.git`;
  return url === expected
    ? []
    : [`package.json: repository.url is ${url}; to publish from ${publishedFrom} it must be ${expected}.`];
}
