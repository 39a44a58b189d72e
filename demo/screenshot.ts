import './requirements';

import { mkdir } from 'node:fs/promises';
import path from 'node:path';

import { Command } from 'commander';
import type { Page } from 'playwright-core';

import { PROJECT_FOLDER } from '../tools/project';
import { launchBrowser, openWindow } from './browser';
import { EXAMPLE_CONTACTS } from './contacts';
import { executeWorkflow, fitCanvas, logIn, noticeOn, openNode, openWorkflow, outputPanel } from './editor';
import { takeExamplePictures } from './examplePictures';
import { CURRENT } from './releases';
import { SHARP, takeScenePictures } from './scenePictures';
import { runSession } from './session';
import { type Stack, startStack } from './stack';

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
  await takeScenePictures(editor, browser, stack, shoot);
  await takeExamplePictures(browser, stack, path.join(out, 'examples'), (name) => {
    signal.throwIfAborted();
    say(`Picture: examples/${name}.png`);
  });
  return 0;
});

function readFolder(): string {
  const { out } = new Command('npm run screenshots --')
    .description(
      "Takes the pictures of the documentation and of the examples: n8n's editor with this node in it, and the sandbox's inbox.",
    )
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
