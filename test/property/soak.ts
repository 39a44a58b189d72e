/** `npm run test:soak`: checks the property of `property.test.ts` for as many runs as wanted. */
import { randomInt } from 'node:crypto';

import { Command } from 'commander';
import fc from 'fast-check';

import { startSandbox } from '../../sandbox/server';
import { KEYS, runScenario } from './runScenario';
import { scenario } from './scenario';

async function main(): Promise<void> {
  const values = new Command('npm run test:soak --')
    .description('Runs the property test for as many random scenarios as you like.')
    .option('--runs <count>', 'how many scenarios to run', '1000')
    .option('--seed <number>', 'the seed of an earlier run, to repeat it')
    .allowExcessArguments(false)
    .parse()
    .opts<{ runs: string; seed?: string }>();
  const runs = Number(values.runs);
  const seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed);
  if (!Number.isInteger(runs) || runs < 1 || !Number.isInteger(seed))
    throw new Error('--runs and --seed take whole numbers');
  console.log(`${runs} runs with seed ${seed}. To repeat them: npm run test:soak -- --runs ${runs} --seed ${seed}`);

  const sandbox = await startSandbox({ keys: KEYS, limit: 0 });
  const start = performance.now();
  let done = 0;
  try {
    const property = fc.asyncProperty(scenario, async (given) => {
      await runScenario(given, sandbox);
      done += 1;
      if (done % 500 === 0) console.log(`${done} of ${runs}, ${Math.round((performance.now() - start) / 1000)} s`);
    });
    await fc.assert(property, { seed, numRuns: runs });
    console.log(`${runs} runs held, ${Math.round((performance.now() - start) / 1000)} s`);
  } finally {
    await sandbox.close();
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  if (error instanceof Error && error.cause instanceof Error) console.error(error.cause.message);
  process.exitCode = 1;
});
