import './requirements.js';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { Command } from 'commander';
import { chromium, selectors, type Browser, type Page } from 'playwright-core';
import { EXAMPLE_CONTACTS } from './contacts.js';
import { DemoFailure } from './failure.js';
import { CURRENT } from './releases.js';
import { runSession } from './session.js';
import { startStack, type Stack } from './stack.js';

const VIEWPORT = { width: 1440, height: 900 };
const STEP_DEADLINE_MS = 60_000;

void runSession(async ({ signal, closing, say }) => {
  const { out, browser: executablePath } = readFlags();
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
  const browser = await launch(executablePath);
  closing.add(() => browser.close());
  // n8n's own name for the attribute its tests go by.
  selectors.setTestIdAttribute('data-test-id');

  const shoot = async (page: Page, name: string) => {
    signal.throwIfAborted();
    const file = path.join(out, `${name}.png`);
    await page.screenshot({ path: file, animations: 'disabled' });
    say(`Picture: ${file}`);
  };
  const editor = await openPage(browser);
  await logIn(editor, stack);
  await runInEditor(editor, stack);
  await shoot(editor, 'editor');
  await openSendingNode(editor, stack);
  await shoot(editor, 'node');
  const inbox = await openPage(browser);
  await openInbox(inbox, stack);
  await shoot(inbox, 'inbox');
  return 0;
});

function readFlags(): { out: string; browser: string } {
  const { out, browser } = new Command('tsx demo/screenshot.ts')
    .description('Takes pictures of the demo: the editor after a run, the node, the inbox.')
    .requiredOption('--out <folder>', 'where the pictures go')
    .option('--browser <path>', 'a Chromium', '/usr/bin/chromium')
    .allowExcessArguments(false)
    .parse()
    .opts<{ out: string; browser: string }>();
  return { out: path.resolve(out), browser };
}

async function launch(executablePath: string): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking'];
  return await chromium.launch({ executablePath, args }).catch((failure: unknown) => {
    const reason = failure instanceof Error ? failure.message.split('\n')[0] : String(failure);
    throw new DemoFailure(`Chromium can't be started (${reason}). Name another one with --browser.`);
  });
}

async function openPage(browser: Browser): Promise<Page> {
  const page = await browser.newPage({ viewport: VIEWPORT, deviceScaleFactor: 2, locale: 'en-GB', timezoneId: 'UTC' });
  page.setDefaultTimeout(STEP_DEADLINE_MS);
  return page;
}

async function logIn(page: Page, { n8n, owner }: Stack): Promise<void> {
  await page.goto(`${n8n.url}/signin`);
  await page.locator('input[name="emailOrLdapLoginId"]').fill(owner.email);
  await page.locator('input[name="password"]').fill(owner.password);
  await page.getByTestId('form-submit-button').click();
  await page.waitForURL((address) => !address.pathname.startsWith('/signin'));
}

async function runInEditor(page: Page, { editor }: Stack): Promise<void> {
  await page.goto(editor);
  await page.getByTestId('canvas-node').first().waitFor();
  await page.getByTestId('execute-workflow-button').click();
  const notice = page.locator('.el-notification');
  await notice.getByText('Workflow executed successfully').waitFor();
  // "1" fits the whole workflow into the canvas.
  await page.getByTestId('canvas-wrapper').click({ position: { x: 300, y: 60 } });
  await page.keyboard.press('1');
  await notice.waitFor({ state: 'detached' });
}

async function openSendingNode(page: Page, { example }: Stack): Promise<void> {
  await page.locator(`[data-test-id="canvas-node"][data-node-name="${example.sender}"]`).dblclick();
  await page.getByTestId('ndv').waitFor();
  await page.getByTestId('output-panel').getByRole('table').waitFor();
  // A pointer over a row would show that row's contact in the parameters' previews.
  await page.mouse.move(0, 0);
}

async function openInbox(page: Page, { sandbox }: Stack): Promise<void> {
  await page.goto(`${sandbox.url}/`);
  await page.getByText('Hello ').first().waitFor();
}
