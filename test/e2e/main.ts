import '../../tools/cli/requirements';

import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

import { Command } from 'commander';

import { ExpectedError } from '../../tools/cli/errors';
import { runSession } from '../../tools/cli/session';
import { makeTemporaryFolder } from '../../tools/cli/temporaryFolder';
import { findN8n } from '../../tools/n8n/install';
import { packPackage, TARBALL_VARIABLE } from '../../tools/n8n/package';
import { N8N_VARIABLE, NEWEST_ONLY_VARIABLE, SUPPORTED } from '../../tools/n8n/releases';

/** How the name of a part's file ends. */
const ENDING = '.test.ts';

/** They take longest, and start first. */
const LONG = ['queue', 'nineOclock', 'examples', 'editor'];

/** Some of their time is waiting. */
const AT_THE_SAME_TIME = 3;

interface Counts {
  passed: number;
  failed: number;
}

void runSession(async (session) => {
  const { signal, cleanup, say } = session;
  const { parts, installOnly } = readCommand(await findParts());
  // Installed here, because parts that start together would install the same one at the same time.
  await Promise.all(SUPPORTED.map((release) => findN8n(release, session)));
  if (installOnly) return 0;
  if (process.env[TARBALL_VARIABLE] === undefined) {
    say('Building and packing the package');
    // The processes of the tests inherit it.
    process.env[TARBALL_VARIABLE] = await packPackage(await makeTemporaryFolder('packed', cleanup), signal);
  }
  const { passed, failed } = await runAll(parts, signal);
  signal.throwIfAborted();
  await cleanup.run();
  say(`${passed} passed, ${failed} failed`);
  return failed === 0 && passed > 0 ? 0 : 1;
});

async function findParts(): Promise<string[]> {
  const names = await readdir(import.meta.dirname);
  return names
    .filter((name) => name.endsWith(ENDING))
    .map((name) => path.basename(name, ENDING))
    .sort();
}

function readCommand(all: string[]): { parts: string[]; installOnly: boolean } {
  const command = new Command('npm run test:e2e --')
    .description('Tests the packed package in real n8n.')
    .argument('[parts...]', `any of ${all.join(', ')}; without one, all of them`)
    .option('--install-only', 'installs n8n, and tests nothing')
    .addHelpText(
      'after',
      `\n${TARBALL_VARIABLE} names a packed package to test, instead of packing this one.\n${N8N_VARIABLE} names a command that starts the n8n to test in.\n${NEWEST_ONLY_VARIABLE}=1 leaves out the oldest release.`,
    )
    .parse();
  const unknown = command.args.filter((part) => !all.includes(part));
  if (unknown.length > 0)
    throw new ExpectedError(`There is no part ${unknown.join(', ')}. The parts are ${all.join(', ')}.`);
  const { installOnly = false } = command.opts<{ installOnly?: boolean }>();
  return { parts: command.args.length === 0 ? all : command.args, installOnly };
}

/** Runs the parts and prints what their tests say. */
async function runAll(parts: string[], signal: AbortSignal): Promise<Counts> {
  const counts = { passed: 0, failed: 0 };
  const ordered = [...LONG.filter((part) => parts.includes(part)), ...parts.filter((part) => !LONG.includes(part))];
  const files = ordered.map((part) => path.join(import.meta.dirname, `${part}${ENDING}`));
  const events = run({ files, concurrency: AT_THE_SAME_TIME, signal });
  events.on('test:pass', ({ skip, details }) => {
    if (details.type !== 'suite' && skip === undefined) counts.passed += 1;
  });
  events.on('test:fail', ({ details: { error } }) => {
    // A describe that fails because of a test in it isn't counted as another failure.
    if (!('failureType' in error) || error.failureType !== 'subtestsFailed') counts.failed += 1;
  });
  for await (const text of events.compose(new spec())) process.stdout.write(String(text));
  return counts;
}
