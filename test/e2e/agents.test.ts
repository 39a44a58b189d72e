import { describe } from 'node:test';

import { SUPPORTED } from '../../demo/releases';
import { testAgent } from './agentTests';
import { testMcpServer } from './mcpTests';
import { stageForTests } from './stage';

for (const release of SUPPORTED) {
  describe(`n8n ${release}`, () => {
    const stage = stageForTests({ release });
    testAgent(release, stage);
    testMcpServer(release, stage);
  });
}
