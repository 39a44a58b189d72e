import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { closeNode, executeWorkflow, nodeOnCanvas, openNode, openWorkflow, outputPanel } from '../../tools/n8n/editor';
import { EXAMPLE_CONTACTS, provideContacts, readContacts } from '../../tools/n8n/examples/contacts';
import { CONTACTS_EXAMPLE, contactsExampleNodes } from '../../tools/n8n/examples/contactsExample';
import { exampleFile, readExample } from '../../tools/n8n/examples/files';
import { API_KEY } from '../../tools/n8n/instance';
import { CURRENT, SUPPORTED } from '../../tools/n8n/releases';
import {
  chain,
  ITEMS,
  items,
  messagingSend,
  messagingSendTrigger,
  SENDER,
  start,
  TRIGGER,
} from '../support/n8n/workflow';
import { submit } from './answers';
import { askedItem, Asking, sendAndWait } from './asking';
import {
  addOption,
  choose,
  credentialChosen,
  executeNode,
  findInNodePanel,
  importWorkflowFile,
  inNodePanel,
  openNewCredential,
  openNodePanel,
  optionsOffered,
  parametersShown,
  pictureIn,
  saveCredential,
  waitForConnection,
  waitForPreview,
  waitForTexts,
} from './editorParts';
import { expectedPhone } from './expectedMessages';
import { editorForTests } from './inEditor';
import { instanceForTests } from './instanceForTests';
import { agentWorkflow, SEND as SEND_TOOL, tool } from './toolWorkflow';

/** What the panel of nodes says about node and trigger, which are one there. */
const DESCRIPTION =
  'Send messages to phone numbers, one at a time or in bulk, ask for an answer, and start a workflow when credits run low';

// What costs money or sends twice, as the node states it before it runs.
const SENDS_FOR_REAL = 'Every run sends real messages and uses credits';
const MANY_REQUESTS = 'Send makes one request per item';
const LIST_FOR_EVERY_ITEM = "Every input item sends the whole list in 'Messages' again";
const NOTHING_IS_SENT = "The option 'Dry Run' is on: nothing is sent";
const SENDS_TWICE = 'A retry sends every uncertain message again';
const EVERY_PART_COSTS = 'Each part of a long text is sent as a separate message';
const EVERY_CHECK_COUNTS = 'Each check uses one of the 60 requests per minute';
const EVERY_CALL_SENDS = 'Every call by the model sends real messages and uses credits';

const GOOD = { phone: '447700900123' };
const ALSO_GOOD = { phone: '447700900124' };
const WITHOUT_COUNTRY_CODE = { phone: '07700 900125' };
const SEND = { resource: 'message', operation: 'send', phone: '={{ $json.phone }}', message: 'Hello' };

const SEND_OPTIONS = [
  'Check Credits First',
  'Default Country Code',
  'Dry Run',
  'Duplicate Messages',
  'Long Messages',
  'Max Wait (Minutes)',
  'Message Key',
  'Number Check',
  'On Uncertain Outcome',
  'Parallel Requests',
  'Remember the Last (Messages)',
  'Requests per Minute',
  'When Credits Run Out',
];
const BULK_OPTIONS = SEND_OPTIONS.toSpliced(9, 0, 'Output');

/** What the node shows after these choices, one set after the other, from top to bottom. */
const SHOWN: Array<{ choices: Array<[parameter: string, option: string]>; parameters: string[]; options: string[] }> = [
  {
    choices: [['resource', 'Balance']],
    parameters: ['Resource', 'Operation', 'Options'],
    options: ['Max Wait (Minutes)', 'Requests per Minute'],
  },
  {
    choices: [
      ['resource', 'Message'],
      ['operation', 'Send'],
    ],
    parameters: ['Resource', 'Operation', 'Phone', 'Message', 'Options'],
    options: SEND_OPTIONS,
  },
  {
    choices: [
      ['operation', 'Send Bulk'],
      ['source', 'Input Items'],
    ],
    parameters: ['Resource', 'Operation', 'Source', 'Phone', 'Message', 'Options'],
    options: BULK_OPTIONS,
  },
  {
    choices: [
      ['operation', 'Send Bulk'],
      ['source', 'JSON List'],
    ],
    parameters: ['Resource', 'Operation', 'Source', 'Messages', 'Options'],
    options: BULK_OPTIONS,
  },
];

/** What the node after an operation can use, shown before anything has run. */
const PREVIEWS = [
  { resource: 'balance', operation: 'get', fields: ['credits', 'user_id', 'user_name'] },
  {
    resource: 'message',
    operation: 'send',
    fields: ['message_id', 'status', 'credits_used', 'credits_remaining', 'sent_at', 'phone'],
  },
  { resource: 'message', operation: 'sendBulk', fields: ['message_id', 'phone', 'status', 'batch'] },
  {
    resource: 'message',
    operation: 'sendAndWait',
    fields: ['data', 'approved', 'comment', 'text', 'respondedAt'],
  },
];

for (const release of SUPPORTED) {
  describe(`The editor of n8n ${release}`, () => {
    const instance = instanceForTests({ release });
    const inEditor = editorForTests(instance);

    /** Stores a workflow that sends to these contacts; returns where the editor shows it. */
    const sendTo = async (contacts: Array<{ phone: string }>): Promise<string> => {
      const { rest, credential } = instance();
      const nodes = [start(), items(contacts), messagingSend(SEND)];
      return instance().editorUrl(await rest.importWorkflow(chain('Send to contacts', nodes), [credential]));
    };

    // The first test: an opened node takes the credential of that name only if there is no other.
    test('The example imported from its file sends to every contact that can be reached', async () => {
      const { n8n, sandbox, folder, credential } = instance();
      sandbox.reset();
      await provideContacts(folder);
      const { sender } = contactsExampleNodes(await readExample(CONTACTS_EXAMPLE));
      const reachable = (await readContacts(EXAMPLE_CONTACTS)).flatMap((contact) => expectedPhone(contact) ?? []);
      await inEditor(`${release} example`, async (page) => {
        await importWorkflowFile(page, n8n.url, exampleFile(CONTACTS_EXAMPLE));
        await openNode(page, sender);
        assert.equal(await credentialChosen(page), credential.name);
        await closeNode(page);
        await executeWorkflow(page);
      });
      assert.deepEqual(
        sandbox
          .messages()
          .map(({ phone }) => phone)
          .sort(),
        reachable.sort(),
      );
    });

    test('The node shows the parameters of its operation and no others', async (context) => {
      const workflow = await sendTo([GOOD]);
      await inEditor(`${release} parameters`, async (page) => {
        await openWorkflow(page, workflow);
        await openNode(page, SENDER);
        for (const { choices, parameters, options } of SHOWN) {
          await context.test(`${choices.map(([, option]) => option).join(', ')} shows its own parameters`, async () => {
            for (const [parameter, option] of choices) await choose(page, parameter, option);
            assert.deepEqual(await parametersShown(page), parameters);
            assert.deepEqual(await optionsOffered(page), options);
          });
        }
      });
    });

    test('A credential with the right key connects', async () => {
      const { sandbox } = instance();
      sandbox.reset();
      const workflow = await sendTo([GOOD]);
      await inEditor(`${release} right key`, async (page) => {
        await openWorkflow(page, workflow);
        await openNode(page, SENDER);
        const dialog = await openNewCredential(page);
        await saveCredential(dialog, { baseUrl: `${sandbox.url}/v1`, apiKey: API_KEY });
        await waitForConnection(dialog);
        assert.deepEqual(
          sandbox.requests().map(({ path, status }) => [path, status]),
          [['/v1/user/balance', 200]],
        );
      });
    });

    test('A credential with a wrong key reports that the key is wrong', async () => {
      const { sandbox } = instance();
      const workflow = await sendTo([GOOD]);
      await inEditor(`${release} wrong key`, async (page) => {
        await openWorkflow(page, workflow);
        await openNode(page, SENDER);
        const dialog = await openNewCredential(page);
        await saveCredential(dialog, { baseUrl: `${sandbox.url}/v1`, apiKey: 'another' });
        await dialog.getByText('Couldn’t connect with these settings').filter({ visible: true }).waitFor();
        await dialog.getByText('More details').click();
        await dialog
          .getByText('The API key is not valid. Compare it with the one in your account settings.')
          .filter({ visible: true })
          .waitFor();
      });
    });

    test('A run by the button shows what was sent, with a hint above it', async () => {
      instance().sandbox.reset();
      const workflow = await sendTo([GOOD, ALSO_GOOD]);
      await inEditor(`${release} run`, async (page) => {
        await openWorkflow(page, workflow);
        await executeWorkflow(page);
        await openNode(page, SENDER);
        const output = outputPanel(page);
        await output
          .getByTestId('node-hint')
          .getByText(
            '2 sent, 2 credits used, 999998 left, 2 requests. Running this step again sends the 2 messages again.',
          )
          .waitFor();
        await output.getByRole('cell', { name: GOOD.phone }).waitFor();
        await output.getByRole('cell', { name: ALSO_GOOD.phone }).waitFor();
        await output.getByText('2 items', { exact: true }).waitFor();
      });
    });

    // What is left shows the same texts and pictures in every release.
    if (release !== CURRENT) return;

    test('The node is found in the panel of nodes', async (context) => {
      const workflow = await sendTo([GOOD]);
      await inEditor(`${release} search`, async (page) => {
        await openWorkflow(page, workflow);
        await openNodePanel(page);
        for (const word of ['messaging', 'sms', 'whatsapp', 'bulk', 'text message', 'low credits', 'approval']) {
          await context.test(`The node is found by "${word}"`, async () => {
            const hit = await findInNodePanel(page, word, SENDER);
            assert.equal(await hit.count(), 1);
            await hit.getByText(DESCRIPTION, { exact: true }).waitFor();
          });
        }
      });
    });

    test('The node is in the list of apps and in that of human review', async () => {
      const workflow = await sendTo([GOOD]);
      await inEditor(`${release} lists`, async (page) => {
        await openWorkflow(page, workflow);
        for (const list of ['Action in an app', 'Human review']) {
          await openNodePanel(page);
          await inNodePanel(page, list).click();
          await inNodePanel(page, SENDER).waitFor();
          await page.keyboard.press('Escape');
        }
      });
    });

    for (const theme of ['light', 'dark'] as const) {
      test(`The ${theme} icon is shown in the panel of nodes, on the canvas and in the credential`, async () => {
        const icon = { file: `messagingSend.${theme}.svg`, isLoaded: true, hasSize: true };
        const workflow = await sendTo([GOOD]);
        await inEditor(
          `${release} icon ${theme}`,
          async (page) => {
            await openWorkflow(page, workflow);
            assert.deepEqual(await pictureIn(nodeOnCanvas(page, SENDER)), icon);
            await openNodePanel(page);
            assert.deepEqual(await pictureIn(await findInNodePanel(page, 'messaging', SENDER)), icon);
          },
          theme,
        );
        await inEditor(
          `${release} credential icon ${theme}`,
          async (page) => {
            await openWorkflow(page, workflow);
            await openNode(page, SENDER);
            assert.deepEqual(await pictureIn(await openNewCredential(page)), icon);
          },
          theme,
        );
      });
    }

    test('The next node can use the fields of every operation before anything has run', async () => {
      const { rest, credential } = instance();
      const senders = PREVIEWS.map(({ fields, ...parameters }) =>
        messagingSend(parameters, { name: parameters.operation }),
      );
      const after = [...senders.slice(1).map(({ name }) => name), ITEMS];
      const nodes = chain('Fields of the operations', [start(), ...senders, items([])]);
      const workflow = instance().editorUrl(await rest.importWorkflow(nodes, [credential]));
      await inEditor(`${release} fields`, async (page) => {
        await openWorkflow(page, workflow);
        for (const [index, name] of after.entries()) {
          await openNode(page, name);
          await waitForPreview(page, PREVIEWS[index]?.fields ?? []);
          await closeNode(page);
        }
      });
    });

    test('The node states what its parameters cost before it runs', async () => {
      const contacts = Array.from({ length: 10 }, (_, index) => ({ phone: `4477009001${10 + index}` }));
      const workflow = await sendTo(contacts);
      await inEditor(`${release} costs`, async (page) => {
        await openWorkflow(page, workflow);
        await openNode(page, ITEMS);
        await executeNode(page);
        await outputPanel(page).getByText('10 items', { exact: true }).waitFor();
        await closeNode(page);
        await openNode(page, SENDER);
        await waitForTexts(page, [SENDS_FOR_REAL, MANY_REQUESTS], [LIST_FOR_EVERY_ITEM, NOTHING_IS_SENT]);
        await choose(page, 'operation', 'Send Bulk');
        await waitForTexts(page, [SENDS_FOR_REAL], [MANY_REQUESTS, LIST_FOR_EVERY_ITEM]);
        await choose(page, 'source', 'JSON List');
        await waitForTexts(page, [SENDS_FOR_REAL, LIST_FOR_EVERY_ITEM], [MANY_REQUESTS, SENDS_TWICE]);
        await addOption(page, 'On Uncertain Outcome');
        await choose(page, 'uncertain', 'Send Again');
        await addOption(page, 'Long Messages');
        await choose(page, 'longMessages', 'Split Into Several');
        await waitForTexts(page, [SENDS_TWICE, EVERY_PART_COSTS], [NOTHING_IS_SENT]);
        await addOption(page, 'Dry Run');
        await page.getByTestId('parameter-input-dryRun').click();
        await waitForTexts(page, [NOTHING_IS_SENT], [SENDS_FOR_REAL]);
      });
    });

    test('The trigger states what a check every minute costs, and a tool what a call costs', async () => {
      const { rest, credential } = instance();
      const watch = instance().editorUrl(
        await rest.importWorkflow(chain('Watch the credits', [messagingSendTrigger({})]), [credential]),
      );
      const agent = agentWorkflow(release, 'Agent that sends', [tool(SENDER, SEND_TOOL)]);
      const withTool = instance().editorUrl(await rest.importWorkflow(agent, [credential]));
      await inEditor(`${release} trigger costs`, async (page) => {
        await openWorkflow(page, watch);
        await openNode(page, TRIGGER);
        await waitForTexts(page, [EVERY_CHECK_COUNTS], []);
        await choose(page, 'mode', 'Every Hour');
        await waitForTexts(page, [], [EVERY_CHECK_COUNTS]);
      });
      await inEditor(`${release} tool costs`, async (page) => {
        await openWorkflow(page, withTool);
        await openNode(page, SENDER);
        await waitForTexts(page, [EVERY_CALL_SENDS], []);
      });
    });

    test('A tool offers no operation that waits for a person', async () => {
      const { rest, credential } = instance();
      const agent = agentWorkflow(release, 'Agent with a tool', [tool(SENDER, SEND_TOOL)]);
      const workflow = instance().editorUrl(await rest.importWorkflow(agent, [credential]));
      await inEditor(`${release} tool operations`, async (page) => {
        await openWorkflow(page, workflow);
        await openNode(page, SENDER);
        await page.getByTestId('parameter-input-operation').click();
        const offered = page.getByRole('option').filter({ visible: true });
        await offered.first().waitFor();
        const names = (await offered.allInnerTexts()).map((text) => text.split('\n')[0]);
        assert.deepEqual(names.slice(0, 2), ['Send', 'Send Bulk']);
        assert.ok(!names.includes('Send and Wait for Response'), names.join());
      });
    });

    test('A failed run shows what is wrong, what to do, and which item it is', async () => {
      const workflow = await sendTo([GOOD, WITHOUT_COUNTRY_CODE]);
      await inEditor(`${release} failure`, async (page) => {
        await openWorkflow(page, workflow);
        await executeWorkflow(page, 'The phone number begins with 0, so its country code is missing');
        await openNode(page, SENDER);
        const output = outputPanel(page);
        const message = output.getByTestId('node-error-message');
        await message.getByText('The phone number begins with 0, so its country code is missing [item 1]').waitFor();
        const description = await output.getByTestId('node-error-description').innerText();
        assert.match(description, /^Replace the 0 with the country code, such as 447700900123 .* Nothing was sent\.$/);
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
