import { type Page } from 'playwright-core';

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
import { type InstanceWithSandbox } from '../tools/n8n/instance';
import { endPageBelow, type Shoot } from './camera';
import {
  contactsAndResults,
  dryRun,
  lowBalance,
  SENDER,
  TRIGGER,
  withoutNotes,
  withoutTheNode,
  withTheNode,
  wrongNumber,
} from './scenes';

/** Of this width, the parameters and the output are together as wide as a page. */
const EDITOR = { width: 1440, height: 1200 };

/** Large enough for the largest example, with nothing of the editor on top of it. */
const CANVAS = { width: 2400, height: 1600 };

const INBOX = { width: 900, height: 900 };

/** The nodes, the names below them, the flash before a trigger, and the lines. */
const WORKFLOW = ['.vue-flow__node', '[class*="_description_"] *', '[class*="_bolt_"]', '.vue-flow__edge-path'].join();

const CANVAS_MARGIN = 32;

/** Below a node's parameters: what the panel keeps free below itself, and some room in it. */
const PANEL_MARGIN = 36;

/** Takes all pictures, on a page on which the owner is logged in. */
export async function takePictures(page: Page, instance: InstanceWithSandbox, shoot: Shoot): Promise<void> {
  const { credential, folder, n8n, rest, sandbox } = instance;
  const header = await rest.createCredential('API key', 'httpHeaderAuth', { name: 'Authorization', value: 'made-up' });
  const open = async (workflow: JsonObject, credentials = [credential]) => {
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
  };
  const parameterItem = page.getByTestId('parameter-item');
  const shootPanel = async (name: string, parameters = parameterItem) => {
    // A pointer over a row of the output would show that row's values in the parameters' previews.
    await page.mouse.move(0, 0);
    await noticeOn(page).waitFor({ state: 'detached' });
    await endPageBelow(parameters, PANEL_MARGIN);
    await shoot(name, page.getByTestId('node-parameters').or(outputPanel(page)));
  };

  await provideContacts(folder);
  await open(await contactsAndResults());
  await executeWorkflow(page);
  await noticeOn(page).waitFor({ state: 'detached' });
  await shootCanvas('editor');
  await page.setViewportSize(EDITOR);
  await openNode(page, contactsExampleNodes(await readExample(CONTACTS_EXAMPLE)).sender);
  await showTenRows(page);
  await shootPanel('node');

  await page.setViewportSize(INBOX);
  await page.goto(`${sandbox.url}/`);
  await endPageBelow(page.locator('#conversations > :nth-child(4)'), 0);
  await shoot('inbox', page.locator('body'));

  await open(dryRun());
  await executeWorkflow(page);
  await openNode(page, SENDER);
  await outputPanel(page).getByTestId('radio-button-json').click();
  await shootPanel('dry-run');

  await open(wrongNumber());
  await executeWorkflow(page, 'The phone number begins with 0');
  // A notice of an error stays until it is closed.
  await noticeOn(page).locator('.el-notification__closeBtn').first().click();
  await openNode(page, SENDER);
  await outputPanel(page).getByTestId('node-error-message').waitFor();
  await shootPanel('error', parameterItem.filter({ has: page.getByTestId('parameter-input-phone') }));

  await open(lowBalance());
  await openNode(page, TRIGGER);
  await page.getByTestId('node-execute-button').click();
  await outputPanel(page).getByTestId('node-run-status-success').waitFor();
  // n8n's advice on the first output of a trigger would cover the hint.
  await closeNode(page);
  await openNode(page, TRIGGER);
  await outputPanel(page).getByTestId('radio-button-json').click();
  await shootPanel('trigger');

  await open(await withoutTheNode(), [header]);
  await shootCanvas('before');
  await open(await withTheNode());
  await shootCanvas('after');

  const credentials = [credential, ...(await storeExampleCredentials(rest, `${n8n.url}/v1`))];
  for (const name of await exampleNames()) {
    await open(withoutNotes(await readExample(name)), credentials);
    await shootCanvas(`examples/${name}`);
  }
}

async function showTenRows(page: Page): Promise<void> {
  await outputPanel(page).getByTestId('ndv-data-pagination').locator('.el-select').click();
  await page.getByRole('option', { name: '10', exact: true }).click();
  await outputPanel(page)
    .getByTestId('branches')
    .click({ position: { x: 1, y: 1 } });
}
