/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { readdir } from 'node:fs/promises';
import path from 'node:path';

import { Argument, Command } from 'commander';
import { execa } from 'execa';

import { runSession } from '../../tools/cli/session';
import { makeTemporaryFolder } from '../../tools/cli/temporaryFolder';
import { findN8n } from '../../tools/n8n/install';
import { packPackage, TARBALL_VARIABLE } from '../../tools/n8n/package';
import { N8N_VARIABLE, NEWEST_ONLY_VARIABLE, SUPPORTED } from '../../tools/n8n/releases';

/** How the name of a part's file ends. */
const ENDING = '.test.ts';

/** Some of their time is waiting. */
const AT_THE_SAME_TIME = 3;

void runSession(async (session) => {
  const { signal, cleanup, say } = session;
  const names = await readdir(import.meta.dirname);
  const all = names.filter((name) => name.endsWith(ENDING)).map((name) => path.basename(name, ENDING));
  const command = new Command('npm run test:e2e --')
    .description('Tests the packed package in real n8n.')
    .addArgument(new Argument('[parts...]', 'all of them by default').choices(all.sort()))
    .option('--install-only', 'installs n8n, and tests nothing')
    .addHelpText(
      'after',
      `\n${TARBALL_VARIABLE} names a packed package to test, instead of packing this one.\n${N8N_VARIABLE} names a command that starts the n8n to test in.\n${NEWEST_ONLY_VARIABLE}=1 leaves out the oldest release.`,
    )
    .parse();
  const parts = command.args.length === 0 ? all : command.args;
  // Installed here, because parts that start together would install the same one at the same time.
  await Promise.all(SUPPORTED.map((release) => findN8n(release, session)));
  if (command.opts<{ installOnly?: boolean }>().installOnly === true) return 0;
  if (process.env[TARBALL_VARIABLE] === undefined) {
    say('Building and packing the package');
    // The processes of the tests inherit it.
    process.env[TARBALL_VARIABLE] = await packPackage(await makeTemporaryFolder('packed', cleanup), signal);
  }
  const files = parts.map((part) => path.join(import.meta.dirname, `${part}${ENDING}`));
  const flags = ['--import', 'tsx', '--test', '--test-reporter=spec', `--test-concurrency=${AT_THE_SAME_TIME}`];
  const { exitCode = 1 } = await execa(process.execPath, [...flags, ...files], {
    stdio: 'inherit',
    reject: false,
    cancelSignal: signal,
  });
  signal.throwIfAborted();
  return exitCode;
});
