/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { type Browser, type Page } from 'playwright-core';

import { type InstanceWithSandbox } from '../sandbox/n8n/instance';
import {
  closeNode,
  executeNode,
  executeWorkflow,
  noticeOn,
  openNode,
  openWorkflow,
  outputPanel,
  runByButton,
  showFullSize,
} from '../tools/n8n/editor';
import { contactsExampleNodes, exampleNames, readExample } from '../tools/n8n/examples';
import { type StoredCredential } from '../tools/n8n/rest';
import { SENDER, START, TRIGGER, type Workflow } from '../tools/n8n/workflow';
import { endPageBelow, Film, FRAME, onPhone, shoot, showPhones } from './camera';
import { contactsFrom, loopOverContacts, lowBalance, sending, withoutNotes, withoutTheNode } from './scenes';

const PHONE = '+44 7700 900123';

/** At this width, a node's parameters and output together are as wide as a page. */
const EDITOR = { width: 1440, height: 1200 };
/** Small, so that the list of executions and the buttons of one are close together. */
const EXECUTIONS = { width: 1000, height: 500 };
/** Large enough for the largest example, with none of the editor's buttons on top of it. */
const CANVAS = { width: 2400, height: 1600 };
const CANVAS_MARGIN = 32;
const INBOX = { width: 900, height: 900 };
const TWO_PHONES = { width: 900, height: 590 };
/** Below the last parameter: 25 pixels that the panel keeps free below itself, and some room inside it. */
const PANEL_MARGIN = 36;

/** In the film, a node's input and parameters together fill a frame, and so do its parameters and output. */
const FILMED_NODE = { width: 1550, height: FRAME.height + 50 };
const INPUT_SIDE = { x: 25, y: 25 };
const OUTPUT_SIDE = { x: FILMED_NODE.width - 25 - FRAME.width, y: 25 };
/** In the middle of this canvas, a frame shows none of the editor's other buttons. */
const FILMED_CANVAS = { width: 1720, height: 740 };
const CANVAS_MIDDLE = { x: 391, y: 91 };

/** What links in messages begin with. */
export const PUBLIC_ADDRESS = 'https://n8n.example.com';

/** The nodes, the names below them, the flash before a trigger, and the lines. */
const WORKFLOW = ['.vue-flow__node', '[class*="_description_"] *', '[class*="_bolt_"]', '.vue-flow__edge-path'].join();

interface Studio {
  readonly page: Page;
  readonly browser: Browser;
  readonly instance: InstanceWithSandbox;
  readonly credentials: StoredCredential[];
}

/** Takes the pictures of this name, from a sandbox that has sent nothing. */
export const PICTURES: Readonly<Record<string, (studio: Studio) => Promise<void>>> = {
  /** The contacts example: the contacts, a run, its messages on a phone, and a second run, which sends nobody twice. */
  async tour(studio) {
    const { page } = studio;
    const workflow = await contactsFrom('Start', { duplicateMessages: 'sendOnceEver' });
    const { sender } = contactsExampleNodes(workflow);
    const film = new Film();
    await open(studio, workflow, FILMED_NODE);
    await openNode(page, sender);
    const input = page.getByTestId('ndv-input-panel');
    await input.getByTestId('execute-previous-node').click();
    await input.getByText('250 items').first().waitFor();
    await input.getByTestId('radio-button-table').click();
    await noticeOn(page).waitFor({ state: 'detached' });
    await film.hold(3000, page, INPUT_SIDE);

    await closeNode(page);
    await page.setViewportSize(FILMED_CANVAS);
    await page.getByTestId('clear-execution-data-button').click();
    await showFullSize(page);
    await film.hold(900, page, CANVAS_MIDDLE);
    await runByButton(page);
    await noticeOn(page).waitFor();
    await film.hold(2000, page, CANVAS_MIDDLE);

    await page.setViewportSize(FILMED_NODE);
    await noticeOn(page).waitFor({ state: 'detached' });
    await openNode(page, sender);
    await film.hold(3600, page, OUTPUT_SIDE);

    const phones = await page.context().newPage();
    await showPhones(phones, FRAME, [await inbox(studio), await message(studio)]);
    await film.hold(3000, phones);
    await phones.close();

    await page.getByTestId('parameter-input-duplicateMessages').scrollIntoViewIfNeeded();
    await film.hold(900, page, OUTPUT_SIDE);
    await executeNode(page);
    await outputPanel(page).getByText('245 skipped').waitFor();
    await noticeOn(page).waitFor({ state: 'detached' });
    await film.hold(3600, page, OUTPUT_SIDE);
    await film.save('tour');
  },

  /** The node after a run, the inbox then, and phones with a message and a question. */
  async node(studio) {
    const { page, browser, instance, credentials } = studio;
    const { n8n, rest, sandbox } = instance;
    const contacts = await contactsFrom('Start');
    await open(studio, contacts);
    await executeWorkflow(page);
    await openNode(page, contactsExampleNodes(contacts).sender);
    // As many rows of the output as fit beside the parameters.
    await outputPanel(page).getByTestId('ndv-data-pagination').locator('.el-select').click();
    await page.getByRole('option', { name: '10', exact: true }).click();
    // The list keeps its focus, and its frame, until something else is clicked.
    await outputPanel(page)
      .getByTestId('branches')
      .click({ position: { x: 1, y: 1 } });
    await shootPanel(studio, 'node');

    await page.setViewportSize(INBOX);
    await page.goto(`${sandbox.url}/`);
    await endPageBelow(page.locator('#conversations > :nth-child(4)'), 0);
    await shoot('inbox', page.locator('body'));

    await showPhones(page, TWO_PHONES, [await inbox(studio), await message(studio)]);
    await shoot('phone', page.locator('body'));

    const question = sending('sendAndWait', {
      sendTo: PHONE,
      message: 'Refund order 1234 (£50)?',
      responseType: 'approval',
      approvalOptions: { values: { approvalType: 'double', commentLabel: 'Comment' } },
    });
    await rest.waitUntilWaiting(await rest.start(await rest.importWorkflow(question, credentials), START));
    const link = sandbox.messages().at(-1)?.message.split('\n').at(-1) ?? '';
    const form = await onPhone(browser, link.replace(PUBLIC_ADDRESS, n8n.url));
    await showPhones(page, TWO_PHONES, [await message(studio), form]);
    await shoot('question', page.locator('body'));
  },

  async 'dry-run'(studio) {
    const { page } = studio;
    await open(studio, sending('send', { phone: PHONE, message: 'Hello from n8n', options: { dryRun: true } }));
    await executeWorkflow(page);
    await openNode(page, SENDER);
    await outputPanel(page).getByTestId('radio-button-json').click();
    await shootPanel(studio, 'dry-run');
  },

  async error(studio) {
    const { page } = studio;
    await open(studio, sending('send', { phone: '07700 900123', message: 'Hello from n8n' }));
    await executeWorkflow(page, 'The phone number begins with 0');
    await closeNotice(page);
    await openNode(page, SENDER);
    await outputPanel(page).getByTestId('node-error-message').waitFor();
    const withPhone = page.getByTestId('parameter-item').filter({ has: page.getByTestId('parameter-input-phone') });
    await shootPanel(studio, 'error', withPhone);
  },

  /** Where n8n offers Retry: its button has no label. */
  async retry({ page, instance, credentials }) {
    const { rest } = instance;
    const failing = sending('send', { phone: '07700 900123', message: 'Hello' });
    const stored = await rest.importWorkflow(failing, credentials);
    await rest.run(stored, START);
    await page.setViewportSize(EXECUTIONS);
    await page.goto(`${instance.editorUrl(stored)}/executions`);
    await closeNotice(page);
    await page.getByTestId('execution-preview-retry-button').click();
    await shoot('retry', page.getByText('Auto refresh').or(page.getByRole('menuitem')), 60);
  },

  async trigger(studio) {
    const { page } = studio;
    await open(studio, lowBalance());
    await openNode(page, TRIGGER);
    await executeNode(page);
    await outputPanel(page).getByTestId('node-run-status-success').waitFor();
    // n8n's advice on the first output of a trigger would cover the hint.
    await closeNode(page);
    await openNode(page, TRIGGER);
    await outputPanel(page).getByTestId('radio-button-json').click();
    await shootPanel(studio, 'trigger');
  },

  async workflows(studio) {
    await shootCanvas(studio, 'before', withoutTheNode());
    await shootCanvas(studio, 'after', await contactsFrom('Contacts'));
    await shootCanvas(studio, 'loop', loopOverContacts());
  },

  async examples(studio) {
    for (const name of await exampleNames())
      await shootCanvas(studio, `examples/${name}`, withoutNotes(await readExample(name)));
  },
};

async function open({ page, instance, credentials }: Studio, workflow: Workflow, size = EDITOR): Promise<void> {
  const stored = await instance.rest.importWorkflow(workflow, credentials);
  await page.setViewportSize(size);
  await openWorkflow(page, instance.editorUrl(stored));
  // Icons load after their nodes.
  await page.waitForLoadState('networkidle');
}

/** A notice of an error stays until it is closed. */
async function closeNotice(page: Page): Promise<void> {
  await noticeOn(page).locator('.el-notification__closeBtn').first().click();
}

async function shootCanvas(studio: Studio, name: string, workflow: Workflow): Promise<void> {
  const { page } = studio;
  await open(studio, workflow);
  await page.setViewportSize(CANVAS);
  await showFullSize(page);
  await shoot(name, page.locator(WORKFLOW), CANVAS_MARGIN);
}

/** The open node: its parameters, to the end of those that are to be shown, and its output. */
async function shootPanel({ page }: Studio, name: string, shown = page.getByTestId('parameter-item')) {
  // A pointer over a row of the output would show that row's values in the parameters' previews.
  await page.mouse.move(0, 0);
  await noticeOn(page).waitFor({ state: 'detached' });
  await endPageBelow(shown, PANEL_MARGIN);
  await shoot(name, page.getByTestId('node-parameters').or(outputPanel(page)));
}

/** The inbox of the sandbox on a phone: all conversations. */
async function inbox({ browser, instance }: Studio): Promise<Buffer> {
  return await onPhone(browser, instance.sandbox.url, (page) => page.locator('.row').first().waitFor());
}

/** The newest message on a phone. */
async function message({ browser, instance }: Studio): Promise<Buffer> {
  return await onPhone(browser, instance.sandbox.url, async (page) => {
    await page.locator('.row').first().tap();
    await page.locator('.bubble').first().waitFor();
  });
}
