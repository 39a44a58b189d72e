import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type ExampleWorld } from './world';

/** The form, completed by a visitor in a browser. */
export function testForm({ instance, received, onForm, whileActive }: ExampleWorld): void {
  whileActive();
  /** Completes the form as a visitor does; returns the text of the last page. */
  const submit = async (phone: string): Promise<string> => {
    let text = '';
    await onForm('send-a-message', async (page) => {
      await page.getByLabel('Name').fill('Ada Example');
      await page.getByLabel('Phone number').fill(phone);
      await page.getByLabel('Text').fill('your order is ready.');
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByText(/^Your message /).waitFor();
      text = await page.locator('body').innerText();
    });
    return text;
  };

  test('The message is sent, and the page confirms it', async () => {
    assert.match(await submit('+44 7700 900123'), /^Your message was sent\s+It is on its way to 447700900123\./m);
    assert.deepEqual(received(), [{ phone: '447700900123', message: 'Hello Ada Example, your order is ready.' }]);
  });

  test('With a bad number, the page reports that nothing was sent, and why', async () => {
    assert.match(
      await submit('07700 900123'),
      /^Your message was not sent\s+The phone number begins with 0, so its country code is missing\./m,
    );
    assert.deepEqual(received(), []);
  });

  test('With no credits left, the page says that the account is the cause, not the number', async () => {
    instance().sandbox.setCredits(0);
    const page = await submit('+44 7700 900123');
    assert.match(page, /^Your message was not sent\s+The messaging account can't send messages right now\./m);
    assert.match(page, /Changing the number or the text does not help/);
    assert.deepEqual(received(), []);
  });

  test('Without a clear answer, the page asks the visitor to check with the recipient first', async () => {
    instance().sandbox.setFaults([{ kind: 'reset-after' }]);
    assert.match(
      await submit('+44 7700 900123'),
      /^Your message may have been sent\s+.*Ask Ada Example whether the message arrived/m,
    );
    assert.equal(received().length, 1);
  });

  test('The form cannot be opened without the password', async () => {
    assert.equal((await fetch(`${instance().n8n.url}/form/send-a-message`)).status, 401);
  });
}
