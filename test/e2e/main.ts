import '../../demo/requirements';

import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { run } from 'node:test';

import { Command } from 'commander';

import { DemoFailure } from '../../demo/failure';
import { packPackage } from '../../demo/package';
import { runSession } from '../../demo/session';
import { ENDING, report } from './report';
import { TARBALL_VARIABLE } from './tarball';

void runSession(async ({ signal, closing, say }) => {
  const parts = chooseParts(await findParts());

  if (process.env[TARBALL_VARIABLE] === undefined) {
    say('Building and packing the package');
    const folder = await mkdtemp(path.join(tmpdir(), 'n8n-messaging-send-packed-'));
    closing.add(() => rm(folder, { recursive: true, force: true }));
    // The parts run in processes of their own, which inherit it.
    process.env[TARBALL_VARIABLE] = await packPackage(folder, signal);
  }

  // One after the other: some measure time, and each n8n takes what it can get of the machine.
  const files = parts.map((part) => path.join(import.meta.dirname, `${part}${ENDING}`));
  const { passed, failed } = await report(run({ files, concurrency: 1, signal }), say);
  signal.throwIfAborted();
  await closing.close();
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
    throw new DemoFailure(`There is no part ${unknown.join(', ')}. The parts are ${all.join(', ')}.`);
  return command.args.length === 0 ? all : command.args;
}
