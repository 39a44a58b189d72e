import fc from 'fast-check';

import { sandboxForTests } from '../support/sandbox';
import { KEYS, runScenario } from './runScenario';
import { scenario } from './scenario';

const sandbox = sandboxForTests({ keys: KEYS });

test('Each message has one true outcome and none is sent twice, whatever the items, the service, the network and n8n do', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (given) => await runScenario(given, sandbox())),
    { seed: 20_240_601, numRuns: 2000 },
  );
}, 240_000);
