import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { type INode, type INodeTypeDescription, NodeHelpers } from 'n8n-workflow';

import { asArray } from '../../tools/json';
import { openWindow } from '../../tools/n8n/browser';
import { storeExampleCredentials, VISITOR } from '../../tools/n8n/examples/credentials';
import { exampleNames, nodesOf, readExample } from '../../tools/n8n/examples/files';
import { CURRENT, SUPPORTED } from '../../tools/n8n/releases';
import { startChatModel } from './chatModel';
import { testAgentExample } from './examples/aiAgent';
import { testReminder } from './examples/appointmentReminder';
import { testApproval } from './examples/approvalByTextMessage';
import { testCampaign } from './examples/campaignLargerThanCredits';
import { testCampaignReport } from './examples/campaignReport';
import { testCarefulLaunch } from './examples/carefulLaunch';
import { testContacts } from './examples/contactsToBulk';
import { testDataTable } from './examples/dataTableToMessages';
import { testForm } from './examples/formToMessage';
import { testGoogleSheets } from './examples/googleSheetsToMessages';
import { testForecast } from './examples/howLongCreditsLast';
import { testLowBalance } from './examples/lowBalanceAlert';
import { testMcpExample } from './examples/mcpServer';
import { testOneMessageADay } from './examples/oneMessageADay';
import { testOptOutByLink } from './examples/optOutByLink';
import { testRsvp } from './examples/rsvpByLink';
import { testSendTheRest } from './examples/sendTheRest';
import { testOncePerOrder } from './examples/webhookOncePerOrder';
import { copyOf, type ExampleWorld, withoutDryRun } from './examples/world';
import { browserForTests, editorForTests } from './inEditor';
import { instanceForTests, whileTestsRun } from './instanceForTests';
import { startMailServer } from './mailServer';
import { receivedBy } from './recipients';

/** The tests of each example, by the name of its file. */
const TESTS: Record<string, (world: ExampleWorld) => void> = {
  'ai-agent': testAgentExample,
  'appointment-reminder': testReminder,
  'approval-by-text-message': testApproval,
  'campaign-larger-than-credits': testCampaign,
  'campaign-report': testCampaignReport,
  'careful-launch': testCarefulLaunch,
  'contacts-to-bulk': testContacts,
  'data-table-to-messages': testDataTable,
  'form-to-message': testForm,
  'google-sheets-to-messages': testGoogleSheets,
  'how-long-credits-last': testForecast,
  'low-balance-alert': testLowBalance,
  'mcp-server': testMcpExample,
  'one-message-a-day': testOneMessageADay,
  'opt-out-by-link': testOptOutByLink,
  'rsvp-by-link': testRsvp,
  'send-the-rest': testSendTheRest,
  'webhook-once-per-order': testOncePerOrder,
};

/** Has a part of its own, because it waits for minutes. */
const ELSEWHERE = 'nine-oclock-everywhere';

/** Tested in every release, because Data Tables are new. */
const WITH_DATA_TABLE = [
  ...['campaign-report', 'data-table-to-messages', 'how-long-credits-last', 'one-message-a-day'],
  ...['opt-out-by-link', 'rsvp-by-link', 'send-the-rest'],
];

test('Every example has its tests', async () => {
  assert.deepEqual([...Object.keys(TESTS), ELSEWHERE].sort(), await exampleNames());
});

for (const release of SUPPORTED) {
  describe(`The examples in n8n ${release}`, () => {
    const instance = instanceForTests({ release, hasInterface: true });
    const inEditor = editorForTests(instance);
    const model = whileTestsRun(startChatModel, ({ close }) => close());
    const mailServer = whileTestsRun(startMailServer, ({ close }) => close());
    const browser = browserForTests();
    const visitor = whileTestsRun(() => openWindow(browser(), { httpCredentials: VISITOR }));
    const credentials = whileTestsRun(async () => {
      const others = await storeExampleCredentials(instance().rest, model().url, mailServer().port);
      return [instance().credential, ...others];
    });
    beforeEach(() => {
      instance().sandbox.reset();
      mailServer().clear();
    });
    const onForm: ExampleWorld['onForm'] = async (path, complete) => {
      const page = await visitor().newPage();
      await page.goto(`${instance().n8n.url}/form/${path}`);
      await complete(page);
      await page.close();
    };

    test('n8n knows every node of every example, with its version and its parameters', async () => {
      const types = readNodeTypes(await instance().rest.readFile('/types/nodes.json'));
      for (const name of await exampleNames()) {
        for (const node of nodesOf(await readExample(name))) assertKnown(name, node as unknown as INode, types);
      }
    });

    test('Every example with a schedule can be activated', async () => {
      for (const name of await exampleNames()) {
        const example = await readExample(name);
        if (!nodesOf(example).some(({ type }) => type === 'n8n-nodes-base.scheduleTrigger')) continue;
        const { rest } = instance();
        const workflow = await rest.importWorkflow(example, credentials());
        await rest.activate(workflow);
        await rest.deactivate(workflow);
      }
    });

    for (const [name, tests] of Object.entries(TESTS)) {
      if (release !== CURRENT && !WITH_DATA_TABLE.includes(name)) continue;
      describe(name, () => {
        const workflow = whileTestsRun(
          async () => await instance().rest.importWorkflow(await readExample(name), credentials()),
        );
        const sending = whileTestsRun(() => instance().rest.importWorkflow(copyOf(workflow(), withoutDryRun)));
        const runFrom: ExampleWorld['runFrom'] = async (trigger, changed = workflow()) => {
          const { rest } = instance();
          const stored = changed.id === undefined ? await rest.importWorkflow(changed) : changed;
          return await rest.run(stored, trigger);
        };
        tests({
          instance,
          workflow,
          sending,
          inEditor,
          model,
          mailServer,
          received: () => receivedBy(instance().sandbox),
          onForm,
          runFrom,
          succeedFrom: async (...args) => {
            const execution = await runFrom(...args);
            assert.equal(execution.status, 'success', execution.error);
            return execution;
          },
          whileActive: () => {
            before(() => instance().rest.activate(workflow()));
            after(() => instance().rest.deactivate(workflow()));
          },
        });
      });
    }
  });
}

function readNodeTypes(text: string): INodeTypeDescription[] {
  return asArray(JSON.parse(text), 'the node types') as INodeTypeDescription[];
}

/** n8n silently ignores a parameter that the node doesn't know, or doesn't show together with the others. */
function assertKnown(example: string, node: INode, types: INodeTypeDescription[]): void {
  const type = types.find(({ name, version }) => name === node.type && [version].flat().includes(node.typeVersion));
  assert.ok(type, `${example}: ${node.name} is a ${node.type} of version ${node.typeVersion}`);
  const shown = NodeHelpers.getNodeParameters(type.properties, node.parameters, true, false, node, type) ?? {};
  const unknown = Object.keys(node.parameters).filter((parameter) => !Object.hasOwn(shown, parameter));
  assert.deepEqual(unknown, [], `${example}: ${node.name} has parameters that are not used`);
}
