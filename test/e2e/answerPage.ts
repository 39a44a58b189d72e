import assert from 'node:assert/strict';

import axe from 'axe-core';
import { type BrowserContextOptions, type Page } from 'playwright-core';

import { asObject, asObjects } from '../../tools/json';
import { openWindow } from '../../tools/n8n/browser';
import { browserForTests, PICTURES_VARIABLE, takePicture } from './inEditor';

const SMALL_PHONE = { width: 320, height: 568 };
const LARGER_PHONE = { width: 390, height: 844 };

/** What a browser logs about every page with such a status. */
const REFUSED = /^Failed to load resource: the server responded with a status of 4(00|10) /;

/** Opens a link on a phone of its own, and runs `work` on its page. */
export type OnPhone = (
  link: string,
  work: (page: Page) => Promise<void>,
  options?: BrowserContextOptions,
) => Promise<void>;

/**
 * A browser for the tests of a `describe`. A page fails its test if it asks for anything of another host, or if the browser
 * complains about it, such as about a script that its policy does not allow.
 */
export function phonesForTests(): OnPhone {
  const browser = browserForTests();
  return async (link, work, options = {}) => {
    const window = await openWindow(browser(), { viewport: SMALL_PHONE, hasTouch: true, isMobile: true, ...options });
    try {
      const page = await window.newPage();
      const complaints: string[] = [];
      page.on('console', (message) => {
        if (!REFUSED.test(message.text())) complaints.push(message.text());
      });
      page.on('request', (request) => {
        if (new URL(request.url()).origin !== new URL(link).origin) complaints.push(`It requests ${request.url()}`);
      });
      await page.goto(link);
      await work(page);
      assert.deepEqual(complaints, []);
    } finally {
      await window.close();
    }
  };
}

/** Taps a button. */
export async function press(page: Page, label: string): Promise<void> {
  await page.getByRole('button', { name: label, exact: true }).tap();
}

/** Uses a button twice before the first answer is answered, and waits for the thanks; returns how many answers were sent. */
export async function twice(page: Page, use: () => Promise<void>): Promise<number> {
  let answers = 0;
  let answer = (): void => undefined;
  const tapped = new Promise<void>((resolve) => (answer = resolve));
  await page.route('**', async (route) => {
    if (route.request().method() === 'POST') {
      answers += 1;
      await tapped;
    }
    // The browser gives up an answer if another one follows.
    await route.continue().catch(() => undefined);
  });
  await use();
  await use();
  answer();
  await waitForThanks(page);
  return answers;
}

/** Clicks where a button is, even if the button doesn't take the click. */
export async function clicking(page: Page, label: string): Promise<() => Promise<void>> {
  const { x = 0, y = 0 } = (await page.getByRole('button', { name: label }).boundingBox()) ?? {};
  return () => page.mouse.click(x + 20, y + 20);
}

/** Presses the key on a button. */
export async function entering(page: Page, label: string): Promise<() => Promise<void>> {
  await page.getByRole('button', { name: label }).focus();
  return () => page.keyboard.press('Enter');
}

/** Makes the server answer the form without a page, so that the question's page stays. */
export async function pressInVain(page: Page, label: string): Promise<void> {
  await page.route('**', (route) => route.fulfill({ status: 204 }), { times: 1 });
  await press(page, label);
  await page.getByRole('button', { name: label, disabled: true }).waitFor();
}

/** Waits for the page after an answer. */
export async function waitForThanks(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'Thank you. You can close this page.' }).waitFor();
}

/**
 * Fails if the page is hard to use on a phone, small or larger, bright or dark: with large fingers, with weak eyes, or
 * with a screen reader. @param name of its pictures
 */
export async function assertUsable(page: Page, name: string): Promise<void> {
  for (const viewport of [SMALL_PHONE, LARGER_PHONE]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      await takePicture(page, `${name}-${viewport.width}-${colorScheme}`, process.env[PICTURES_VARIABLE]);
      await assertUsableAsShown(page);
    }
  }
}

async function assertUsableAsShown(page: Page): Promise<void> {
  const overflow = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return scrollWidth - clientWidth;
  });
  assert.equal(overflow, 0, 'it does not scroll sideways');
  const sizes = await page
    .locator('h1, p, label, legend, button, .box')
    .evaluateAll((texts) => texts.map((text) => parseFloat(getComputedStyle(text).fontSize)));
  assert.ok(Math.min(...sizes) >= 16, `a text of ${Math.min(...sizes)} px`);
  for (const target of await page.locator('button, .box, .choice').all()) {
    const { width = 0, height = 0 } = (await target.boundingBox()) ?? {};
    assert.ok(width >= 44 && height >= 44, `a place to tap of ${width} by ${height} px`);
  }
  await page.evaluate(axe.source);
  const { violations } = asObject(await page.evaluate('axe.run()'), 'what axe found');
  const found = asObjects(violations, 'violations').map(({ id, nodes }) => {
    const elements = asObjects(nodes, 'nodes').map(({ html }) => String(html));
    return `${String(id)}: ${elements.join(', ')}`;
  });
  assert.deepEqual(found, []);
}
