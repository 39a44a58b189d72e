import fc from 'fast-check';

import { sandboxForTests } from '../support/sandbox';
import { liveThrough } from './history';
import { scenario } from './scenario';

const sandbox = sandboxForTests();

test('whatever the items, the service, the network and n8n do, each message has one true outcome, and none is sent twice', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (given) => await liveThrough(given, sandbox())),
    { seed: 20_240_601, numRuns: 1000 },
  );
}, 240_000);
