import '../../tools/cli/requirements';

import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

import { Command } from 'commander';

import { ExpectedError } from '../../tools/cli/errors';
import { runSession } from '../../tools/cli/session';
import { installN8n } from '../../tools/n8n/install';
import { SUPPORTED } from '../../tools/n8n/releases';
import { providePackage, TARBALL_VARIABLE } from './tarball';

/** How the name of a part's file ends. */
const ENDING = '.test.ts';

/** Parts that run first and alone, because they need the whole machine. */
const ALONE = ['load'];

void runSession(async (session) => {
  const { signal, cleanup, say } = session;
  const parts = chooseParts(await findParts());
  await providePackage(session);
  // Here, because two parts that start together would both install the same one.
  for (const release of SUPPORTED) await installN8n(release, session);
  const { passed, failed } = await runParts(parts, signal);
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

function chooseParts(all: string[]): string[] {
  const command = new Command('npm run test:e2e --')
    .description('Tests the packed package in real n8n.')
    .argument('[parts...]', `any of ${all.join(', ')}; without one, all of them`)
    .addHelpText('after', `\n${TARBALL_VARIABLE} names a packed package to test, instead of packing this one.`)
    .parse();
  const unknown = command.args.filter((part) => !all.includes(part));
  if (unknown.length > 0)
    throw new ExpectedError(`There is no part ${unknown.join(', ')}. The parts are ${all.join(', ')}.`);
  return command.args.length === 0 ? all : command.args;
}

/** Runs parts two at a time, because much of their time is waiting. */
async function runParts(parts: string[], signal: AbortSignal): Promise<{ passed: number; failed: number }> {
  const counts = { passed: 0, failed: 0 };
  for (const isAlone of [true, false]) {
    const own = parts.filter((part) => ALONE.includes(part) === isAlone);
    if (own.length === 0) continue;
    const files = own.map((part) => path.join(import.meta.dirname, `${part}${ENDING}`));
    const concurrency = isAlone ? 1 : 2;
    const events = run({ files, concurrency, signal });
    events.on('test:pass', ({ skip, details }) => {
      if (details.type !== 'suite' && skip === undefined) counts.passed += 1;
    });
    events.on('test:fail', ({ details: { error } }) => {
      // What fails only because of a test within it is not one more failure.
      if (!('failureType' in error) || error.failureType !== 'subtestsFailed') counts.failed += 1;
    });
    for await (const text of events.compose(new spec())) process.stdout.write(String(text));
  }
  return counts;
}
