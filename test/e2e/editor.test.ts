/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { type Locator, type Page } from 'playwright-core';

import {
  closeNode,
  executeNode,
  executeWorkflow,
  noticeOn,
  openNode,
  openWorkflow,
  outputPanel,
} from '../../tools/n8n/editor';
import {
  CONTACTS_EXAMPLE,
  contactsExampleNodes,
  exampleFile,
  provideContacts,
  readExample,
} from '../../tools/n8n/examples';
import { API_KEY } from '../../tools/n8n/instance';
import { CURRENT, SUPPORTED } from '../../tools/n8n/releases';
import { chain, ITEMS, items, messagingSend, SENDER, start, type Workflow } from '../../tools/n8n/workflow';
import { table } from '../documentation/pages';
import { receivedBy } from './arrivals';
import { editorForTests, instanceForTests } from './instanceForTests';
import { askedItem, Asking, sendAndWait, submit } from './questions';
import { agentWorkflow, SEND as SEND_TOOL, tool } from './toolWorkflow';

// What costs money or sends twice, as the node states it before it runs.
const SENDS_FOR_REAL = 'Every run sends real messages and uses credits';
const MANY_REQUESTS = 'Send makes one request per item';
const LIST_FOR_EVERY_ITEM = "Each input item sends its own list in 'Messages'";
const FIRST_ITEM_ALONE = 'Only the first input item is asked about';
const EVERY_CALL_SENDS = 'Every call by the model sends real messages and uses credits';
const GOOD = { phone: '447700900123' };
const ALSO_GOOD = { phone: '447700900124' };
const SEND = { resource: 'message', operation: 'send', phone: '={{ $json.phone }}', message: 'Hello' };
const SEND_OPTIONS = table('docs/reference.md', 'options', 'Option').rows.map(([name]) => name?.text ?? '');
const PROTECTIONS = ['Never Send To', 'Send Window', 'Test Run'];
const REVIEW_OPTIONS = [
  ...['Default Country Code', 'Limit Wait Time', 'Max Wait to Send (Minutes)', 'Number Check', 'Page Title'],
  ...['Requests per Minute', 'Thank You Text'],
];

const BOTH_SENT = [
  '2 sent, 2 credits used, 999998 left, 2 requests.',
  "Don't run this step again: it would send the 2 sent messages again.",
];

/** The lines of the hint over an output. */
async function hintOf(output: Locator): Promise<string[]> {
  const hint = output.getByTestId('node-hint').filter({ hasText: 'sent' });
  await hint.waitFor();
  return (await hint.innerText()).trim().split('\n').slice(0, 2);
}

const phonesOf = (recipients: ReadonlyArray<{ phone: string }>) => recipients.map(({ phone }) => phone);

/** What the node shows after these choices, one set after the other, from top to bottom, and its options. */
const SHOWN: Array<[choices: Record<string, string>, parameters: string, options: string[]]> = [
  [{ resource: 'Balance' }, 'Resource, Operation, Options', ['Max Wait (Minutes)', 'Requests per Minute']],
  [{ resource: 'Message', operation: 'Send' }, 'Resource, Operation, Phone, Message, Options', SEND_OPTIONS],
  [
    { operation: 'Send Bulk', source: 'One Message per Input Item' },
    'Resource, Operation, Source, Phone, Message, Options',
    SEND_OPTIONS,
  ],
  [
    { source: 'A JSON List' },
    'Resource, Operation, Source, Messages, Options',
    // A list's texts are checked by what made the list.
    SEND_OPTIONS.filter((name) => name !== 'Empty Fields'),
  ],
];

for (const release of SUPPORTED) {
  describe(`The editor of n8n ${release}`, () => {
    const instance = instanceForTests({ release, hasInterface: true });
    const inEditor = editorForTests(instance);

    const store = async (workflow: Workflow): Promise<string> => {
      const { rest, credential } = instance();
      return instance().editorUrl(await rest.importWorkflow(workflow, [credential]));
    };
    const sendTo = async (contacts: Array<{ phone: string }>): Promise<string> =>
      await store(chain('Send to contacts', [start(), items(contacts), messagingSend(SEND)]));

    // The first test: an opened node takes the credential of that name only if there is no other.
    test('The example imported from its file sends once Dry Run is off', async () => {
      const { n8n, sandbox, folder, credential } = instance();
      sandbox.reset();
      await provideContacts(folder);
      const { sender } = contactsExampleNodes(await readExample(CONTACTS_EXAMPLE));
      await inEditor(`${release} example`, async (page) => {
        await importWorkflowFile(page, n8n.url, exampleFile(CONTACTS_EXAMPLE));
        await openNode(page, sender);
        const chosen = page.getByTestId('node-credentials-select').locator('input');
        assert.equal(await chosen.inputValue(), credential.name);
        await page.getByTestId('parameter-input-dryRun').locator('.el-switch').click();
        await closeNode(page);
        await executeWorkflow(page);
      });
      assert.ok(receivedBy(sandbox).length > 200);
    });

    test('A run by the button shows what was sent, each operation its own parameters, and a credential whether it connects', async () => {
      const { sandbox } = instance();
      sandbox.reset();
      const workflow = await sendTo([GOOD, ALSO_GOOD]);
      await inEditor(`${release} node`, async (page) => {
        await openWorkflow(page, workflow);
        await executeWorkflow(page);
        await openNode(page, SENDER);
        const output = outputPanel(page);
        assert.deepEqual(await hintOf(output), BOTH_SENT);
        await output.getByRole('cell', { name: GOOD.phone }).waitFor();
        await output.getByRole('cell', { name: ALSO_GOOD.phone }).waitFor();
        await output.getByText('2 items', { exact: true }).waitFor();

        for (const [choices, parameters, options] of SHOWN) {
          for (const [parameter, option] of Object.entries(choices)) await choose(page, parameter, option);
          assert.equal((await parametersShown(page)).join(', '), parameters);
          assert.deepEqual(await optionsOffered(page), options);
        }

        const dialog = await openNewCredential(page);
        await saveCredential(dialog, { baseUrl: `${sandbox.url}/v1`, apiKey: 'another' });
        await dialog.getByText('Couldn’t connect with these settings').filter({ visible: true }).waitFor();
        await dialog.getByText('More details').click();
        await dialog
          .getByText('The API key is not valid. Copy it from your account settings.')
          .filter({ visible: true })
          .waitFor();
        sandbox.reset();
        await saveCredential(dialog, { apiKey: API_KEY });
        // A line of text or, in newer releases, the dialog closes.
        const success = dialog.getByText('Connection tested successfully').filter({ visible: true });
        await Promise.any([success.waitFor(), dialog.waitFor({ state: 'hidden' })]);
        const requests = sandbox.requests().map(({ path, status }) => [path, status]);
        assert.deepEqual(requests, [['/v1/user/balance', 200]]);
      });
    });

    test('The list of executions shows what was sent in the same lines', async () => {
      const workflow = await sendTo([GOOD, ALSO_GOOD]);
      await inEditor(`${release} executions`, async (page) => {
        await openWorkflow(page, workflow);
        instance().sandbox.reset();
        await executeWorkflow(page);
        await page.goto(`${workflow}/executions`);
        await openNode(page, SENDER);
        assert.deepEqual(await hintOf(outputPanel(page)), BOTH_SENT);
      });
    });

    // What is left shows the same texts and pictures in every release.
    if (release !== CURRENT) return;

    test('The node states before it runs what a run costs', async () => {
      const workflow = await sendTo(Array.from({ length: 10 }, (_, index) => ({ phone: `4477009001${10 + index}` })));
      await inEditor(`${release} costs`, async (page) => {
        await openWorkflow(page, workflow);
        await openNode(page, ITEMS);
        await executeNode(page);
        await outputPanel(page).getByText('10 items', { exact: true }).waitFor();
        await closeNode(page);
        await openNode(page, SENDER);
        await waitForTexts(page, [SENDS_FOR_REAL, MANY_REQUESTS], [LIST_FOR_EVERY_ITEM]);
        await choose(page, 'operation', 'Send and Wait for Response');
        await waitForTexts(page, [SENDS_FOR_REAL, FIRST_ITEM_ALONE], [MANY_REQUESTS]);
        await choose(page, 'operation', 'Send Bulk');
        await waitForTexts(page, [SENDS_FOR_REAL], [MANY_REQUESTS, LIST_FOR_EVERY_ITEM, FIRST_ITEM_ALONE]);
        await choose(page, 'source', 'A JSON List');
        await waitForTexts(page, [SENDS_FOR_REAL, LIST_FOR_EVERY_ITEM], [MANY_REQUESTS]);
        // It is on as soon as it is added.
        await addOption(page, 'Dry Run');
        await waitForTexts(page, [LIST_FOR_EVERY_ITEM], [SENDS_FOR_REAL]);
      });
    });

    test('After a click on any bin, what the panel shows is what is sent', async () => {
      const { sandbox } = instance();
      const tester = '447700900999';
      // Another day than today by any clock.
      const other = new Date(Date.now() + 3 * 86_400_000).toLocaleDateString('en', {
        weekday: 'long',
        timeZone: 'UTC',
      });
      const options = { neverSendTo: ALSO_GOOD.phone, sendWindow: `${other} 09:00–10:00`, testRun: tester };
      const nodes = [start(), items([GOOD, ALSO_GOOD]), messagingSend({ ...SEND, options })];
      const workflow = await store(chain('Bins', nodes));
      await inEditor(`${release} bins`, async (page) => {
        await openWorkflow(page, workflow);
        await openNode(page, SENDER);
        const states: Array<[hint: string, phones: string[]]> = [
          ['2 sent', phonesOf([GOOD, ALSO_GOOD])],
          ['1 sent, 1 skipped', phonesOf([GOOD])],
          ["because of 'Send Window'", []],
          ['Test run: 1 sent', [tester]],
        ];
        for (const [left, [hint, phones]] of [...states.entries()].reverse()) {
          await binsOf(page).nth(left).waitFor({ state: 'detached' });
          const shown = (await parametersShown(page)).filter((name) => PROTECTIONS.includes(name));
          assert.deepEqual(shown, PROTECTIONS.slice(0, left));
          await waitForTexts(page, [], left === 3 ? [SENDS_FOR_REAL] : ["The option 'Test Run' is on"]);
          sandbox.reset();
          await executeNode(page);
          await outputPanel(page).getByText(hint).first().waitFor();
          await noticeOn(page).first().waitFor({ state: 'hidden' });
          assert.deepEqual(phonesOf(receivedBy(sandbox)), phones);
          if (left > 0) await binsOf(page).last().click();
        }
      });
    });

    test('A tool states what a call costs, and asks a person only as human review', async () => {
      const workflow = await store(agentWorkflow('Agent with a tool', [tool('Send message', SEND_TOOL)]));
      await inEditor(`${release} tool`, async (page) => {
        await openWorkflow(page, workflow);
        await openNode(page, 'Send message');
        await waitForTexts(page, [EVERY_CALL_SENDS], []);
        await page.getByTestId('parameter-input-operation').click();
        const offered = page.getByRole('option').filter({ visible: true });
        await offered.first().waitFor();
        const names = (await offered.allInnerTexts()).map((text) => text.split('\n')[0]);
        assert.deepEqual(names.slice(0, 2), ['Send', 'Send Bulk']);
        assert.ok(!names.includes('Send and Wait for Response'), names.join());

        await openWorkflow(page, workflow);
        await addHumanReview(page, SENDER);
        assert.deepEqual(await parametersShown(page), ['Message', 'Phone', 'Approval Options', 'Options']);
        assert.deepEqual(await optionsOffered(page), REVIEW_OPTIONS);
        await waitForTexts(page, [SENDS_FOR_REAL], ['Dry Run']);
        const buttons = (field: string) =>
          page
            .getByTestId('parameter-item')
            .filter({ has: page.getByTestId(`parameter-input-${field}`) })
            .getByTestId('from-ai-override-button');
        // A model may write the question, but not choose who is asked.
        await buttons('message').waitFor();
        assert.equal(await buttons('sendTo').count(), 0);
      });
    });

    test('Execute step shows that it waits for the answer, and then the answer', async () => {
      const { rest, credential } = instance();
      const asking = new Asking(instance);
      const phone = asking.newPhone();
      const nodes = [start(), askedItem(phone), sendAndWait()];
      const workflow = await rest.importWorkflow(chain('Asks', nodes), [credential]);
      await inEditor(`${release} question`, async (page) => {
        await openWorkflow(page, instance().editorUrl(workflow));
        await openNode(page, SENDER);
        await executeNode(page);
        const asked = await asking.asked(workflow, phone);
        await outputPanel(page).getByText('The execution continues when the recipient answers').first().waitFor();
        await submit(asked.link, { decision: 'approve' });
        assert.equal((await asking.ended(asked)).status, 'success');
        await outputPanel(page).getByText('approved', { exact: true }).first().waitFor();
      });
    });
  });
}

async function parametersShown(page: Page): Promise<string[]> {
  const labels = page
    .getByTestId('ndv')
    .getByTestId('node-parameters')
    .getByTestId('input-label')
    .filter({ visible: true });
  const texts = await labels.allInnerTexts();
  // What follows the label in the same element is buttons and the preview of an expression.
  return texts.map((text) => text.split('\n')[0]?.trim() ?? '');
}

async function choose(page: Page, parameter: string, option: string): Promise<void> {
  // An option's description is part of its name.
  const choice = page.getByRole('option').filter({ has: page.getByText(option, { exact: true }), visible: true });
  await openList(page.getByTestId(`parameter-input-${parameter}`), choice);
  await choice.click();
}

/**
 * How long the editor may take to show a list, in milliseconds; if it redraws the panel at that moment, it never does.
 */
const LIST_OPENS_WITHIN = 5_000;

async function openList(box: Locator, option: Locator): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    await box.click();
    const isOpen = await option.waitFor({ timeout: LIST_OPENS_WITHIN }).then(
      () => true,
      () => false,
    );
    if (isOpen) return;
  }
}

/** The list of options; the editor also keeps the one of the settings, which it does not show. */
function addOptionBox(page: Page): Locator {
  const parameters = page.getByTestId('ndv').getByTestId('node-parameters');
  return parameters.getByPlaceholder('Add option', { exact: true }).filter({ visible: true });
}

async function addOption(page: Page, option: string): Promise<void> {
  const offered = page.getByRole('option').filter({ visible: true });
  const choice = offered.filter({ hasText: option });
  await openList(addOptionBox(page), choice);
  await choice.click();
  // While the list closes, it would close the next one, too.
  await offered.first().waitFor({ state: 'hidden' });
}

/** The buttons beside the parameters of the open node that take away an option. */
function binsOf(page: Page): Locator {
  return page.getByTestId('ndv').getByTestId('node-parameters').getByRole('button', { name: 'Delete', exact: true });
}

async function waitForTexts(page: Page, shown: string[], others: string[]): Promise<void> {
  const ndv = page.getByTestId('ndv');
  for (const text of shown) await ndv.getByText(text).filter({ visible: true }).waitFor();
  for (const text of others) await ndv.getByText(text).filter({ visible: true }).waitFor({ state: 'hidden' });
}

async function optionsOffered(page: Page): Promise<string[]> {
  const add = addOptionBox(page);
  await add.click();
  const offered = page.getByRole('option').filter({ visible: true });
  await offered.first().waitFor();
  const names = await offered.allInnerTexts();
  // The list would cover the next choice.
  await add.click();
  await offered.first().waitFor({ state: 'hidden' });
  return names;
}

async function openNewCredential(page: Page): Promise<Locator> {
  await page.getByTestId('node-credentials-select').click();
  // The editor asks n8n for a name that is free, and can't save the credential before it has one.
  const named = page.waitForResponse((response) => new URL(response.url()).pathname.endsWith('/credentials/new'));
  await page.getByTestId('node-credentials-select-item-new').click();
  const dialog = page.getByTestId('editCredential-modal');
  await dialog.waitFor();
  await named;
  return dialog;
}

async function saveCredential(dialog: Locator, fields: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(fields))
    await dialog.getByTestId(`parameter-input-${name}`).locator('input').fill(value);
  await dialog.getByTestId('credential-save-button').click();
}

async function importWorkflowFile(page: Page, n8nUrl: string, file: string): Promise<void> {
  await page.goto(`${n8nUrl}/workflow/new`);
  await page.getByTestId('canvas-wrapper').waitFor();
  // What the menu's entry opens; the entry is in another place in each release.
  await page.getByTestId('workflow-import-input').setInputFiles(file);
  await page.getByTestId('canvas-node').first().waitFor();
}

/** Puts the node of that name as human review between the agent of the open workflow and its one tool, and opens it. */
async function addHumanReview(page: Page, name: string): Promise<void> {
  const toTool = page.locator('.vue-flow__edge[data-id*="ai_tool"]');
  // The line is thin and may be below a node.
  await toTool.hover({ force: true });
  await page.getByTestId('add-connection-button').click();
  await page.getByTestId('node-creator-item-name').getByText(name, { exact: true }).click();
  // n8n shows a community node before it adds it.
  await page.getByRole('button', { name: 'Add to workflow' }).click();
  await page.getByTestId('ndv').waitFor();
}
