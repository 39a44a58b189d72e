/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { type Browser, type Page } from 'playwright-core';

import { type Sandbox } from '../sandbox/server';
import { openWindow } from '../tools/n8n/browser';

const PHONE = { width: 390, height: 530 };

/** The inbox of the sandbox on a phone: all conversations. */
export async function inboxOnPhone(browser: Browser, { url }: Sandbox): Promise<Buffer> {
  return await onPhone(browser, url, (page) => page.locator('.row').first().waitFor());
}

export async function messageOnPhone(browser: Browser, { url }: Sandbox): Promise<Buffer> {
  return await onPhone(browser, url, async (page) => {
    await page.locator('.row').first().tap();
    await page.locator('.bubble').first().waitFor();
  });
}

/** What a phone shows at this address, once `use` is done. */
export async function onPhone(browser: Browser, url: string, use?: (page: Page) => Promise<void>): Promise<Buffer> {
  const window = await openWindow(browser, { viewport: PHONE, deviceScaleFactor: 2, hasTouch: true, isMobile: true });
  try {
    const page = await window.newPage();
    await page.goto(url);
    await use?.(page);
    return await page.screenshot({ animations: 'disabled' });
  } finally {
    await window.close();
  }
}

/** Makes a page of this size, of phones that show this. */
export async function showPhones(
  page: Page,
  size: { width: number; height: number },
  screens: Buffer[],
): Promise<void> {
  const phones = screens.map((screen) => `<img src="data:image/png;base64,${screen.toString('base64')}">`).join('');
  const style = `
    body { margin: 0; height: 100vh; background: #e4e7ec; display: flex; justify-content: space-evenly; align-items: center; }
    img { width: ${PHONE.width}px; border: 9px solid #1d1f23; border-radius: 30px; }
  `;
  // A page from a server could forbid the pictures.
  await page.goto('about:blank');
  await page.setViewportSize(size);
  await page.setContent(`<style>${style}</style>${phones}`);
}
