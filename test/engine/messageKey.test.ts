/** 'Message Key': it stands for the text, never for the person, and one with a hole is refused. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { contacts, phoneAt, phones } from '../support/contacts';
import { nodeForTests } from '../support/engine/nodeForTests';
import { runRouting } from '../support/engine/workflow';
import { detailsOf, outcomesOf } from '../support/outputs';
import { SEND, SEND_BULK, SEND_LIST, SENDING_OPERATIONS, withOptions } from '../support/parameters';

const { setupOf, run, received, requests } = nodeForTests({ onError: 'continueErrorOutput' });
const withKey = (parameters: INodeParameters, messageKey: string, options: INodeParameters = {}) =>
  withOptions(parameters, { messageKey, ...options });
const ORDER = '=order-{{ $json.id }}';

/** Contacts of which each has another value as the number of the order. */
const ordersOf = (...ids: unknown[]): IDataObject[] =>
  ids.map((id, index) => ({ ...contacts(index + 1)[index], id }) as IDataObject);

describe.each(SENDING_OPERATIONS)('%s', (_name, parameters) => {
  test.each([{}, { emptyFields: 'send' }, { emptyFields: 'doNotSend' }])(
    'sends to nobody if the key names a field that no item has, with %j',
    async (options) => {
      const { outputs } = await run({ items: contacts(3), parameters: withKey(parameters, ORDER, options) });
      expect(requests()).toEqual([]);
      expect(outputs[0]).toEqual([]);
      for (const item of outputs[1] ?? []) {
        expect(item.json.error).toBe("'Message Key' needs a value for 'id', and this item has none");
        expect(detailsOf(item)).toMatchObject({ code: 'INVALID_PARAMETER', outcome: 'not_sent' });
      }
    },
  );

  test('sends the messages whose key is whole, and no other', async () => {
    const items = ordersOf('A-1', undefined, 7, null, 0);
    const ran = await run({ items, parameters: withKey(parameters, ORDER) });
    expect(received().sort()).toEqual(phones(0, 2, 4));
    expect(ran.outputs[1]?.map((item) => detailsOf(item).phone)).toEqual(phones(1, 3));
  });
});

describe('A key is refused', () => {
  const HOLES = [undefined, null, NaN, Infinity, '', ' ', {}, { id: 1 }, 'undefined', '#N/A', 'None'];

  test.each(HOLES)('if the field of the order is %j, and names the field', async (id) => {
    for (const key of [ORDER, '={{ $json.id }}', '={{ "order-" + $json.id }}', '={{ `${$json.text} ${$json.id}` }}']) {
      // An expression that writes nothing for an empty text, and something else, can be meant like that.
      if (/\+|`/.test(key) && typeof id === 'string' && id.trim() === '') continue;
      const [, refused = []] = (await run({ items: ordersOf(id), parameters: withKey(SEND_BULK, key) })).outputs;
      expect([key, refused.map(({ json }) => json.error)]).toEqual([
        key,
        ["'Message Key' needs a value for 'id', and this item has none"],
      ]);
    }
    expect(requests()).toEqual([]);
  });

  test.each([
    ['calculates with a field that is missing', '={{ $json.id * 2 }}', "needs a value for 'id'"],
    ['is a list', '={{ [$json.phone] }}', 'needs a text or a number, and has none'],
    ['is true', '={{ $json.phone !== "" }}', 'needs a text or a number, and has none'],
    ['is false', '={{ $json.phone === "" }}', 'needs a text or a number, and has none'],
    ['is a date', '={{ $now }}', 'needs a text or a number, and has none'],
    ['was made by another node, and has the word', '={{ $json.key }}', "needs a value for 'key'"],
  ])('if it %s', async (_what, key, error) => {
    const items = contacts(1).map((contact) => ({ ...contact, key: 'order-undefined' }));
    const [, refused = []] = (await run({ items, parameters: withKey(SEND, key) })).outputs;
    expect(refused.map(({ json }) => json.error)).toEqual([expect.stringContaining(`'Message Key' ${error}`)]);
    expect(requests()).toEqual([]);
  });

  test('of a JSON list, for all of its messages', async () => {
    const items = [{ list: contacts(2).map(({ phone, text }) => ({ phone, message: text })) }];
    const { outputs } = await run({ items, parameters: withKey(SEND_LIST, ORDER) });
    expect(outputs[1]?.map((item) => detailsOf(item).code)).toEqual(['INVALID_PARAMETER']);
    expect(requests()).toEqual([]);
  });

  test('in a call of a tool', async () => {
    const setup = setupOf({ items: contacts(1), parameters: withKey(SEND, ORDER), onError: 'stopWorkflow' });
    await expect(runRouting(setup)).rejects.toThrow("'Message Key' needs a value for 'id', and this item has none");
    expect(requests()).toEqual([]);
  });
});

test('A key that somebody has written with such a word is whole', async () => {
  const ran = await run({
    items: contacts(1),
    parameters: withKey(SEND_BULK, '=NaN bread, null sugar {{ $json.text }}'),
  });
  expect(outcomesOf(ran)).toEqual(['sent']);
});

test('Keys that a reader cannot tell apart are one', async () => {
  const items = ['Zo\u00eb', 'Zoe\u0308', ' Zo\u00eb\n'].map((key) => ({ phone: phoneAt(0), text: 'Hello', key }));
  const ran = await run({ items, parameters: withKey(SEND_BULK, '={{ $json.key }}') });
  expect(outcomesOf(ran)).toEqual(['sent', 'skipped', 'skipped']);
});
