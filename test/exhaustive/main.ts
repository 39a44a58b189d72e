/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
/** `npm run test:exhaustive`: every kill, every order of two attempts, and many random histories. `npm test` runs a sample. */
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';

import { Command } from 'commander';

import { wholeNumber } from '../../tools/cli/numbers';
import { summarize } from '../../tools/cli/summary';

const command = new Command('npm run test:exhaustive --')
  .description(
    'Kills n8n at every moment of small campaigns, explores every order of two attempts, and runs random histories.',
  )
  .argument('[suites...]', 'everyKill, interleavings, histories; without one, all of them')
  .option('--runs <count>', 'how many random histories to run', wholeNumber, 2000)
  .option('--seed <number>', 'the seed of an earlier run, to repeat it', wholeNumber, randomInt(2 ** 31))
  .option('--minutes <count>', 'start again with another seed, until so many minutes have passed', wholeNumber, 0)
  .parse();
const { runs, seed: first, minutes } = command.opts<{ runs: number; seed: number; minutes: number }>();
const suites = command.args.map((suite) => `test/exhaustive/${suite}`);
const files = suites.length > 0 ? suites : ['test/exhaustive'];
const end = Date.now() + minutes * 60_000;

for (let seed = first; ; seed = randomInt(2 ** 31)) {
  // More workers than processors: much of their time is waiting.
  const { status } = spawnSync('jest', ['--seed', String(seed), '--maxWorkers', '4', ...files], {
    env: { ...process.env, MESSAGING_SEND_HISTORIES: String(runs) },
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
  const repeat = ['npm run test:exhaustive --', ...command.args, `--runs ${runs} --seed ${seed}`].join(' ');
  summarize(`${runs} histories with seed ${seed} ${status === 0 ? 'passed' : '**failed**'}. To repeat them: ${repeat}`);
  if (status !== 0 || Date.now() >= end) break;
}
