import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { startSandbox } from '../../sandbox/server';
import { contacts, KEY, listOf, phoneAt } from '../support/contacts';
import { nodeForTests } from '../support/engine/nodeForTests';
import { runRouting } from '../support/engine/workflow';
import { detailsOf, hintsOf, outcomesOf } from '../support/outputs';
import { GET_BALANCE, inBatchesOf, SEND, SEND_BULK, SEND_LIST, SENDERS, withOptions } from '../support/parameters';
import { accountOf, requestSizes, selfSignedCertificate } from '../support/sandbox';

const { sandbox, setupOf, run, refused, received, texts, requests } = nodeForTests();

describe.each(SENDERS)("%s with 'Check Credits First'", (_name, parameters) => {
  const checking = withOptions(parameters, { checkCreditsFirst: true });

  test('sends nothing if the credits do not cover the run, whatever On Error says', async () => {
    sandbox().setCredits(4);
    const { error } = await run({ items: contacts(5), parameters: checking });
    expect(error?.message).toBe('Not enough credits (5 needed, 4 left)');
    const { outputs } = await run({ items: contacts(5), parameters: checking, onError: 'continueErrorOutput' });
    expect(outputs.map(({ length }) => length)).toEqual([0, 5]);
    for (const item of outputs[1] ?? [])
      expect(detailsOf(item)).toMatchObject({ outcome: 'not_sent', required_credits: 5, available_credits: 4 });
    expect(requests().map(({ endpoint }) => endpoint)).toEqual(['balance', 'balance']);
  });

  test("sends nothing if the balance can't be read", async () => {
    sandbox().setFaults([{ kind: 'reset-before', on: 'balance' }]);
    const ran = await run({ items: contacts(2), parameters: checking, onError: 'continueErrorOutput' });
    expect(received()).toEqual([]);
    expect(outcomesOf(ran)).toEqual(['not_sent', 'not_sent']);
    expect(JSON.stringify(ran.outputs)).not.toContain('undefined');
  });
});

test.each(SENDERS)("'Number Check' keeps %s from impossible numbers, unless it is off", async (_name, parameters) => {
  const items = [{ phone: '212 555-0109', text: 'Hello' }];
  const { outputs } = await run({ items, parameters, onError: 'continueErrorOutput' });
  expect(outputs[1]?.[0]?.json.error).toMatch(/^The phone number needs 9 digits after the country code 212 \(Morocco/);
  expect(requests()).toEqual([]);
  await run({ items, parameters: withOptions(parameters, { numberCheck: 'off', defaultCountryCode: '999' }) });
  expect(received()).toEqual(['2125550109']);
});

describe('An option that holds for the run', () => {
  const HOURS = '00:00–24:00';
  const withHours = (...hours: unknown[]) =>
    contacts(hours.length).map((contact, item) => ({ ...contact, hours: hours[item], limit: item }) as IDataObject);

  test.each<[option: string, label: string, expression: string]>([
    ['sendWindow', 'Send Window', '={{ $json.hours }}'],
    ['sendWindow', 'Send Window', '={{ $json["hours"] ?? "10:00–11:00" }}'],
    ['neverSendTo', 'Never Send To', "={{ $('Items').item.json.hours === '00:00–24:00' ? [] : [447700900002] }}"],
    ['testRun', 'Test Run', '=44770090000{{ $itemIndex }}'],
    ['requestsPerMinute', 'Requests per Minute', '={{ $input.item.json.limit + 10 }}'],
    ['longestWait', 'Max Wait', '={{ $node["Items"].json.limit }}'],
    ['longestWait', 'Max Wait', "={{ $('Items')['item'].json.limit }}"],
    ['neverSendTo', 'Never Send To', '={{ (({ item }) => [447700900100 + Math.floor(item.json.limit / 2)])($input) }}'],
    ['testRun', 'Test Run', '={{ $parameter["phone"] }}'],
  ])('%s is refused if it has another value for another item (%s, %s)', async (option, label, expression) => {
    const items = withHours(HOURS, HOURS, undefined);
    const differs = option === 'sendWindow' || option === 'neverSendTo' ? 2 : 1;
    const { error, outputs } = await run({
      items,
      parameters: withOptions(SEND_BULK, { [option]: expression }),
      onError: 'continueErrorOutput',
    });
    expect(error).toBeUndefined();
    const why = `'${label}' holds for the whole run, but has one value for item 0 and another for item ${differs}`;
    expect(outputs[1]?.map(({ json }) => json.error)).toEqual([why, why, why]);
    expect(requests()).toEqual([]);
  });

  test('of Request Options is refused as well, and the error of a run that stops says what to do', async () => {
    const parameters = inBatchesOf('={{ $json.limit + 1 }}' as never, SEND_BULK);
    const { error } = await run({ items: withHours(HOURS, HOURS), parameters });
    expect(error?.message).toContain("'Items per Batch' holds for the whole run");
    expect(error?.description).toMatch(/^Nothing was sent\. .*divide the items before this node/);
    expect(requests()).toEqual([]);
  });

  test.each<[string, INodeParameters]>([
    ['is the same for all items', { sendWindow: '={{ $json.hours }}' }],
    ['does not mention the item, whatever it gives', { requestsPerMinute: '={{ 1_000 + Math.random() * 1e6 }}' }],
  ])('is taken if it %s', async (_what, options) => {
    await run({ items: withHours(HOURS, HOURS, HOURS), parameters: withOptions(SEND_BULK, options) });
    expect(received()).toHaveLength(3);
  });
});

describe("'Long Messages'", () => {
  const emoji = '\u{1f600}';
  const long = `${'a'.repeat(999)}${emoji}${emoji}${'b'.repeat(999)}c`;
  const sendText = async (given: INodeParameters, longMessages: string, text: string) =>
    await run({ items: [{ phone: phoneAt(0), text }], parameters: withOptions(given, { longMessages }) });

  test.each(SENDERS)("set to 'Truncate' makes %s send 1,000 characters, none halved", async (_name, parameters) => {
    await sendText(parameters, 'truncate', long);
    await sendText(parameters, 'truncate', 'x'.repeat(10_000_000));
    expect(texts()).toEqual([`${'a'.repeat(999)}${emoji}`, 'x'.repeat(1000)]);
  });

  test.each(SENDERS)("set to 'Split' makes %s send all, in parts of 1,000 characters", async (_name, parameters) => {
    const { outputs } = await sendText(parameters, 'split', long);
    expect(texts()).toEqual([`${'a'.repeat(999)}${emoji}`, `${emoji}${'b'.repeat(999)}`, 'c']);
    expect(outputs[0]?.map(({ json }) => json)).toMatchObject([
      { status: 'sent', parts: 3, message_id: expect.stringMatching(/^\d+, \d+, \d+$/) as string },
    ]);
    const options = { longMessages: 'split', dryRun: true };
    const dry = await run({ items: [{ phone: phoneAt(0), text: long }], parameters: withOptions(parameters, options) });
    expect(hintsOf(dry)[0]?.message).toContain('It would take 3 credits and 1 request.');
  });
});

test.each([
  ...SENDERS.map(([name, given]) => [name, given, undefined] as const),
  ['Send Bulk', SEND_BULK, 'fail'] as const,
])("%s sends no text over 1,000 characters that 'Long Messages' leaves whole", async (_name, given, longMessages) => {
  const parameters = longMessages === undefined ? given : withOptions(given, { longMessages });
  const items = [{ phone: phoneAt(0), text: 'x'.repeat(1001) }, ...contacts(2).slice(1)];
  const { outputs } = await run({ items, parameters, onError: 'continueErrorOutput' });
  expect(received()).toEqual([phoneAt(1)]);
  expect(outputs[1]?.map(({ json }) => json.error)).toEqual([
    'The message has 1001 characters, but at most 1000 can be sent',
  ]);
});

test("With 'Check Credits First', 'Dry Run' says how many credits are left", async () => {
  sandbox().setCredits(2);
  const parameters = withOptions(SEND_BULK, { dryRun: true, checkCreditsFirst: true });
  const ran = await run({ items: contacts(3), parameters });
  expect(requests().map(({ endpoint }) => endpoint)).toEqual(['balance']);
  expect(hintsOf(ran)[0]?.message).toContain(
    "It would take 3 credits and 1 request; 2 credits left, so with 'Check Credits First' nothing would be sent.",
  );
});

test.each(SENDERS)("'Dry Run' makes %s check and pack all messages without a request", async (_name, parameters) => {
  const ran = await run({
    items: [
      ...contacts(149),
      { phone: '+44 7700 900149', text: 'Hello 😀' },
      { phone: phoneAt(149), text: 'Hello 😀' },
      { phone: 'abc', text: 'Hello' },
    ],
    parameters: withOptions(parameters, { dryRun: true }),
    onError: 'continueErrorOutput',
  });
  const batches = parameters.operation === 'send' ? 150 : 2;
  expect(requests()).toEqual([]);
  expect(outcomesOf(ran)).toEqual([...Array<string>(150).fill('dry_run'), 'skipped', 'not_sent']);
  const [planned, duplicate] = ran.outputs[0]?.slice(149).map(({ json }) => json) ?? [];
  const shown = { phone: phoneAt(149), message: 'Hello 😀', characters: 7 };
  const plan = { status: 'dry_run', reason: 'would_be_sent', phone_given: '+44 7700 900149', batch: batches };
  expect(planned).toEqual({ ...shown, ...plan });
  expect(Object.keys(planned ?? {}).slice(0, 4)).toEqual(['phone', 'message', 'status', 'reason']);
  const skipped = { status: 'skipped', reason: 'duplicate', phone_given: phoneAt(149), batch: null };
  expect(duplicate).toEqual({ ...shown, ...skipped, duplicate_of: 149 });
  expect(ran.outputs[1]).toHaveLength(1);
  expect(hintsOf(ran)[0]?.message).toBe(
    [
      '150 people would get this message, 1 would not.',
      `Dry run: nothing was sent. It would take 150 credits and ${batches} requests.`,
      "1 can't be sent, 1 skipped because of 'Duplicate Messages'.",
      "1 can't be sent: the phone number contains letters (item 151).",
      'Items are numbered from 0.',
      'Numbers without + were read with the country code 44 (149 numbers).',
    ].join('<br>'),
  );
});

test.each<[string, INodeParameters, RegExp, code?: string]>([
  ['Requests per Minute of 0', { requestsPerMinute: 0 }, /'Requests per Minute' must be a number of at least 1/],
  ['Parallel Requests of 0', { parallelRequests: 0 }, /'Parallel Requests' must be a number of at least 1/],
  ['a code of 999', { defaultCountryCode: '999' }, /'Default Country Code' is not a known/, 'INVALID_PARAMETER'],
])('An invalid option such as %s sends nothing, and the error names it', async (...[, options, message, code]) => {
  for (const [, given] of SENDERS) expect(await refused(withOptions(given, options), code)).toMatch(message);
});

test('Get Balance asks nobody if an option is wrong', async () => {
  expect(await refused(withOptions(GET_BALANCE, { longestWait: -1 }))).toMatch(/'Max Wait' must be a number/);
});

test('A Default Country Code whose expression gives nothing keeps its item from being sent, even through the routing', async () => {
  const given = { defaultCountryCode: '={{ $json.countryCode }}' };
  const setup = setupOf({ items: contacts(1), parameters: withOptions(SEND, given) });
  const why = "'Default Country Code' needs a text or a number, and this item has none";
  expect((await run(setup)).error?.message).toBe(why);
  await expect(runRouting(setup)).rejects.toThrow(why);
  expect(requests()).toEqual([]);
});

test.each<[string[], INodeParameters, string | null]>([
  [['+447700900123', '00447700900124'], {}, null],
  [['447700900123', '+4915112345678', '447700900123'], {}, 'code 44 (1 number).'],
  [['919876543210', '447700900123', '919876543211'], {}, 'codes 91 (2 numbers), 44 (1).'],
  [['07700 900123', '447700900124'], { defaultCountryCode: 'GB' }, null],
  [['07700 900123', '919876543210'], { defaultCountryCode: 'gb' }, 'codes 44 (1 number), 91 (1).'],
  [['919876543210'], { defaultCountryCode: '44' }, 'code 91 (1 number).'],
])('For %j with %j, hint and dry run name the countries that were guessed: %s', async (phones, options, text) => {
  const items = phones.map((phone) => ({ phone, text: 'Hello' }));
  for (const dryRun of [true, false]) {
    const parameters = withOptions(SEND_BULK, { ...options, dryRun });
    const hint = hintsOf(await run({ items, parameters }))[0]?.message ?? '';
    expect(/Numbers without \+ were read with the country (.*?\.)( |<|$)/.exec(hint)?.[1] ?? null).toBe(text);
  }
});

test.each([['GB'], ['uk'], ['gg'], [' +44 '], ['0044'], [44]])("'Default Country Code' can be %j", async (country) => {
  const items = [{ phone: '07700 900123', text: 'Hello', country }];
  await run({ items, parameters: withOptions(SEND, { defaultCountryCode: '={{ $json.country }}' }) });
  expect(received()).toEqual(['447700900123']);
});

test("'Items per Batch' limits the batches of a list that comes through the routing", async () => {
  await runRouting(setupOf({ items: [{ list: listOf(25) }], parameters: inBatchesOf(10, SEND_LIST) }));
  expect(requestSizes(sandbox())).toEqual([10, 10, 5]);
});

test("'Batch Interval' is the shortest time from the start of a request to that of the next", async () => {
  const begun = Date.now();
  await run({ items: contacts(3), parameters: inBatchesOf(1, SEND_BULK, 300) });
  // Not from one arrival to the next, because a busy machine can delay only the first. Clocks differ by up to 2 ms.
  for (const [index, { started_at: arrival }] of requests().entries())
    expect(Date.parse(arrival) - begun).toBeGreaterThanOrEqual(index * 300 - 2);
  expect(requests()).toHaveLength(3);
});

test("A certificate that nobody has signed prevents sending unless 'Ignore SSL Issues' is on", async () => {
  const secure = await startSandbox({ keys: [KEY], limit: 0, tls: selfSignedCertificate() });
  try {
    const setup = setupOf({ account: accountOf(secure), items: contacts(1), parameters: SEND_BULK });
    expect((await run(setup)).error?.message).toContain("can't make a secure connection");
    await expect(runRouting(setup)).rejects.toThrow("can't make a secure connection");
    expect(secure.messages()).toEqual([]);

    const ignoring = { ...setup, parameters: { ...SEND_BULK, requestOptions: { allowUnauthorizedCerts: true } } };
    expect((await run(ignoring)).error).toBeUndefined();
    await runRouting(ignoring);
    expect(secure.messages()).toHaveLength(2);
  } finally {
    await secure.close();
  }
});
