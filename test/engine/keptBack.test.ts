/** Messages that are not sent on purpose, and what their items have besides. */
import type { IDataObject } from 'n8n-workflow';

import { contacts, phoneAt, phones } from '../support/contacts';
import { nodeForTests } from '../support/engine/nodeForTests';
import { detailsOf, hintsOf, outcomesOf } from '../support/outputs';
import { SEND, SEND_BULK, SENDING_OPERATIONS, withOptions } from '../support/parameters';

const { run, received, requests } = nodeForTests();
const OPT_OUTS = '447700900001, +44 7700 900003';

describe("'Never Send To'", () => {
  test.each(SENDING_OPERATIONS)(
    'keeps %s from sending to these numbers, and to no other',
    async (_name, parameters) => {
      const ran = await run({ items: contacts(5), parameters: withOptions(parameters, { neverSendTo: OPT_OUTS }) });
      expect(received().sort()).toEqual(phones(0, 2, 4));
      expect(outcomesOf(ran)).toEqual(['sent', 'skipped', 'sent', 'skipped', 'sent']);
      expect(ran.outputs[0]?.[1]?.json).toMatchObject({ phone: phoneAt(1), message_id: null, reason: 'opted_out' });
      expect(hintsOf(ran)[0]?.message).toMatch(/^3 sent, 2 skipped because of 'Never Send To', /);
    },
  );

  test.each<[string, unknown]>([
    ['lines', `${phoneAt(1)}\r\n\n ${phoneAt(3)} `],
    ['semicolons', `${phoneAt(1)};${phoneAt(3)};`],
    ['a list', "={{ ['447700900001', null, '', 447700900003] }}"],
    ['numbers without a country code', '07700 900001, 07700 900003'],
    ['0044 in front', '00447700900001,0044 (0) 7700 900003'],
  ])('can be %s', async (_what, neverSendTo) => {
    const options = { neverSendTo, defaultCountryCode: '44' } as IDataObject;
    await run({ items: contacts(4), parameters: withOptions(SEND_BULK, options as never) });
    expect(received().sort()).toEqual(phones(0, 2));
  });

  test('knows one person in two spellings', async () => {
    const items = [{ phone: '+54 11 2345-6789', text: 'Hello' }];
    await run({ items, parameters: withOptions(SEND, { neverSendTo: '54 9 11 2345 6789' }) });
    expect(received()).toEqual([]);
  });

  test.each(['', ' ,\n', '={{ [] }}', '={{ "" }}'])('that is empty (%j) keeps nothing back', async (neverSendTo) => {
    await run({ items: contacts(2), parameters: withOptions(SEND_BULK, { neverSendTo }) });
    expect(received()).toHaveLength(2);
  });

  test.each([
    ['447700900001, nobody', "Number 2 of 2 in 'Never Send To' can't be used: The phone number contains a character"],
    ['={{ ({ phone: 1 }) }}', "'Never Send To' is not a list of numbers"],
    ['{{ $json.optOuts }}', "'Never Send To' contains an expression that was not evaluated"],
    ['={{ $json.missing.phone }}', "'Never Send To' is not a list of numbers"],
  ])("that can't be read (%s) keeps everything from being sent", async (neverSendTo, message) => {
    const parameters = withOptions(SEND_BULK, { neverSendTo });
    expect((await run({ items: contacts(2), parameters })).error?.message).toContain(message);
    const { outputs } = await run({ items: contacts(2), parameters, onError: 'continueErrorOutput' });
    expect(outputs[1]?.map((item) => detailsOf(item).code)).toEqual(['NOT_SET_UP', 'NOT_SET_UP']);
    expect(requests()).toEqual([]);
  });
});

describe("'Include Other Input Fields'", () => {
  const ALL = { includeOtherFields: true };
  const items = contacts(3).map((contact, index) => ({
    ...contact,
    name: `Person ${index}`,
    status: 'to send',
    error: 'old',
    reason: 'outside_window',
    send_at: '2026-01-01T00:00:00.000Z',
  }));

  test.each(SENDING_OPERATIONS)(
    "adds the item's own fields to the output of %s; the node's win",
    async (_name, parameters) => {
      const { outputs } = await run({ items, parameters: withOptions(parameters, { ...ALL, neverSendTo: OPT_OUTS }) });
      expect(outputs[0]?.map(({ json: { name, text, status, error } }) => [name, text, status, error])).toEqual([
        ['Person 0', 'Hello 0', 'sent', undefined],
        ['Person 1', 'Hello 1', 'skipped', undefined],
        ['Person 2', 'Hello 2', 'sent', undefined],
      ]);
      expect(outputs[0]?.map(({ json }) => [json.reason, json.send_at])).toEqual([
        [undefined, undefined],
        ['opted_out', undefined],
        [undefined, undefined],
      ]);
      expect(outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual([0, 1, 2].map((item) => ({ item })));
    },
  );
});
