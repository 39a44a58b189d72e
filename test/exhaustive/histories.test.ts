import fc from 'fast-check';

import { sandboxForTests } from '../support/sandbox';
import { HISTORIES, SEED } from './extent';
import { runScenario } from './histories/runScenario';
import { scenario } from './histories/scenario';
import { KEYS } from './histories/setup';

const sandbox = sandboxForTests({ keys: KEYS });

test(
  'Each message has one true outcome and none is sent twice, whatever the items, the service, the network and n8n do',
  async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (given) => await runScenario(given, sandbox())),
      { seed: SEED, numRuns: HISTORIES },
    );
  },
  Math.max(60_000, HISTORIES * 300),
);
