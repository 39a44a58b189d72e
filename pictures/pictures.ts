/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
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
import { contactsExampleNodes } from '../tools/n8n/examples/contactsExample';
import { storeExampleCredentials } from '../tools/n8n/examples/credentials';
import { exampleNames, readExample } from '../tools/n8n/examples/files';
import { SENDER, TRIGGER } from '../tools/n8n/workflow';
import { endPageBelow, type Shoot } from './camera';
import { inboxOnPhone, messageOnPhone, onPhone, showPhones } from './phones';
import { contactsFrom, loopOverContacts, lowBalance, sending, withoutNotes, withoutTheNode } from './scenes';

const PHONE = '+44 7700 900123';

/** At this width, a node's parameters and output together are as wide as a page. */
const EDITOR = { width: 1440, height: 1200 };

/** Small, so that the list of executions and the buttons of one are close together. */
const EXECUTIONS = { width: 1000, height: 500 };

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

export async function takePictures(
  page: Page,
  browser: Browser,
  instance: InstanceWithSandbox,
  shoot: Shoot,
): Promise<void> {
  const { credential, n8n, rest, sandbox } = instance;
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

  /** Where n8n offers Retry: its button has no label. */
  const shootRetry = async () => {
    const failing = await rest.importWorkflow(
      sending('send', { phone: '07700 900123', message: 'Hello' }),
      credentials,
    );
    await rest.run(failing, 'Start');
    await page.setViewportSize(EXECUTIONS);
    await page.goto(`${instance.editorUrl(failing)}/executions`);
    await noticeOn(page).locator('.el-notification__closeBtn').first().click();
    await page.getByTestId('execution-preview-retry-button').click();
    await shoot('retry', page.getByText('Auto refresh').or(page.getByRole('menuitem')), 60);
    await page.setViewportSize(EDITOR);
  };

  const contacts = await contactsFrom('Start');
  await open(contacts);
  await executeWorkflow(page);
  await openNode(page, contactsExampleNodes(contacts).sender);
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

  const question = sending('sendAndWait', {
    sendTo: PHONE,
    message: 'Refund order 1234 (£50)?',
    responseType: 'approval',
    approvalOptions: { values: { approvalType: 'double', commentLabel: 'Comment' } },
  });
  await rest.waitUntilWaiting(await rest.start(await rest.importWorkflow(question, credentials), 'Start'));
  const link = sandbox.messages().at(-1)?.message.split('\n').at(-1) ?? '';
  const form = await onPhone(browser, link.replace(PUBLIC_ADDRESS, n8n.url));
  await shootPhones('question', await messageOnPhone(browser, sandbox), form);

  await open(sending('send', { phone: PHONE, message: 'Hello from n8n', options: { dryRun: true } }));
  await executeWorkflow(page);
  await openNode(page, SENDER);
  await output.getByTestId('radio-button-json').click();
  await shootPanel('dry-run');

  await open(sending('send', { phone: '07700 900123', message: 'Hello from n8n' }));
  await executeWorkflow(page, 'The phone number begins with 0');
  // A notice of an error stays until it is closed.
  await noticeOn(page).locator('.el-notification__closeBtn').first().click();
  await openNode(page, SENDER);
  await output.getByTestId('node-error-message').waitFor();
  await shootPanel('error', parameters.filter({ has: page.getByTestId('parameter-input-phone') }));

  await shootRetry();

  await open(lowBalance());
  await openNode(page, TRIGGER);
  await page.getByTestId('node-execute-button').click();
  await output.getByTestId('node-run-status-success').waitFor();
  // n8n's advice on the first output of a trigger would cover the hint.
  await closeNode(page);
  await openNode(page, TRIGGER);
  await output.getByTestId('radio-button-json').click();
  await shootPanel('trigger');

  await open(withoutTheNode());
  await shootCanvas('before');
  await open(await contactsFrom('Contacts'));
  await shootCanvas('after');
  await open(loopOverContacts());
  await shootCanvas('loop');

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
