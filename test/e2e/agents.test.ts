import { describe } from 'node:test';

import { SUPPORTED } from '../../tools/n8n/releases';
import { testAgent } from './agentTests';
import { instanceForTests } from './instanceForTests';
import { testMcpServer } from './mcpTests';

for (const release of SUPPORTED) {
  describe(`Messaging Send in n8n ${release}`, () => {
    const instance = instanceForTests({ release });
    testAgent(release, instance);
    testMcpServer(release, instance);
  });
}
