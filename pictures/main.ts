import '../tools/cli/requirements';

import { mkdir } from 'node:fs/promises';
import path from 'node:path';

import { Command } from 'commander';
import { type Page } from 'playwright-core';

import { runSession } from '../tools/cli/session';
import { launchBrowser, openWindow } from '../tools/n8n/browser';
import { executeWorkflow, fitCanvas, logIn, noticeOn, openNode, openWorkflow, outputPanel } from '../tools/n8n/editor';
import { addContactsExample, type ContactsExample } from '../tools/n8n/examples/contactsExample';
import { OWNER, startWithSandbox } from '../tools/n8n/instance';
import { packPackage, unpackPackage } from '../tools/n8n/package';
import { PROJECT_FOLDER } from '../tools/project';
import { takeExamplePictures } from './examplePictures';
import { SHARP, takeScenePictures } from './scenePictures';

void runSession(async (session) => {
  const { signal, cleanup, say } = session;
  const out = readFolder();
  await mkdir(out, { recursive: true });
  const providePackage = async (userFolder: string) => {
    say('Building and packing this package');
    await unpackPackage(await packPackage(path.join(userFolder, 'package'), signal), userFolder, signal);
  };
  const instance = await startWithSandbox({ purpose: 'pictures', providePackage }, session);
  const example = await addContactsExample(instance);
  const browser = await launchBrowser();
  cleanup.add(() => browser.close());
  const window = await openWindow(browser, SHARP);

  const report = (name: string) => {
    signal.throwIfAborted();
    say(`Picture: ${name}.png`);
  };
  const shoot = async (page: Page, name: string) => {
    await page.screenshot({ path: path.join(out, `${name}.png`), animations: 'disabled' });
    report(name);
  };
  const editor = await window.newPage();
  await logIn(editor, instance.n8n.url, OWNER);
  await runInEditor(editor, example);
  await shoot(editor, 'editor');
  await openSendingNode(editor, example);
  await shoot(editor, 'node');
  const inbox = await window.newPage();
  await openInbox(inbox, instance.sandbox.url);
  await shoot(inbox, 'inbox');
  await takeScenePictures(editor, browser, instance, shoot);
  await takeExamplePictures(browser, instance, path.join(out, 'examples'), (name) => {
    report(`examples/${name}`);
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

async function runInEditor(page: Page, { editorUrl }: ContactsExample): Promise<void> {
  await openWorkflow(page, editorUrl);
  await executeWorkflow(page);
  await fitCanvas(page);
  await noticeOn(page).waitFor({ state: 'detached' });
}

async function openSendingNode(page: Page, { sender }: ContactsExample): Promise<void> {
  await openNode(page, sender);
  await outputPanel(page).getByRole('table').waitFor();
  // A pointer over a row would show that row's contact in the parameters' previews.
  await page.mouse.move(0, 0);
}

async function openInbox(page: Page, sandboxUrl: string): Promise<void> {
  await page.goto(`${sandboxUrl}/`);
  await page.getByText('Hello ').first().waitFor();
}
