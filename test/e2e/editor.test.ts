import assert from 'node:assert/strict';
import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { EXAMPLE_CONTACTS, expectedPhone, readContacts } from '../../demo/contacts.js';
import { closeNode, executeWorkflow, nodeOnCanvas, openNode, openWorkflow, outputPanel } from '../../demo/editor.js';
import { CONTACTS_FILE } from '../../demo/example.js';
import { filesFolderOf } from '../../demo/n8n.js';
import { PROJECT_FOLDER } from '../../demo/package.js';
import { SUPPORTED } from '../../demo/releases.js';
import {
  choose,
  credentialChosen,
  findInNodePanel,
  importWorkflowFile,
  openNewCredential,
  openNodePanel,
  optionsOffered,
  parametersShown,
  pictureIn,
  saveCredential,
  waitForConnection,
} from './editorParts.js';
import { editorForTests } from './inEditor.js';
import { KEY, stageForTests } from './stage.js';
import { chain, items, messagingSend, SENDER, start } from './workflow.js';

const GOOD = { phone: '447700900123' };
const ALSO_GOOD = { phone: '447700900124' };
const WITHOUT_COUNTRY_CODE = { phone: '07700 900125' };
const SEND = { resource: 'message', operation: 'send', phone: '={{ $json.phone }}', message: 'Hello' };

const SEND_OPTIONS = [
  'Check Credits First',
  'Default Country Code',
  'Dry Run',
  'Duplicate Messages',
  'If the Outcome Is Uncertain',
  'Long Messages',
  'Longest Wait (Minutes)',
  'Parallel Requests',
  'Requests per Minute',
  'When Credits Run Out',
];
const BULK_OPTIONS = SEND_OPTIONS.toSpliced(7, 0, 'Output');

/** What the node shows after these choices, one set after the other, from top to bottom. */
const SHOWN: Array<{ choices: Array<[parameter: string, option: string]>; parameters: string[]; options: string[] }> = [
  {
    choices: [['resource', 'Balance']],
    parameters: ['Resource', 'Operation', 'Options'],
    options: ['Longest Wait (Minutes)', 'Requests per Minute'],
  },
  {
    choices: [['resource', 'Message'], ['operation', 'Send']],
    parameters: ['Resource', 'Operation', 'Phone', 'Message', 'Options'],
    options: SEND_OPTIONS,
  },
  {
    choices: [['operation', 'Send Bulk'], ['source', 'Input Items']],
    parameters: ['Resource', 'Operation', 'Source', 'Phone', 'Message', 'Options'],
    options: BULK_OPTIONS,
  },
  {
    choices: [['operation', 'Send Bulk'], ['source', 'JSON List']],
    parameters: ['Resource', 'Operation', 'Source', 'Messages', 'Options'],
    options: BULK_OPTIONS,
  },
];

for (const release of SUPPORTED) {
  describe(`n8n ${release}`, () => {
    const stage = stageForTests({ release });
    const inEditor = editorForTests(stage);

    /** Stores a workflow that sends to these contacts; returns where the editor shows it. */
    const sendTo = async (contacts: Array<{ phone: string }>): Promise<string> => {
      const { rest, credential } = stage();
      const nodes = [start(), items(contacts), messagingSend(SEND)];
      return stage().editorOf(await rest.importWorkflow(chain('Send to contacts', nodes), [credential]));
    };

    // First of all: the node takes the credential of that name if it is the only one, once it is opened.
    test('the example imported from its file sends to every contact that can be reached', async () => {
      const { n8n, sandbox, folder, credential } = stage();
      sandbox.reset();
      await copyFile(EXAMPLE_CONTACTS, path.join(filesFolderOf(folder), CONTACTS_FILE));
      const reachable = (await readContacts(EXAMPLE_CONTACTS)).flatMap((contact) => expectedPhone(contact) ?? []);
      await inEditor(`${release} example`, async (page) => {
        await importWorkflowFile(page, n8n.url, path.join(PROJECT_FOLDER, 'examples', 'contacts-to-bulk.json'));
        await openNode(page, SENDER);
        assert.equal(await credentialChosen(page), credential.name);
        await closeNode(page);
        await executeWorkflow(page);
      });
      assert.deepEqual(sandbox.messages().map(({ phone }) => phone).sort(), reachable.sort());
    });

    test('the node is found in the panel of nodes', async (context) => {
      const workflow = await sendTo([GOOD]);
      await inEditor(`${release} search`, async (page) => {
        await openWorkflow(page, workflow);
        await openNodePanel(page);
        for (const word of ['messaging', 'sms', 'whatsapp', 'bulk']) {
          await context.test(`by "${word}"`, async () => {
            assert.equal(await (await findInNodePanel(page, word, SENDER)).count(), 1);
          });
        }
      });
    });

    for (const theme of ['light', 'dark'] as const) {
      test(`the ${theme} icon shows in the panel of nodes, on the canvas and in the credential`, async () => {
        const icon = { file: `messagingSend.${theme}.svg`, isLoaded: true, hasSize: true };
        const workflow = await sendTo([GOOD]);
        await inEditor(`${release} icon ${theme}`, async (page) => {
          await openWorkflow(page, workflow);
          assert.deepEqual(await pictureIn(nodeOnCanvas(page, SENDER)), icon);
          await openNodePanel(page);
          assert.deepEqual(await pictureIn(await findInNodePanel(page, 'messaging', SENDER)), icon);
        }, theme);
        await inEditor(`${release} credential icon ${theme}`, async (page) => {
          await openWorkflow(page, workflow);
          await openNode(page, SENDER);
          assert.deepEqual(await pictureIn(await openNewCredential(page)), icon);
        }, theme);
      });
    }

    test('a credential with the right key connects', async () => {
      const { sandbox } = stage();
      sandbox.reset();
      const workflow = await sendTo([GOOD]);
      await inEditor(`${release} right key`, async (page) => {
        await openWorkflow(page, workflow);
        await openNode(page, SENDER);
        const dialog = await openNewCredential(page);
        await saveCredential(dialog, { baseUrl: `${sandbox.url}/v1`, apiKey: KEY });
        await waitForConnection(dialog);
        assert.deepEqual(sandbox.requests().map(({ path, status }) => [path, status]), [['/v1/user/balance', 200]]);
      });
    });

    test('a credential with a wrong key says that it is the key', async () => {
      const { sandbox } = stage();
      const workflow = await sendTo([GOOD]);
      await inEditor(`${release} wrong key`, async (page) => {
        await openWorkflow(page, workflow);
        await openNode(page, SENDER);
        const dialog = await openNewCredential(page);
        await saveCredential(dialog, { baseUrl: `${sandbox.url}/v1`, apiKey: 'another' });
        await dialog.getByText('Couldn’t connect with these settings').filter({ visible: true }).waitFor();
        await dialog.getByText('More details').click();
        await dialog.getByText('The API key is not valid. Compare it with the one in your account settings.').filter({ visible: true }).waitFor();
      });
    });

    test('the node shows the parameters of its operation and no others', async (context) => {
      const workflow = await sendTo([GOOD]);
      await inEditor(`${release} parameters`, async (page) => {
        await openWorkflow(page, workflow);
        await openNode(page, SENDER);
        for (const { choices, parameters, options } of SHOWN) {
          await context.test(choices.map(([, option]) => option).join(', '), async () => {
            for (const [parameter, option] of choices) await choose(page, parameter, option);
            assert.deepEqual(await parametersShown(page), parameters);
            assert.deepEqual(await optionsOffered(page), options);
          });
        }
      });
    });

    test('a run by the button shows what was sent, and a hint over it', async () => {
      stage().sandbox.reset();
      const workflow = await sendTo([GOOD, ALSO_GOOD]);
      await inEditor(`${release} run`, async (page) => {
        await openWorkflow(page, workflow);
        await executeWorkflow(page);
        await openNode(page, SENDER);
        const output = outputPanel(page);
        await output.getByTestId('node-hint').getByText('2 sent, 2 credits used, 999998 left, 2 requests.').waitFor();
        await output.getByRole('cell', { name: GOOD.phone }).waitFor();
        await output.getByRole('cell', { name: ALSO_GOOD.phone }).waitFor();
        await output.getByText('2 items', { exact: true }).waitFor();
      });
    });

    test('a run that fails shows what is wrong, what to do, and which item it is', async () => {
      const workflow = await sendTo([GOOD, WITHOUT_COUNTRY_CODE]);
      await inEditor(`${release} failure`, async (page) => {
        await openWorkflow(page, workflow);
        await executeWorkflow(page, 'The phone number begins with 0, so its country code is missing');
        await openNode(page, SENDER);
        const output = outputPanel(page);
        const message = output.getByTestId('node-error-message');
        await message.getByText('The phone number begins with 0, so its country code is missing [item 1]').waitFor();
        const description = await output.getByTestId('node-error-description').innerText();
        assert.match(description, /^Put the country code in place of the 0, such as 447700900123 .* Nothing was sent\.$/);
      });
    });
  });
}
