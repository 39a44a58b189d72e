/** `npm run test:exhaustive`: every kill, every order of two attempts, and many random histories. `npm test` runs a sample. */
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';

import { Command, InvalidArgumentError } from 'commander';

const command = new Command('npm run test:exhaustive --')
  .description(
    'Kills n8n at every moment of small campaigns, explores every order of two attempts, and runs random histories.',
  )
  .argument('[suites...]', 'everyKill, interleavings, histories; without one, all of them')
  .option('--runs <count>', 'how many random histories to run', wholeNumber, 2000)
  .option('--seed <number>', 'the seed of an earlier run, to repeat it', wholeNumber, randomInt(2 ** 31))
  .parse();
const { runs, seed } = command.opts<{ runs: number; seed: number }>();
const suites = command.args.map((suite) => `test/exhaustive/${suite}`);

console.log(
  `${runs} histories with seed ${seed}. To repeat them: npm run test:exhaustive -- --runs ${runs} --seed ${seed}`,
);
const files = suites.length > 0 ? suites : ['test/exhaustive'];
// More workers than processors: much of their time is waiting.
const { status } = spawnSync('jest', ['--seed', String(seed), '--maxWorkers', '4', ...files], {
  env: { ...process.env, MESSAGING_SEND_HISTORIES: String(runs) },
  stdio: 'inherit',
});
process.exitCode = status ?? 1;

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}
