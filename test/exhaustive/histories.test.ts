import fc from 'fast-check';

import { sandboxForTests } from '../support/sandbox';
import { HISTORIES, SEED } from './extent';
import { KEYS, runScenario } from './histories/runScenario';
import { scenario } from './histories/scenario';

const sandbox = sandboxForTests({ keys: KEYS });

test(
  'Each message has one true outcome and none is sent twice, whatever the items, the service, the network and n8n do',
  async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (given) => await runScenario(given, sandbox())),
      { seed: SEED, numRuns: HISTORIES },
    );
  },
  Math.max(30_000, HISTORIES * 120),
);
