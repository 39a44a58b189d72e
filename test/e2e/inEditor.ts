/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { tmpdir } from 'node:os';
import path from 'node:path';

import { type Browser, type Page } from 'playwright-core';

import { type InstanceWithSandbox } from '../../sandbox/n8n/instance';
import { launchBrowser, openWindow } from '../../tools/n8n/browser';
import { logIn } from '../../tools/n8n/editor';
import { OWNER } from '../../tools/n8n/instance';
import { whileTestsRun } from './instanceForTests';

/** Names a folder for a picture of the end of each editor test; without it, only failures get one. */
export const PICTURES_VARIABLE = 'MESSAGING_SEND_PICTURES';

/** Runs `work` on a page of its own, logged in. */
export type InEditor = (name: string, work: (page: Page) => Promise<void>) => Promise<void>;

/** A browser for the tests of a `describe`. */
export const browserForTests = (): (() => Browser) => whileTestsRun(launchBrowser, (browser) => browser.close());

export function editorForTests(instance: () => InstanceWithSandbox): InEditor {
  const browser = browserForTests();
  // Pages of one window load n8n's editor only once.
  const window = whileTestsRun(async () => {
    const opened = await openWindow(browser());
    const page = await opened.newPage();
    await logIn(page, instance().n8n.url, OWNER);
    await page.close();
    return opened;
  });
  return async (name, work) => {
    const page = await window().newPage();
    try {
      await work(page);
      await takePicture(page, name, process.env[PICTURES_VARIABLE]);
    } catch (failure) {
      const folder = path.join(tmpdir(), 'n8n-messaging-send-failures');
      await takePicture(page, name, folder);
      console.log(`What the editor showed is in ${folder}\n${instance().n8n.endOfLog()}`);
      throw failure;
    } finally {
      await page.close();
    }
  };
}

export async function takePicture(page: Page, name: string, folder: string | undefined): Promise<void> {
  if (folder === undefined) return;
  const file = path.join(folder, `${name.replaceAll(/[^\w.-]+/g, '-')}.png`);
  await page.screenshot({ path: file, animations: 'disabled' });
}
