/** Messages that are deliberately not sent, and the extra fields of their items. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { killedAtNth } from '../../tools/engine/lifetime';
import { contacts, listOf, phoneAt, phones } from '../support/contacts';
import { nodeForTests } from '../support/engine/nodeForTests';
import { detailsOf, hintsOf, outcomesOf } from '../support/outputs';
import { inBatchesOf, SEND, SEND_BULK, SEND_LIST, SENDERS, withOptions } from '../support/parameters';

const { sandbox, setupOf, run, refused, retry, campaign: start, received, texts } = nodeForTests();
const OPT_OUTS = '447700900001, +44 7700 900003';

describe("'Never Send To'", () => {
  test.each(SENDERS)('keeps %s from sending to these numbers, and to no other', async (_name, parameters) => {
    const ran = await run({ items: contacts(5), parameters: withOptions(parameters, { neverSendTo: OPT_OUTS }) });
    expect(received().sort()).toEqual(phones(0, 2, 4));
    expect(outcomesOf(ran)).toEqual(['sent', 'skipped', 'sent', 'skipped', 'sent']);
    expect(ran.outputs[0]?.[1]?.json).toMatchObject({ phone: phoneAt(1), message_id: null, reason: 'opted_out' });
    expect(hintsOf(ran)[0]?.message).toMatch(/^3 sent, 2 skipped because of 'Never Send To', /);
  });

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

  test.each([
    ['07700 900001, 06 12 34 56 78', []],
    ['06 12 34 56 78', ['447700900001']],
    ['7700 900001', ['33612345678']],
  ])("without + are read with every item's country code, whatever their order: %s", async (neverSendTo, sentTo) => {
    const people = [
      { phone: '07700 900001', text: 'Sale', country: 'GB' },
      { phone: '06 12 34 56 78', text: 'Sale', country: 'FR' },
    ];
    const parameters = withOptions(SEND_BULK, { neverSendTo, defaultCountryCode: '={{ $json.country }}' });
    for (const items of [people, people.toReversed()]) await run({ items, parameters });
    expect(received()).toEqual([...sentTo, ...sentTo]);
  });

  test.each([
    ['44', '(212) 555-0123, 06 12 34 56 78', 1],
    ['44', '+12125550123, 06 12 34 56 78', 2],
    ['AR', '15 2345-6789', 1],
    ["={{ $itemIndex === 0 ? 'GB' : 'FR' }}", '(212) 555-0123', 1],
  ])('with the country code %s, are never left aside as nobody: %s', async (defaultCountryCode, neverSendTo, place) => {
    const message = await refused(withOptions(SEND_BULK, { neverSendTo, defaultCountryCode }));
    expect(message).toMatch(new RegExp(`^Number ${place} of .* is not a mobile number or landline of`));
  });

  test.each<[string, string]>([
    ['', 'is empty, so nobody is left out'],
    ['={{ [] }}', 'is empty, so nobody is left out'],
    ['447700900005', 'has 1 number'],
    ["={{ Array.from({ length: 12 }, (_, index) => '+4477009001' + (10 + index)) }}", 'has 12 numbers'],
  ])('says how many numbers it has: %j %s', async (neverSendTo, has) => {
    for (const dryRun of [true, false]) {
      const ran = await run({ items: contacts(2), parameters: withOptions(SEND_BULK, { neverSendTo, dryRun }) });
      expect(hintsOf(ran)[0]?.message).toContain(`<br>'Never Send To' ${has}.`);
    }
    expect(received()).toHaveLength(2);
    expect(hintsOf(await run({ items: contacts(1), parameters: SEND_BULK }))[0]?.message).not.toContain('Never');
  });

  test.each([
    ['+5215512345678', '+525512345678'],
    ['+5511987654321', '+55 11 8765-4321'],
    ['+12395550123', '1 (239) 555-0123'],
  ])('recognizes %s as %s, with any Number Check, and so does Duplicate Messages', async (phone, optOut) => {
    for (const numberCheck of ['on', 'off'])
      for (const [first, second] of [
        [phone, optOut],
        [optOut, phone],
      ]) {
        const items = [{ phone: first, text: 'Hello' }];
        await run({ items, parameters: withOptions(SEND_BULK, { neverSendTo: second, numberCheck }) });
      }
    expect(received()).toEqual([]);
    const items = [phone, optOut].map((each) => ({ phone: each, text: 'Hello' }));
    await run({ items, parameters: withOptions(SEND_BULK, { numberCheck: 'off' }) });
    expect(received()).toHaveLength(1);
  });

  test.each([
    ['447700900001, nobody', "Number 2 of 2 in 'Never Send To' can't be used: The phone number contains letters"],
    ['={{ ({ phone: 1 }) }}', "'Never Send To' is not a list of numbers"],
    [
      '{{ $json.optOuts }}',
      "Number 1 of 1 in 'Never Send To' can't be used: The phone number contains an expression that was not evaluated",
    ],
    ['={{ $json.missing.phone }}', "'Never Send To' is not a list of numbers"],
    ...[' , , ', ' ,\n', ...['[undefined, undefined]', '[null]', '[""]', '""'].map((value) => `={{ ${value} }}`)].map(
      (empty): [string, string] => [empty, "'Never Send To' has no number in any of its entries"],
    ),
    ...['on', 'off'].flatMap((check) =>
      ['(239) 555-0123', '239-555-0123', '2395550123'].map((number): [string, string, string] => [
        number,
        "Number 1 of 1 in 'Never Send To' can't be used",
        check,
      ]),
    ),
  ])("that can't be read (%s) keeps everything from being sent", async (neverSendTo, message, numberCheck = 'on') => {
    expect(await refused(withOptions(SEND_BULK, { neverSendTo, numberCheck }))).toContain(message);
  });
});

const FIELD = "$('Items').all().map((row) => row.json.phone)";
test.each<[what: string, list: string, item: IDataObject, sentTo: string[], error?: RegExp]>([
  ['an empty table leaves nobody out', FIELD, {}, phones(0)],
  ['a table with a misspelt field stops the run', FIELD, { Phone: phoneAt(1) }, [], /has no number in any of its/],
  ['one beside an empty node does so, too', `$input.first().json.off ? [] : ${FIELD}`, { Phone: '1' }, [], /no number/],
])("Of 'Never Send To' with one item, %s", async (_what, list, item, sentTo, error = /^$/) => {
  const options = { neverSendTo: `={{ ${list} }}` };
  const parameters = withOptions({ ...SEND_BULK, phone: phoneAt(0), message: 'Hello' }, options);
  expect((await run({ items: [item], parameters })).error?.message ?? '').toMatch(error);
  expect(received()).toEqual(sentTo);
});

test.each([
  ['49', '+31612345678', '06-12345678'],
  ['DE', '+33612345678', '06 12 34 56 78'],
  ['91', '+12125550123', '212 555 0123'],
])('With the code %s, nobody of another country gets a message (%s) who has opted out as %s', async (...given) => {
  const [defaultCountryCode, phone, neverSendTo] = given;
  const parameters = withOptions(SEND_BULK, { defaultCountryCode, neverSendTo });
  await run({ items: [{ phone, text: 'Hello' }], parameters });
  expect(received()).toEqual([]);
});

test('An error about opt-outs without numbers names the fields that the list has, but no number', async () => {
  const items = [{ '\ufeffphone': '447700900001', '447700900002': 1, Name: 'A' }, {}];
  for (const list of ["$('Items')", '$input']) {
    const neverSendTo = `={{ ${list}.all().map((row) => row.json.phone) }}`;
    const { error } = await run({ items, parameters: withOptions(SEND_BULK, { neverSendTo }) });
    expect(error?.message).toBe("'Never Send To' has no number in any of its entries");
    expect(error?.description).toMatch(/has the fields '\\ufeffphone', 'Name'\. If nobody/);
  }
});

const ALL = { includeOtherFields: true };
const items = contacts(3).map((contact, index) => ({
  ...contact,
  name: `Person ${index}`,
  status: 'to send',
  error: 'old',
  reason: 'outside_window',
  send_at: '2026-01-01T00:00:00.000Z',
}));

test.each(SENDERS)("'Include Other Input Fields' adds the item's to %s; the node's win", async (_name, parameters) => {
  const { outputs } = await run({ items, parameters: withOptions(parameters, { ...ALL, neverSendTo: OPT_OUTS }) });
  expect(outputs[0]?.map(({ json: { name, text, status, reason } }) => [name, text, status, reason])).toEqual([
    ['Person 0', 'Hello 0', 'sent', undefined],
    ['Person 1', 'Hello 1', 'skipped', 'opted_out'],
    ['Person 2', 'Hello 2', 'sent', undefined],
  ]);
  for (const { json } of outputs[0] ?? []) expect([json.error, json.send_at]).toEqual([undefined, undefined]);
  expect(outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual([0, 1, 2].map((item) => ({ item })));
});

test("'Include Other Input Fields' doesn't add a list to each of its messages", async () => {
  for (const list of [listOf(2), JSON.stringify(listOf(50))]) {
    const items = [{ name: 'Sale', none: null, list, body: { list } }];
    const [output = []] = (await run({ items, parameters: withOptions(SEND_LIST, ALL) })).outputs;
    const added = output.map(({ json }) => [json.name, json.none, json.list, json.body]);
    expect(added).toEqual(Array(Array.isArray(list) ? 2 : 50).fill(['Sale', null, undefined, undefined]));
  }
});

/** 'Test Run': the first messages go to the tester's phone, and nothing goes to a recipient. */
const TESTER = '447700900999';
const testOf = (parameters: INodeParameters, options: INodeParameters = {}): INodeParameters =>
  withOptions(parameters, { ...options, testRun: '+44 7700 900999' });

test.each(SENDERS)('%s sends the first messages to the tester, and the others to nobody', async (_name, parameters) => {
  const ran = await run({ items: contacts(5), parameters: testOf(parameters) });
  expect(received()).toEqual([TESTER, TESTER, TESTER]);
  expect(texts().sort()).toEqual(['Hello 0', 'Hello 1', 'Hello 2']);
  expect(outcomesOf(ran)).toEqual(['sent', 'sent', 'sent', 'skipped', 'skipped']);
  expect(ran.outputs[0]?.[1]?.json).toMatchObject({ phone: TESTER, test_for: phoneAt(1), status: 'sent' });
  expect(ran.outputs[0]?.[3]?.json).toMatchObject({ phone: phoneAt(3), reason: 'test_run', message_id: null });
  const hint = hintsOf(ran)[0]?.message;
  expect(hint).toMatch(/^Test run: 3 sent, 2 skipped because of 'Test Run', 3 credits used, .* requests?\.<br>Numbers/);
});

test('Messages that are not sent anyway keep their own reason, and are not among the first', async () => {
  const items = [{ phone: phoneAt(0), text: 'Hello 0' }, { phone: phoneAt(1), text: 'a' }, ...contacts(5)];
  const options = { neverSendTo: phoneAt(1), duplicateMessages: 'sendOnce' };
  const { outputs } = await run({ items, parameters: testOf(SEND_BULK, options) });
  const told = outputs[0]?.map(({ json }) => json.reason ?? json.status);
  expect(told).toEqual(['sent', 'opted_out', 'duplicate', 'opted_out', 'sent', 'sent', 'test_run']);
  expect(received()).toEqual([TESTER, TESTER, TESTER]);
});

test("In a second try, what is for nobody stays so, also if it was meant for the tester's own number", async () => {
  sandbox().setFaults([{ kind: 'status', status: 403, after: 1, times: 1 }]);
  const items = [...contacts(4), { phone: TESTER, text: 'Mine' }];
  const parameters = testOf({ ...SEND, message: '={{ $json.text + Math.random() }}' }, { parallelRequests: 1 });
  const ran = await run({ items, parameters, onError: 'stopWorkflow', retryOnFail: { maxTries: 2 } });
  expect(ran.error?.description).toContain('3 uncertain (may have been sent), 2 skipped');
  expect(received()).toEqual([TESTER]);
});

test('In a second try, the tester gets no message again, even if all have the same text', async () => {
  sandbox().setFaults([{ kind: 'status', status: 403, after: 2, times: 1 }]);
  const parameters = testOf({ ...SEND, message: 'Sale' }, { parallelRequests: 1 });
  const ran = await run({ items: contacts(3), parameters, retryOnFail: { maxTries: 2 } });
  expect(outcomesOf(ran)).toEqual(['sent', 'sent', 'sent']);
  expect(received()).toEqual([TESTER, TESTER, TESTER]);
});

test.each<[why: string, options: INodeParameters, isSent: boolean]>([
  ['is one that gets no messages', { neverSendTo: TESTER }, false],
  ['got the text in an earlier execution', { duplicateMessages: 'sendOnceEver' }, true],
])("A dry run plans what the test run sends, even if the tester's number %s", async (_why, options, isSent) => {
  await run({ items: [{ phone: TESTER, text: 'Hello 0' }], parameters: withOptions(SEND_BULK, options) });
  for (const dryRun of [true, false]) {
    const ran = await run({ items: contacts(2), parameters: testOf(SEND_BULK, { ...options, dryRun }) });
    expect(outcomesOf(ran)).toEqual(Array(2).fill(!isSent ? 'skipped' : dryRun ? 'dry_run' : 'sent'));
  }
});

const WRONG = ['', ' ', 'mine', '={{ $json.missing }}', '={{ null }}', '={{ {} }}', {}, { values: { phone: TESTER } }];
test.each<unknown>(WRONG)('With %j as its phone nothing is sent', async (testRun) => {
  const parameters = withOptions(SEND_BULK, { testRun } as INodeParameters);
  expect(await refused(parameters)).toContain("'Test Run' can't be read: The phone number");
});

describe('Nothing of a test counts as sent', () => {
  const REMEMBERED = { duplicateMessages: 'sendOnceEver', parallelRequests: 1 };

  test.each(['send', 'sendOnce', 'sendOnceEver'])('in a later execution, with duplicates: %s', async (choice) => {
    const options = { duplicateMessages: choice };
    const setup = { items: contacts(3) };
    await run({ ...setup, parameters: testOf(SEND_BULK, options) });
    const ran = await run({ ...setup, parameters: withOptions(SEND_BULK, options) });
    expect(outcomesOf(ran)).toEqual(['sent', 'sent', 'sent']);
    expect(received()).toEqual([TESTER, TESTER, TESTER, ...phones(0, 1, 2)]);
  });

  test.each(SENDERS)('in a Retry of %s without it, also of the own number', async (_name, operation) => {
    sandbox().setFaults([{ kind: 'status', status: 403, after: 1, times: 1 }]);
    const items = [{ phone: TESTER, text: 'Hello 0' }, ...contacts(3).slice(1)];
    const parameters = inBatchesOf(1, testOf(operation, REMEMBERED));
    const setup = setupOf({ items, parameters, mode: 'trigger' });
    const first = await run(setup);
    expect(first.error).toBeDefined();
    const second = await retry(first, setup, { parameters: withOptions(operation, REMEMBERED) });
    expect(outcomesOf(second)).toEqual(['sent', 'sent', 'sent']);
    expect(received()).toEqual([TESTER, TESTER, phoneAt(1), phoneAt(2)]);
  });

  test.each(['kept', 'gone'] as const)('in a Retry after n8n was killed (event log: %s)', async (eventLog) => {
    const campaign = start({ items: contacts(3), parameters: testOf(SEND_BULK) });
    await campaign.run({ lifetime: killedAtNth('left', 1), eventLog });
    const fates = await campaign.finish({ parameters: SEND_BULK });
    expect(fates.map(({ outcome, arrivals }) => [outcome, arrivals])).toEqual(Array(3).fill(['sent', 1]));
  });
});

test('A Retry with it ends with an error, and can be retried', async () => {
  sandbox().setFaults([{ kind: 'status', status: 403, times: 1 }]);
  const setup = setupOf({ items: [{ list: listOf(2) }], parameters: SEND_LIST, mode: 'trigger' });
  const first = await run(setup);
  const second = await retry(first, setup, { parameters: testOf(SEND_LIST), onError: 'stopWorkflow' });
  expect(second.error?.message).toContain("'Dry Run' and 'Test Run' can't be used in a retry");
  const continued = await retry(first, setup, { parameters: testOf(SEND_LIST), onError: 'continueRegularOutput' });
  const details = continued.outputs[0]?.map(detailsOf);
  expect(details?.map(({ code, phone }) => [code, phone])).toEqual(phones(0, 1).map((phone) => ['NOT_SET_UP', phone]));
  expect(received()).toEqual([]);
});
