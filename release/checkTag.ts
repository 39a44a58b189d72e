import { appendFileSync } from 'node:fs';

import { readReleaseInput } from './project';
import { distTagOf, releaseProblems } from './version';

const [tag] = process.argv.slice(2);
if (tag === undefined) {
  console.error('Usage: npm run release:tag -- v1.2.3');
  process.exit(2);
}

const input = readReleaseInput();
// Set on GitHub, where the tag is published from.
const problems = releaseProblems({ ...input, tag, publishedFrom: process.env.GITHUB_REPOSITORY });
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);

const distTag = distTagOf(input.version);
console.log(`${tag} can be published, as "${distTag}".`);
const output = process.env.GITHUB_OUTPUT;
if (output !== undefined) appendFileSync(output, `dist-tag=${distTag}\n`);
