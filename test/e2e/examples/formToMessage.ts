/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type Page } from 'playwright-core';

import { type ExampleWorld } from '../exampleWorld';

/** The form, completed by a visitor in a browser. */
export function tests({ instance, received, onForm, whileActive }: ExampleWorld): void {
  whileActive();
  const PATH = 'send-a-message';
  const GOOD = '+44 7700 900123';
  const ORDER_IS_READY = { phone: '447700900123', message: 'Hello Ada Example, your order is ready.' };
  const fillIn = async (page: Page, phone: string) => {
    await page.getByLabel('Name').fill('Ada Example');
    await page.getByLabel('Phone number').fill(phone);
    await page.getByLabel('Text').fill('your order is ready.');
    await send(page);
  };
  /** Waits for a page with this at its top; returns its text. */
  const pageWith = async (page: Page, text: string | RegExp): Promise<string> => {
    await page.getByText(text).first().waitFor();
    return await page.locator('body').innerText();
  };
  /** Completes the form as a visitor does; returns the text of the last page. */
  const submit = async (phone: string): Promise<string> => {
    let text = '';
    await onForm(PATH, async (page) => {
      await fillIn(page, phone);
      text = await pageWith(page, /^Your message /);
    });
    return text;
  };

  test('The message is sent, and the page confirms it', async () => {
    assert.match(await submit(GOOD), /^Your message was sent\s+It is on its way to 447700900123\./m);
    assert.deepEqual(received(), [ORDER_IS_READY]);
  });

  test('After a bad number, the form comes back with the reason and what was entered, until the message is sent', async () => {
    await onForm(PATH, async (page) => {
      await fillIn(page, '07700 900123');
      assert.match(
        await pageWith(page, 'its country code is missing'),
        /^Your message was not sent\s+The phone number begins with 0, so its country code is missing\.\s+Please correct it/m,
      );
      assert.deepEqual(await entered(page), ['Ada Example', '07700 900123', 'your order is ready.']);

      await page.getByLabel('Phone number').fill('12');
      await send(page);
      assert.match(await pageWith(page, 'needs 7 to 15 digits'), /^Your message was not sent/m);
      assert.deepEqual(await entered(page), ['Ada Example', '12', 'your order is ready.']);
      assert.deepEqual(received(), []);

      await page.getByLabel('Phone number').fill(GOOD);
      await send(page);
      await pageWith(page, 'Your message was sent');
    });
    assert.deepEqual(received(), [ORDER_IS_READY]);
  });

  test('Without a clear answer, the page asks the visitor to check with the recipient first', async () => {
    instance().sandbox.setFaults([{ kind: 'reset-after' }]);
    assert.match(
      await submit(GOOD),
      /^Your message may have been sent\s+.*Ask Ada Example whether the message arrived/m,
    );
    assert.equal(received().length, 1);
  });
}

async function send(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Send' }).click();
}

async function entered(page: Page): Promise<string[]> {
  return await Promise.all(['Name', 'Phone number', 'Text'].map((label) => page.getByLabel(label).inputValue()));
}
