import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { type INode, type INodeTypeDescription, NodeHelpers } from 'n8n-workflow';

import { storeExampleCredentials } from '../../demo/exampleCredentials';
import { exampleNames, nodesOf, readExampleFile } from '../../demo/exampleFiles';
import { asArray, type JsonObject } from '../../demo/json';
import { OLDEST, SUPPORTED } from '../../demo/releases';
import type { StoredCredential } from '../../demo/rest';
import { type ChatModel, startChatModel } from './chatModel';
import { testAgentExample } from './examples/aiAgent';
import { testReminder } from './examples/appointmentReminder';
import { testCampaign } from './examples/campaignLargerThanCredits';
import { testContacts } from './examples/contactsToBulk';
import { testForm } from './examples/formToMessage';
import { testLowBalance } from './examples/lowBalanceAlert';
import { testMcpExample } from './examples/mcpServer';
import { testBalanceCheck } from './examples/scheduledBalanceCheck';
import { testWebhook } from './examples/webhookToMessage';
import { DEADLINE, type ExampleWorld } from './examples/world';
import { editorForTests } from './inEditor';
import { plain } from './recipients';
import { stageForTests } from './stage';

/** The tests of each example, by the name of its file. */
const TESTS: Record<string, (world: ExampleWorld) => void> = {
  'ai-agent': testAgentExample,
  'appointment-reminder': testReminder,
  'campaign-larger-than-credits': testCampaign,
  'contacts-to-bulk': testContacts,
  'form-to-message': testForm,
  'low-balance-alert': testLowBalance,
  'mcp-server': testMcpExample,
  'scheduled-balance-check': testBalanceCheck,
  'webhook-to-message': testWebhook,
};

/** They use the error output of the node, which before n8n 2.35.5 stays empty; the README says so. */
const NOT_ON_OLDEST = ['appointment-reminder', 'campaign-larger-than-credits', 'contacts-to-bulk'];

test('every example has its tests', async () => {
  assert.deepEqual(Object.keys(TESTS).sort(), await exampleNames());
});

for (const release of SUPPORTED) {
  describe(`n8n ${release}`, () => {
    const stage = stageForTests({ release });
    const inEditor = editorForTests(stage);
    let model: ChatModel;
    let credentials: StoredCredential[];
    before(async () => {
      model = await startChatModel();
      credentials = [stage().credential, ...(await storeExampleCredentials(stage().rest, model.url))];
    });
    after(async () => await model.close());
    beforeEach(() => stage().sandbox.reset());

    test('every node of every example is known, with its version and its parameters', async () => {
      const types = readNodeTypes(await stage().rest.readFile('/types/nodes.json'));
      for (const name of await exampleNames()) {
        for (const node of nodesOf(await readExampleFile(name))) assertKnown(name, node as unknown as INode, types);
      }
    });

    for (const [name, tests] of Object.entries(TESTS)) {
      if (release === OLDEST && NOT_ON_OLDEST.includes(name)) continue;
      describe(name, () => {
        let workflow: JsonObject;
        before(
          async () => void (workflow = await stage().rest.importWorkflow(await readExampleFile(name), credentials)),
        );
        const activate = async () => await stage().rest.activate(workflow, DEADLINE);
        const deactivate = async () => await stage().rest.deactivate(workflow, DEADLINE);
        tests({
          stage,
          workflow: () => workflow,
          inEditor,
          model: () => model,
          received: () => plain(stage().sandbox.messages()),
          runFrom: async (trigger) => {
            const { rest } = stage();
            return await rest.waitForExecution(await rest.run(workflow, trigger), DEADLINE);
          },
          activate,
          deactivate,
          whileActive: () => {
            before(activate);
            after(deactivate);
          },
        });
      });
    }
  });
}

function readNodeTypes(text: string): INodeTypeDescription[] {
  return asArray(JSON.parse(text), 'the node types') as INodeTypeDescription[];
}

/** A parameter that the node does not know, or does not show with its other ones, would be ignored in silence. */
function assertKnown(example: string, node: INode, types: INodeTypeDescription[]): void {
  const type = types.find(({ name, version }) => name === node.type && [version].flat().includes(node.typeVersion));
  assert.ok(type, `${example}: ${node.name} is a ${node.type} of version ${node.typeVersion}`);
  const shown = NodeHelpers.getNodeParameters(type.properties, node.parameters, true, false, node, type) ?? {};
  const unknown = Object.keys(node.parameters).filter((parameter) => !Object.hasOwn(shown, parameter));
  assert.deepEqual(unknown, [], `${example}: ${node.name} has parameters that are not used`);
}
