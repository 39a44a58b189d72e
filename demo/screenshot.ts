import './requirements.js';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { Command } from 'commander';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser, openWindow } from './browser.js';
import { EXAMPLE_CONTACTS } from './contacts.js';
import { closeNode, executeWorkflow, logIn, noticeOn, openNode, openWorkflow, outputPanel } from './editor.js';
import type { JsonObject } from './json.js';
import { PROJECT_FOLDER } from './package.js';
import { CURRENT } from './releases.js';
import { idOf, type StoredCredential } from './rest.js';
import { dryRun, lowBalance, SENDER, TRIGGER, withoutTheNode, withTheNode, wrongNumber } from './scenes.js';
import { runSession } from './session.js';
import { startStack, type Stack } from './stack.js';

void runSession(async ({ signal, closing, say }) => {
  const out = readFolder();
  await mkdir(out, { recursive: true });
  const stack = await startStack({
    release: CURRENT,
    ports: { n8n: 'free', sandbox: 'free' },
    contactsFile: EXAMPLE_CONTACTS,
    credits: 1000,
    keepData: false,
    say,
    signal,
    closing,
  });
  const browser = await launchBrowser();
  closing.add(() => browser.close());
  const window = await openWindow(browser, SHARP);

  const shoot = async (page: Page, name: string) => {
    signal.throwIfAborted();
    await page.screenshot({ path: path.join(out, `${name}.png`), animations: 'disabled' });
    say(`Picture: ${name}.png`);
  };
  const editor = await window.newPage();
  await logIn(editor, stack.n8n.url, stack.owner);
  await runInEditor(editor, stack);
  await shoot(editor, 'editor');
  await openSendingNode(editor, stack);
  await shoot(editor, 'node');
  const inbox = await window.newPage();
  await openInbox(inbox, stack);
  await shoot(inbox, 'inbox');

  await openScene(editor, stack, dryRun(), stack.credential);
  await executeWorkflow(editor);
  await openNode(editor, SENDER);
  await settled(editor);
  await shoot(editor, 'dry-run');

  await openScene(editor, stack, wrongNumber(), stack.credential);
  await executeWorkflow(editor, 'The phone number begins with 0');
  // A notice of an error stays until it is closed.
  await noticeOn(editor).locator('.el-notification__closeBtn').first().click();
  await openNode(editor, SENDER);
  await settled(editor);
  await shoot(editor, 'error');

  await openScene(editor, stack, lowBalance(), stack.credential);
  await openNode(editor, TRIGGER);
  await editor.getByTestId('node-execute-button').click();
  await settled(editor);
  // n8n's advice on the first output of a trigger would cover the hint.
  await closeNode(editor);
  await openNode(editor, TRIGGER);
  await shoot(editor, 'trigger');

  const canvas = await openCanvas(browser, stack);
  const header = await stack.rest.createCredential('API key', 'httpHeaderAuth', { name: 'Authorization', value: 'Bearer made-up' });
  await openScene(canvas, stack, await withoutTheNode(), header);
  await fitCanvas(canvas);
  await shoot(canvas, 'before');
  await openScene(canvas, stack, withTheNode(stack.example), stack.credential);
  await fitCanvas(canvas);
  await shoot(canvas, 'after');
  return 0;
});

/** Fine enough for a screen with two pixels to a point. */
const SHARP = { deviceScaleFactor: 2 };

/** A window that is as flat as a row of nodes. */
async function openCanvas(browser: Browser, { n8n, owner }: Stack): Promise<Page> {
  const page = await (await openWindow(browser, { ...SHARP, viewport: { width: 1440, height: 640 } })).newPage();
  await logIn(page, n8n.url, owner);
  return page;
}

/** Opens a workflow that is not stored yet. */
async function openScene(page: Page, { rest, n8n }: Stack, workflow: JsonObject, credential: StoredCredential): Promise<void> {
  const stored = await rest.importWorkflow(workflow, [credential]);
  await openWorkflow(page, `${n8n.url}/workflow/${idOf(stored)}`);
}

async function fitCanvas(page: Page): Promise<void> {
  await page.getByTestId('canvas-wrapper').click({ position: { x: 300, y: 60 } });
  // "1" fits the whole workflow into the canvas.
  await page.keyboard.press('1');
}

/** Waits for the output of the open node, and for the notices to go away. */
async function settled(page: Page): Promise<void> {
  const result = outputPanel(page).getByRole('table').or(outputPanel(page).getByTestId('node-error-message'));
  await result.first().waitFor();
  await page.mouse.move(0, 0);
  await noticeOn(page).waitFor({ state: 'detached' });
}

function readFolder(): string {
  const { out } = new Command('npm run screenshots --')
    .description("Takes the pictures of the documentation: n8n's editor with this node in it, and the sandbox's inbox.")
    .option('--out <folder>', 'where the pictures go', path.join(PROJECT_FOLDER, 'docs'))
    .allowExcessArguments(false)
    .parse()
    .opts<{ out: string }>();
  return path.resolve(out);
}

async function runInEditor(page: Page, { editor }: Stack): Promise<void> {
  await openWorkflow(page, editor);
  await executeWorkflow(page);
  await fitCanvas(page);
  await noticeOn(page).waitFor({ state: 'detached' });
}

async function openSendingNode(page: Page, { example }: Stack): Promise<void> {
  await openNode(page, example.sender);
  await outputPanel(page).getByRole('table').waitFor();
  // A pointer over a row would show that row's contact in the parameters' previews.
  await page.mouse.move(0, 0);
}

async function openInbox(page: Page, { sandbox }: Stack): Promise<void> {
  await page.goto(`${sandbox.url}/`);
  await page.getByText('Hello ').first().waitFor();
}
