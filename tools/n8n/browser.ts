/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, selectors } from 'playwright-core';

import { ExpectedError, messageOf } from '../cli/errors';

/** Names a Chromium to use instead of Debian's. */
const BROWSER_VARIABLE = 'MESSAGING_SEND_BROWSER';

const DEBIAN_CHROMIUM = '/usr/bin/chromium';
const VIEWPORT = { width: 1440, height: 900 };
const STEP_DEADLINE_MS = 60_000;

/** Starts a Chromium without a window. */
export async function launchBrowser(): Promise<Browser> {
  // n8n's own name for the attribute its tests use.
  selectors.setTestIdAttribute('data-test-id');
  const executablePath = process.env[BROWSER_VARIABLE] ?? DEBIAN_CHROMIUM;
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking'];
  return await chromium.launch({ executablePath, args }).catch((failure: unknown) => {
    const [reason] = messageOf(failure).split('\n');
    throw new ExpectedError(`Chromium can't be started (${reason}). Name another one in ${BROWSER_VARIABLE}.`);
  });
}

/** Opens a window whose pages look the same on every machine; each of their steps has a minute. */
export async function openWindow(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const window = await browser.newContext({ viewport: VIEWPORT, locale: 'en-GB', timezoneId: 'UTC', ...options });
  window.setDefaultTimeout(STEP_DEADLINE_MS);
  return window;
}
