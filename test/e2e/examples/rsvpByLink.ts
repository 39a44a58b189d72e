/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

import { type Page } from 'playwright-core';

import { assertNow, type ExampleWorld, itemsAt } from '../exampleWorld';

/** The invitations, and the form behind their links. */
export function tests({ instance, received, sending, onForm, succeedFrom, whileActive, table }: ExampleWorld): void {
  whileActive();
  const GUESTS = ['Ada Example', 'Zoë O’Made-Up & Søn', 'Cleo Sample'];
  beforeEach(() => table.clear());
  const textsOf = async () =>
    itemsAt(await succeedFrom('Start'), 'Send Messages').map(({ message }) => String(message));
  const pathIn = (text: string): string => {
    const link = new URL(text.split(' ').at(-1) ?? '');
    assert.equal(link.origin, new URL(instance().n8n.url).origin);
    return `${link.pathname.replace('/form/', '')}${link.search}`;
  };
  const answerAt = async (path: string, coming: string, complete?: (page: Page) => Promise<void>) => {
    let name = '';
    await onForm(path, async (page) => {
      name = await page.getByLabel('Name').inputValue();
      await page.getByLabel('Are you coming?').selectOption(coming);
      await complete?.(page);
      await page.getByRole('button', { name: 'Answer' }).click();
      await page.getByText(/^Thank you, /).waitFor();
    });
    return name;
  };
  const answers = async () =>
    (await table.rows()).map(({ name, coming, persons, comment }) => [name, coming, persons, comment]);

  test('As it is imported, it shows each text with its link, and sends nothing', async () => {
    const texts = await textsOf();
    assert.equal(new Set(texts.map(pathIn)).size, GUESTS.length);
    for (const [index, text] of texts.entries())
      assert.ok(
        text.startsWith(`Hello ${GUESTS[index]}, are you coming to our summer party on Saturday at 7? http`),
        text,
      );
    assert.deepEqual(received(), []);
  });

  test('With Dry Run off, each guest is invited, once however often it is run', async () => {
    await succeedFrom('Start', sending());
    assert.equal(received().length, GUESTS.length);
    const again = await succeedFrom('Start', sending());
    assert.equal(received().length, GUESTS.length);
    assert.equal(itemsAt(again, 'Invited').length, GUESTS.length);
  });

  test("Each guest's name is filled in, with all its characters, and the answers go into a row each", async () => {
    for (const [index, text] of (await textsOf()).entries())
      assert.equal(await answerAt(pathIn(text), index === 0 ? 'Yes' : 'No'), GUESTS[index]);
    const rows = await table.rows();
    assert.deepEqual(
      rows.map(({ name, coming }) => [name, coming]),
      GUESTS.map((name, index) => [name, index === 0 ? 'Yes' : 'No']),
    );
    assert.equal(new Set(rows.map(({ guest }) => guest)).size, GUESTS.length);
    for (const { answered_at: at } of rows) assertNow(at);
  });

  test('A changed answer replaces the first, also with another name', async () => {
    const [, text = ''] = await textsOf();
    await answerAt(pathIn(text), 'Yes', async (page) => {
      await page.getByLabel('How many of you?').fill('2');
      await page.getByLabel('Comment').fill('No nuts, "please" & thanks');
    });
    assert.deepEqual(await answers(), [[GUESTS[1], 'Yes', 2, 'No nuts, "please" & thanks']]);
    await answerAt(pathIn(text), 'No', async (page) => {
      await page.getByLabel('Name').fill('Zoë');
    });
    assert.deepEqual(await answers(), [['Zoë', 'No', null, '']]);
  });
}
