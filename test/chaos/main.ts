import '../../tools/cli/requirements';

import { randomInt } from 'node:crypto';

import { Command, InvalidArgumentError } from 'commander';

import { messageOf } from '../../tools/cli/errors';
import { runSession } from '../../tools/cli/session';
import { startTestInstance } from '../e2e/instanceForTests';
import { providePackage } from '../e2e/tarball';
import { describe, randomCampaign } from './campaign';
import { type Result, runCampaign } from './run';
import { Traffic } from './traffic';

const { runs, seed } = new Command('npm run test:chaos --')
  .description('Kills real n8n at random moments of random campaigns, and retries them until they are done.')
  .option('--runs <count>', 'how many campaigns to run', wholeNumber, 10)
  .option('--seed <number>', 'the seed of an earlier run, to repeat it', wholeNumber, randomInt(2 ** 31))
  .allowExcessArguments(false)
  .parse()
  .opts<{ runs: number; seed: number }>();

void runSession(async (session) => {
  const { signal, cleanup, say } = session;
  say(`${runs} runs with seed ${seed}. To repeat them: npm run test:chaos -- --runs ${runs} --seed ${seed}`);
  await providePackage(session);
  const traffic = new Traffic();
  const instance = await startTestInstance({ sandbox: { onRequest: traffic.onRequest } }, session);

  let failed = 0;
  for (let run = 0; run < runs; run += 1) {
    // The campaign alone can be repeated with its own seed; the moments of the kills are never quite the same.
    const campaign = randomCampaign(seed + run);
    say(`${run + 1} (seed ${seed + run}): ${describe(campaign)}`);
    try {
      const result = await runCampaign(instance, traffic, campaign);
      if (!isClean(result)) failed += 1;
      say(`  ${summaryOf(result)}`);
    } catch (failure) {
      signal.throwIfAborted();
      failed += 1;
      say(`  broke off: ${messageOf(failure)}`);
      await instance.n8n.kill();
      await instance.restart();
    }
  }
  await cleanup.run();
  say(`${runs - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
});

function isClean({ lost, twice, untrue, beyond }: Result): boolean {
  return lost + twice + untrue + beyond === 0;
}

function summaryOf(result: Result): string {
  const { received, uncertain, killed, executions, lost, twice, untrue, beyond } = result;
  const verdict = isClean(result) ? 'ok' : 'FAILED';
  return `${verdict}: killed ${killed} times, ${executions} executions; ${received} received, ${uncertain} uncertain; lost ${lost}, twice ${twice}, untrue ${untrue}, uncertain beyond those in flight ${beyond}`;
}

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}
