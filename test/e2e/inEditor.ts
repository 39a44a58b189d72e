import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { type Browser, type BrowserContext, type Page } from 'playwright-core';

import { type InstanceWithSandbox } from '../../sandbox/n8n/instance';
import { launchBrowser, openWindow } from '../../tools/n8n/browser';
import { logIn } from '../../tools/n8n/editor';
import { OWNER } from '../../tools/n8n/instance';
import { whileTestsRun } from './instanceForTests';

/** Names a folder for a picture of the end of each editor test; without it, only failures get one. */
export const PICTURES_VARIABLE = 'MESSAGING_SEND_PICTURES';

export type Theme = 'light' | 'dark';

/** Runs `work` on a page of its own, logged in. */
export type InEditor = (name: string, work: (page: Page) => Promise<void>, theme?: Theme) => Promise<void>;

/** A browser for the tests of a `describe`. */
export function browserForTests(): () => Browser {
  return whileTestsRun(launchBrowser, (browser) => browser.close());
}

/** A browser for the tests of a `describe`, logged in to their instance's n8n. */
export function editorForTests(instance: () => InstanceWithSandbox): InEditor {
  const browser = browserForTests();
  // Pages of one window load n8n's editor only once; a window has one theme.
  const windows = new Map<Theme, BrowserContext>();

  const windowOf = async (theme: Theme): Promise<BrowserContext> => {
    const window = windows.get(theme) ?? (await openWindow(browser(), { colorScheme: theme }));
    if (!windows.has(theme)) await logInOnce(window, instance());
    windows.set(theme, window);
    return window;
  };
  return async (name, work, theme = 'light') => {
    const page = await (await windowOf(theme)).newPage();
    try {
      await work(page);
      const folder = process.env[PICTURES_VARIABLE];
      if (folder !== undefined) await takePicture(page, folder, name);
    } catch (failure) {
      const picture = await takePicture(page, path.join(tmpdir(), 'n8n-messaging-send-failures'), name);
      console.log(`What the editor showed is in ${picture}\n${instance().n8n.endOfLog()}`);
      throw failure;
    } finally {
      await page.close();
    }
  };
}

async function logInOnce(window: BrowserContext, { n8n }: InstanceWithSandbox): Promise<void> {
  const page = await window.newPage();
  await logIn(page, n8n.url, OWNER);
  await page.close();
}

async function takePicture(page: Page, folder: string, name: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, `${name.replaceAll(/[^\w.-]+/g, '-')}.png`);
  await page.screenshot({ path: file, animations: 'disabled' });
  return file;
}
