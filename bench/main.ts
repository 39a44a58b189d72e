/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
/** `npm run bench [-- part…]`: measures, prints tables and writes the results in README.md. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

import { Argument, Command, InvalidArgumentError } from 'commander';

import { runSession } from '../tools/cli/session';
import { PROJECT_FOLDER } from '../tools/project';
import { bare } from './bare';
import { http } from './http';
import { journal } from './journal';
import { limit } from './limit';
import { list } from './list';
import type { Options, Row } from './measurements';
import { pack } from './packages';
import { print, write } from './report';
import { webhook } from './webhook';

const PARTS: Readonly<Record<string, (options: Options) => Promise<Row[]>>> = {
  bare,
  http,
  limit,
  webhook,
  list,
  journal,
};

const command = new Command('npm run bench --')
  .description('Compares this node with what you would use without it.')
  .addArgument(new Argument('[parts...]', 'all of them by default').choices(Object.keys(PARTS)))
  .option('--rounds <count>', 'how often each contender is measured', wholeNumber, 3)
  .option('--before <package>', 'compares with this one: a folder, a tarball, or name@version; writes no results')
  .parse();

// Each process and each folder listens for the end of the command.
process.setMaxListeners(0);
await runSession(async (session) => {
  const { rounds, before } = command.opts<{ rounds: number; before?: string }>();
  const own = await pack(PROJECT_FOLDER, session);
  const old = before === undefined ? undefined : await pack(existsSync(before) ? resolve(before) : before, session);
  const chosen = command.args.length > 0 ? command.args : Object.keys(PARTS);
  for (const [part, measure] of Object.entries(PARTS).filter(([name]) => chosen.includes(name))) {
    session.say(`== ${part}`);
    const rows = await measure({ rounds, own, before: old, session });
    print(part, rows);
    if (old === undefined) await write(part, rows);
  }
  return 0;
});
// n8n's engine leaves timers running.
process.exit();

function wholeNumber(text: string): number {
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Use a whole number from 1.');
}
