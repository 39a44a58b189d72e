import { type Browser, type Page } from 'playwright-core';

import { type InstanceWithSandbox } from '../sandbox/n8n/instance';
import { type JsonObject } from '../tools/json';
import {
  closeNode,
  executeWorkflow,
  noticeOn,
  openNode,
  openWorkflow,
  outputPanel,
  showFullSize,
} from '../tools/n8n/editor';
import { provideContacts } from '../tools/n8n/examples/contacts';
import { CONTACTS_EXAMPLE, contactsExampleNodes } from '../tools/n8n/examples/contactsExample';
import { storeExampleCredentials } from '../tools/n8n/examples/credentials';
import { exampleNames, readExample } from '../tools/n8n/examples/files';
import { endPageBelow, type Shoot } from './camera';
import { inboxOnPhone, messageOnPhone, onPhone, showPhones } from './phones';
import {
  approval,
  contactsAndResults,
  dryRun,
  lowBalance,
  SENDER,
  START,
  TRIGGER,
  withoutNotes,
  withoutTheNode,
  withTheNode,
  wrongNumber,
} from './scenes';

/** At this width, a node's parameters and output together are as wide as a page. */
const EDITOR = { width: 1440, height: 1200 };

/** Large enough for the largest example, with none of the editor's buttons on top of it. */
const CANVAS = { width: 2400, height: 1600 };

const INBOX = { width: 900, height: 900 };

const TWO_PHONES = { width: 900, height: 590 };

/** What links in messages begin with. */
export const PUBLIC_ADDRESS = 'https://n8n.example.com';

/** The nodes, the names below them, the flash before a trigger, and the lines. */
const WORKFLOW = ['.vue-flow__node', '[class*="_description_"] *', '[class*="_bolt_"]', '.vue-flow__edge-path'].join();

const CANVAS_MARGIN = 32;

/** Below the last parameter: 25 pixels that the panel keeps free below itself, and some room inside it. */
const PANEL_MARGIN = 36;

/** Takes all pictures, on a page on which the owner is logged in. */
export async function takePictures(
  page: Page,
  browser: Browser,
  instance: InstanceWithSandbox,
  shoot: Shoot,
): Promise<void> {
  const { credential, folder, n8n, rest, sandbox } = instance;
  const credentials = [credential, ...(await storeExampleCredentials(rest, `${n8n.url}/v1`))];
  const open = async (workflow: JsonObject) => {
    const stored = await rest.importWorkflow(workflow, credentials);
    await page.setViewportSize(EDITOR);
    await openWorkflow(page, instance.editorUrl(stored));
    // Icons load after their nodes.
    await page.waitForLoadState('networkidle');
  };
  const shootCanvas = async (name: string) => {
    await page.setViewportSize(CANVAS);
    await showFullSize(page);
    await shoot(name, page.locator(WORKFLOW), CANVAS_MARGIN);
    await page.setViewportSize(EDITOR);
  };
  const output = outputPanel(page);
  const parameters = page.getByTestId('parameter-item');
  const shootPanel = async (name: string, shown = parameters) => {
    // A pointer over a row of the output would show that row's values in the parameters' previews.
    await page.mouse.move(0, 0);
    await noticeOn(page).waitFor({ state: 'detached' });
    await endPageBelow(shown, PANEL_MARGIN);
    await shoot(name, page.getByTestId('node-parameters').or(output));
  };

  await provideContacts(folder);
  await open(await contactsAndResults());
  await executeWorkflow(page);
  await openNode(page, contactsExampleNodes(await readExample(CONTACTS_EXAMPLE)).sender);
  await showTenRows(page);
  await shootPanel('node');

  await page.setViewportSize(INBOX);
  await page.goto(`${sandbox.url}/`);
  await endPageBelow(page.locator('#conversations > :nth-child(4)'), 0);
  await shoot('inbox', page.locator('body'));

  const shootPhones = async (name: string, ...screens: Buffer[]) => {
    await showPhones(page, TWO_PHONES, screens);
    await shoot(name, page.locator('body'));
  };
  await shootPhones('phone', await inboxOnPhone(browser, sandbox), await messageOnPhone(browser, sandbox));

  await rest.waitUntilWaiting(await rest.start(await rest.importWorkflow(approval(), credentials), START));
  const link = sandbox.messages().at(-1)?.message.split('\n').at(-1) ?? '';
  const question = await onPhone(browser, link.replace(PUBLIC_ADDRESS, n8n.url));
  await shootPhones('question', await messageOnPhone(browser, sandbox), question);

  await open(dryRun());
  await executeWorkflow(page);
  await openNode(page, SENDER);
  await output.getByTestId('radio-button-json').click();
  await shootPanel('dry-run');

  await open(wrongNumber());
  await executeWorkflow(page, 'The phone number begins with 0');
  // A notice of an error stays until it is closed.
  await noticeOn(page).locator('.el-notification__closeBtn').first().click();
  await openNode(page, SENDER);
  await output.getByTestId('node-error-message').waitFor();
  await shootPanel('error', parameters.filter({ has: page.getByTestId('parameter-input-phone') }));

  await open(lowBalance());
  await openNode(page, TRIGGER);
  await page.getByTestId('node-execute-button').click();
  await output.getByTestId('node-run-status-success').waitFor();
  // n8n's advice on the first output of a trigger would cover the hint.
  await closeNode(page);
  await openNode(page, TRIGGER);
  await output.getByTestId('radio-button-json').click();
  await shootPanel('trigger');

  await open(await withoutTheNode());
  await shootCanvas('before');
  await open(await withTheNode());
  await shootCanvas('after');

  for (const name of await exampleNames()) {
    await open(withoutNotes(await readExample(name)));
    await shootCanvas(`examples/${name}`);
  }
}

/** As many rows of the output as fit beside the parameters. */
async function showTenRows(page: Page): Promise<void> {
  await outputPanel(page).getByTestId('ndv-data-pagination').locator('.el-select').click();
  await page.getByRole('option', { name: '10', exact: true }).click();
  // The list keeps its focus, and its frame, until something else is clicked.
  const corner = { x: 1, y: 1 };
  await outputPanel(page).getByTestId('branches').click({ position: corner });
}
