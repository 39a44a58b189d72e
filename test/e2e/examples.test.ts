/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';

import { type INode, type INodeTypeDescription, NodeHelpers } from 'n8n-workflow';

import { openWindow } from '../../tools/n8n/browser';
import { storeExampleCredentials, VISITOR } from '../../tools/n8n/exampleCredentials';
import { exampleNames, readExample } from '../../tools/n8n/examples';
import { CURRENT, SUPPORTED } from '../../tools/n8n/releases';
import { receivedBy } from './arrivals';
import { startChatModel } from './chatModel';
import { copyOf, dataTable, type ExampleWorld, sendingWith } from './exampleWorld';
import { browserForTests, editorForTests, instanceForTests, whileTestsRun } from './instanceForTests';
import { startMailServer } from './mailServer';

/** Has a part of its own, because it waits for minutes. */
const ELSEWHERE = 'nine-oclock-everywhere';

/** Tested in every release, because Data Tables are new. */
const WITH_DATA_TABLE = [
  ...['campaign-report', 'data-table-to-messages', 'how-long-credits-last', 'one-message-a-day'],
  ...['opt-out-by-link', 'rsvp-by-link', 'send-the-rest'],
];

const fileOf = (name: string) => `${name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())}.ts`;
const names = (await exampleNames()).filter((name) => name !== ELSEWHERE);
const load = async (name: string) =>
  [name, (await import(`./examples/${fileOf(name)}`)) as { tests: (world: ExampleWorld) => void }] as const;
const examples = await Promise.all(names.map(load));

test('Every file with tests is that of an example', async () => {
  assert.deepEqual(await readdir(path.join(import.meta.dirname, 'examples')), names.map(fileOf).sort());
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

    test('n8n knows every node of every example, with its version and its parameters, and ours by icons and categories', async () => {
      const { rest } = instance();
      const types = JSON.parse(await rest.readFile('/types/nodes.json')) as INodeTypeDescription[];
      const own = types.filter(({ name }) => name.startsWith('n8n-nodes-messaging-send.'));
      assert.equal(own.length, 4);
      for (const { codex, iconUrl } of own) {
        assert.notDeepEqual(codex?.categories ?? [], []);
        for (const icon of Object.values(iconUrl as object)) assert.match(await rest.readFile(`/${icon}`), /<svg/);
      }
      for (const name of await exampleNames()) {
        for (const node of (await readExample(name)).nodes) assertKnown(name, node as unknown as INode, types);
      }
    });

    test('Every example with a schedule can be activated', async () => {
      for (const name of await exampleNames()) {
        const example = await readExample(name);
        if (!example.nodes.some(({ type }) => type === 'n8n-nodes-base.scheduleTrigger')) continue;
        const { rest } = instance();
        const workflow = await rest.importWorkflow(example, credentials());
        await rest.activate(workflow);
        await rest.deactivate(workflow);
      }
    });

    for (const [name, { tests }] of examples) {
      if (release !== CURRENT && !WITH_DATA_TABLE.includes(name)) continue;
      describe(name, () => {
        const workflow = whileTestsRun(
          async () => await instance().rest.importWorkflow(await readExample(name), credentials()),
        );
        const own: ExampleWorld['own'] = async (change = sendingWith(), more = {}) =>
          await instance().rest.importWorkflow({ ...copyOf(workflow(), change), ...more });
        const runFrom: ExampleWorld['runFrom'] = async (trigger, copy = workflow()) =>
          await instance().rest.run(copy, trigger);
        tests({
          instance,
          workflow,
          sending: whileTestsRun(() => own()),
          own,
          inEditor,
          model,
          mailServer,
          table: dataTable({ instance, workflow }),
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

/** n8n silently ignores a parameter that the node doesn't know, or doesn't show together with the others. */
function assertKnown(example: string, node: INode, types: INodeTypeDescription[]): void {
  const type = types.find(({ name, version }) => name === node.type && [version].flat().includes(node.typeVersion));
  assert.ok(type, `${example}: ${node.name} is a ${node.type} of version ${node.typeVersion}`);
  const shown = NodeHelpers.getNodeParameters(type.properties, node.parameters, true, false, node, type) ?? {};
  const unknown = Object.keys(node.parameters).filter((parameter) => !Object.hasOwn(shown, parameter));
  assert.deepEqual(unknown, [], `${example}: ${node.name} has parameters that are not used`);
}
