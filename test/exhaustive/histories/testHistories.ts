import fc from 'fast-check';

import { sandboxForTests } from '../../support/sandbox';
import { HISTORIES, SEED } from '../extent';
import { runScenario } from './runScenario';
import { scenario } from './scenario';
import { KEYS } from './setup';

/** Each part is a file, so that several run at the same time: much of a history is waiting. */
const PARTS = 3;

/** Runs a part of the random histories. @param part from 1 */
export function testHistories(part: number): void {
  const sandbox = sandboxForTests({ keys: KEYS });
  const numRuns = Math.ceil(HISTORIES / PARTS);
  const timeout = Math.max(60_000, numRuns * 600);
  // Ends the search for a shorter counterexample in time to show the one it has.
  const limit = { interruptAfterTimeLimit: timeout - 15_000, markInterruptAsFailure: true };

  test(
    'Each message has one true outcome, none is sent twice and nobody is left out, whatever the items, the service, the network and n8n do',
    async () => {
      await fc.assert(
        fc.asyncProperty(scenario, async (given) => await runScenario(given, sandbox())),
        { seed: SEED + part, numRuns, ...limit },
      );
    },
    timeout,
  );
}
