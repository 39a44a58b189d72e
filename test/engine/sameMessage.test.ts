/** Which messages are the same: one person and one content, in a run and in later ones. */
import type { IDataObject } from 'n8n-workflow';

import { contacts, listOf, phoneAt, phones } from '../support/contacts';
import { outcomesOf } from '../support/outputs';
import { SEND_BULK, SEND_LIST, SENDING_OPERATIONS, withOptions } from '../support/parameters';
import { once, reasonsOf, sendOnceForTests } from '../support/sendOnce';

const { sandbox, run, received, texts, requests } = sendOnceForTests();
const CAMPAIGN = { messageKey: 'summer-campaign' };
const to = (phone: unknown, text: string) => ({ phone, text }) as IDataObject;

test("Of a list with one 'Message Key', later runs leave out those who got it, and nobody else", async () => {
  const parameters = once(SEND_BULK, CAMPAIGN);
  await run(contacts(5), parameters);
  const again = [to(`+${phoneAt(1)}`, 'Another text'), ...contacts(7).slice(4)];
  expect(reasonsOf(await run(again, parameters))).toEqual(['sent_before', 'sent_before', undefined, undefined]);
  expect(received()).toEqual(phones(0, 1, 2, 3, 4, 5, 6));
});

test("A 'Message Key' for a JSON list is one message for each person in it, and stands for its texts", async () => {
  const list = [...listOf(3), { phone: phoneAt(1), message: 'Another text' }];
  const parameters = once(SEND_LIST, CAMPAIGN);
  expect(reasonsOf(await run([{ list }], parameters))).toEqual([undefined, undefined, undefined, 'duplicate']);
  expect(reasonsOf(await run([{ list: listOf(4) }], parameters))).toEqual([
    'sent_before',
    'sent_before',
    'sent_before',
    undefined,
  ]);
  expect(received()).toEqual(phones(0, 1, 2, 3));
});

test('A person who is listed in two spellings gets a message with one key once', async () => {
  const items = [to('+44 (0)7700 900001', 'Hello'), to('447700900001', 'Hello Ada')];
  for (const duplicateMessages of ['sendOnceEver', 'sendOnce']) {
    sandbox().reset();
    const parameters = withOptions(SEND_BULK, { ...CAMPAIGN, duplicateMessages });
    expect(reasonsOf(await run(items, parameters))).toEqual([undefined, 'duplicate']);
    expect(texts()).toEqual(['Hello']);
  }
});

test('Texts that a reader sees as the same are one message, in a run and in later ones', async () => {
  const alike = ['Hi Zo\u00eb', 'Hi Zoe\u0308', 'Hi Zo\u00eb ', 'Hi Zo\u00eb\n', '\tHi Zoe\u0308\u00a0'];
  const items = alike.map((text) => to(phoneAt(0), text));
  const duplicates = Array<string>(4).fill('duplicate');
  expect(reasonsOf(await run(items, SEND_BULK))).toEqual([undefined, ...duplicates]);
  expect(reasonsOf(await run(items.slice(2), once(SEND_BULK)))).toEqual(['sent_before', 'duplicate', 'duplicate']);
  for (const item of items) expect(reasonsOf(await run([item], once(SEND_BULK)))).toEqual(['sent_before']);
  expect(texts()).toEqual(['Hi Zo\u00eb']);
});

test.each(SENDING_OPERATIONS)(
  'An evaluation is a dry run of %s: nothing is sent, and nothing counts as sent',
  async (_name, given) => {
    for (const parameters of [given, once(given)]) {
      const evaluated = await run(contacts(3), parameters, { mode: 'evaluation' });
      expect(outcomesOf(evaluated)).toEqual(['dry_run', 'dry_run', 'dry_run']);
      expect(requests()).toEqual([]);
    }
    expect(outcomesOf(await run(contacts(3), once(given)))).toEqual(['sent', 'sent', 'sent']);
    // Nor does an evaluation forget.
    expect(reasonsOf(await run(contacts(3), once(given), { mode: 'evaluation' }))).toEqual(
      Array(3).fill('sent_before'),
    );
    expect(received()).toEqual(phones(0, 1, 2));
  },
);
