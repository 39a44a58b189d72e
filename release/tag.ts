/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { appendFileSync } from 'node:fs';

import { Command } from 'commander';
import { prerelease, valid } from 'semver';

import { readManifest, readProjectFile } from '../tools/project';

const [tag = ''] = new Command('npm run release:tag --')
  .description('Checks whether a tag can be published.')
  .argument('<tag>', 'such as v1.2.3')
  .parse().args;
const { version, repository } = readManifest();
const { version: lockVersion } = JSON.parse(readProjectFile('package-lock.json')) as { version: string };
const sections = readProjectFile('CHANGELOG.md').split(/^## /m);
const sectionOf = (name: string) => sections.find((section) => section.startsWith(`[${name}]`)) ?? '';
const hasEntries = (section: string) => /^- /m.test(section);
/** Set on GitHub, where the tag is published from. */
const { GITHUB_REPOSITORY: publishedFrom, GITHUB_OUTPUT: output } = process.env;

const conditions: Array<[holds: boolean, problem: string]> = [
  [valid(version) === version, `package.json: "${version}" is not a version as semver.org defines it.`],
  [tag === `v${version}`, `The tag is "${tag}"; for version ${version} in package.json it must be v${version}.`],
  [lockVersion === version, `package-lock.json has version ${lockVersion}: run npm install.`],
  [
    /^\S+ - \d{4}-\d{2}-\d{2}\n/.test(sectionOf(version)) && hasEntries(sectionOf(version)),
    `CHANGELOG.md has no heading "[${version}] - <date>" with entries.`,
  ],
  [!hasEntries(sectionOf('Unreleased')), `CHANGELOG.md: entries under [Unreleased] belong to [${version}].`],
  // npm compares the address with the one in the provenance, case included.
  [
    publishedFrom === undefined || repository.url === `git+https://github.com/${publishedFrom}.git`,
    `package.json: repository.url is ${repository.url}; it must be git+https://github.com/${publishedFrom}.git.`,
  ],
];
const problems = conditions.flatMap(([holds, problem]) => (holds ? [] : problem));
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);

// Users get `latest` unless they ask for another.
const distTag = prerelease(version) === null ? 'latest' : 'next';
console.log(`${tag} can be published, as "${distTag}".`);
if (output !== undefined) appendFileSync(output, `dist-tag=${distTag}\n`);
