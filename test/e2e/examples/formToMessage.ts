import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import type { Browser } from 'playwright-core';

import { launchBrowser, openWindow } from '../../../demo/browser';
import { VISITOR } from '../../../demo/exampleCredentials';
import type { ExampleWorld } from './world';

/** The form, filled in by a visitor in a browser. */
export function testForm({ stage, received, whileActive }: ExampleWorld): void {
  whileActive();
  let browser: Browser;
  before(async () => void (browser = await launchBrowser()));
  after(async () => await browser.close());

  /** Fills in the form as a visitor does; returns the text of the last page. */
  const submit = async (phone: string): Promise<string> => {
    const window = await openWindow(browser, { httpCredentials: VISITOR });
    const page = await window.newPage();
    await page.goto(`${stage().n8n.url}/form/send-a-message`);
    await page.getByLabel('Name').fill('Ada Example');
    await page.getByLabel('Phone number').fill(phone);
    await page.getByLabel('Text').fill('your order is ready.');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText(/^Your message /).waitFor();
    const text = await page.locator('body').innerText();
    await window.close();
    return text;
  };

  test('the message goes out, and the visitor is told so', async () => {
    assert.match(await submit('+44 7700 900123'), /^Your message was sent\s+It is on its way to 447700900123\./m);
    assert.deepEqual(received(), [{ phone: '447700900123', message: 'Hello Ada Example, your order is ready.' }]);
  });

  test('with a bad number the visitor is told that nothing went out, and why', async () => {
    assert.match(
      await submit('07700 900123'),
      /^Your message was not sent\s+The phone number begins with 0, so its country code is missing\./m,
    );
    assert.deepEqual(received(), []);
  });

  test('without a clear answer the visitor is told to ask first', async () => {
    stage().sandbox.setFaults([{ kind: 'reset-after' }]);
    assert.match(
      await submit('+44 7700 900123'),
      /^Your message may have been sent\s+.*Ask Ada Example whether it arrived/m,
    );
    assert.equal(received().length, 1);
  });

  test('nobody gets in without the password', async () => {
    assert.equal((await fetch(`${stage().n8n.url}/form/send-a-message`)).status, 401);
  });
}
