import { describe } from 'node:test';
import { SUPPORTED } from '../../demo/releases.js';
import { testAgent } from './agentTests.js';
import { testMcpServer } from './mcpTests.js';
import { stageForTests } from './stage.js';

for (const release of SUPPORTED) {
  describe(`n8n ${release}`, () => {
    const stage = stageForTests({ release });
    testAgent(release, stage);
    testMcpServer(release, stage);
  });
}
