import type { IDataObject, INodeParameters, INodeProperties } from 'n8n-workflow';

import { KEY } from '../support/account';
import { contacts, phoneAt } from '../support/contacts';
import { loadPackage } from '../support/engine/engine';
import { runWorkflow, type Setup } from '../support/engine/workflow';
import { detailsOf, hintsOf } from '../support/outputs';
import {
  GET_BALANCE,
  inBatchesOf,
  SEND,
  SEND_BULK,
  SEND_LIST,
  SENDING_OPERATIONS,
  withOptions,
} from '../support/parameters';
import { accountOf, mostInFlight, receivedPhones, receivedTexts, sandboxForTests } from '../support/sandbox';
import { someTurns, until } from '../support/waiting';

const OTHER_KEYS = [0, 1].map((index) => `made-up-other-key-${index}`);
const sandbox = sandboxForTests({ keys: [KEY, ...OTHER_KEYS] });
const run = async (setup: Omit<Setup, 'account'> & Partial<Setup>) =>
  await runWorkflow({ account: accountOf(sandbox()), ...setup });
const texts = () => receivedTexts(sandbox());

describe.each(SENDING_OPERATIONS)("%s with 'Check Credits First'", (_name, parameters) => {
  const checking = withOptions(parameters, { checkCreditsFirst: true });

  test('sends nothing if the credits do not cover the run', async () => {
    sandbox().setCredits(4);
    const { error } = await run({ items: contacts(5), parameters: checking });
    expect(error?.message).toBe('Not enough credits for the run: 5 needed, 4 available');
    expect(
      sandbox()
        .requests()
        .map(({ endpoint }) => endpoint),
    ).toEqual(['balance']);
  });

  test('fails every item if the credits do not cover the run, with On Error set to Continue', async () => {
    sandbox().setCredits(4);
    const { outputs } = await run({ items: contacts(5), parameters: checking, onError: 'continueErrorOutput' });
    expect(outputs[0]).toEqual([]);
    expect(outputs[1]?.map((item) => detailsOf(item).outcome)).toEqual(Array(5).fill('not_sent'));
    for (const item of outputs[1] ?? []) {
      expect(detailsOf(item)).toMatchObject({ required_credits: 5, available_credits: 4 });
    }
  });

  test('sends everything if the credits cover the run, and reads the balance once', async () => {
    sandbox().setCredits(5);
    const { outputs } = await run({ items: contacts(5), parameters: checking });
    expect(outputs[0]).toHaveLength(5);
    expect(
      sandbox()
        .requests()
        .filter(({ endpoint }) => endpoint === 'balance'),
    ).toHaveLength(1);
  });

  test('counts only the messages still to be sent when n8n runs the node again', async () => {
    sandbox().setCredits(4);
    sandbox().setFaults([
      { kind: 'status', status: 403, on: parameters.operation === 'send' ? 'send' : 'bulk', after: 1 },
    ]);
    const again = inBatchesOf(2, withOptions(parameters, { checkCreditsFirst: true, parallelRequests: 1 }));
    const { error } = await run({ items: contacts(4), parameters: again, retryOnFail: { maxTries: 2 } });
    expect(error).toBeUndefined();
    expect(sandbox().credits()).toBe(0);
  });

  test.each([
    ['a lost connection', { kind: 'reset-before' }],
    ['a 500', { kind: 'status', status: 500 }],
    ['an answer without credits', { kind: 'body', status: 200, body: '{"success":true,"data":{}}' }],
  ] as const)("sends nothing if the balance can't be read because of %s", async (_what, fault) => {
    sandbox().setFaults([{ ...fault, on: 'balance' }]);
    const { outputs } = await run({ items: contacts(2), parameters: checking, onError: 'continueErrorOutput' });
    expect(receivedPhones(sandbox())).toEqual([]);
    expect(outputs[1]?.map((item) => detailsOf(item).outcome)).toEqual(['not_sent', 'not_sent']);
    expect(JSON.stringify(outputs[1])).not.toContain('undefined');
  });
});

describe("'When Credits Run Out'", () => {
  test("set to 'Stop' sends nothing of a request that the credits do not cover", async () => {
    sandbox().setCredits(3);
    const { outputs } = await run({
      items: contacts(6),
      parameters: inBatchesOf(2, withOptions(SEND_BULK, { parallelRequests: 1 })),
      onError: 'continueErrorOutput',
    });
    expect(receivedPhones(sandbox())).toEqual([0, 1].map(phoneAt));
    expect(outputs[1]).toHaveLength(4);
    expect(detailsOf(outputs[1]?.[0])).toMatchObject({
      code: 'INSUFFICIENT_CREDITS',
      required_credits: 2,
      available_credits: 1,
    });
    expect(sandbox().credits()).toBe(1);
  });

  test("set to 'Send What the Credits Allow' uses up the credits, and reports the other messages as not sent", async () => {
    sandbox().setCredits(130);
    const { outputs } = await run({
      items: contacts(250),
      parameters: withOptions(SEND_BULK, { whenCreditsRunOut: 'sendWhatCreditsAllow', parallelRequests: 1 }),
      onError: 'continueErrorOutput',
    });
    expect(sandbox().credits()).toBe(0);
    expect(receivedPhones(sandbox())).toEqual(contacts(130).map(({ phone }) => phone));
    expect(outputs[0]).toHaveLength(130);
    expect(outputs[1]).toHaveLength(120);
    expect(new Set(outputs[1]?.map((item) => detailsOf(item).outcome))).toEqual(new Set(['not_sent']));
    expect(sandbox().requests()).toHaveLength(3);
  });

  test("set to 'Send What the Credits Allow' uses up the credits with parallel requests, too", async () => {
    sandbox().setCredits(130);
    const { outputs } = await run({
      items: contacts(450),
      parameters: withOptions(SEND_BULK, { whenCreditsRunOut: 'sendWhatCreditsAllow', parallelRequests: 4 }),
      onError: 'continueErrorOutput',
    });
    expect(sandbox().credits()).toBe(0);
    expect(outputs[0]).toHaveLength(130);
    expect(outputs[1]).toHaveLength(320);
  });
});

test.each([
  ['44', '07700 900001', '447700900001'],
  ['+44', '(0)7700 900002', '447700900002'],
  ['0044', '07700900003', '447700900003'],
  ['=44', '447700900004', '447700900004'],
  ['44', '7700900005', '447700900005'],
  ['1', '(212) 555-0109', '12125550109'],
  ['34', '612 345 678', '34612345678'],
])("'Default Country Code' %s turns %s into %s", async (code, phone, expected) => {
  for (const [, parameters] of SENDING_OPERATIONS) {
    sandbox().reset();
    const { error } = await run({
      items: [{ phone, text: 'Hello' }],
      parameters: withOptions(parameters, { defaultCountryCode: code }),
    });
    expect(error).toBeUndefined();
    expect(receivedPhones(sandbox())).toEqual([expected]);
  }
});

test.each(SENDING_OPERATIONS)(
  "'Number Check' keeps %s from numbers that their country can't have, and lets it send to them when it is off",
  async (_name, parameters) => {
    const items = [{ phone: '(212) 555-0109', text: 'Hello' }];
    const { outputs } = await run({ items, parameters, onError: 'continueErrorOutput' });
    expect(outputs[1]?.[0]?.json.error).toMatch(/^The phone number has 7 digits after the country code 212 \(Morocco/);
    expect(sandbox().requests()).toEqual([]);
    await run({ items, parameters: withOptions(parameters, { numberCheck: 'off', defaultCountryCode: '999' }) });
    expect(receivedPhones(sandbox())).toEqual(['2125550109']);
  },
);

describe("'Long Messages'", () => {
  const emoji = '\u{1f600}';
  const long = `${'a'.repeat(999)}${emoji}${emoji}${'b'.repeat(999)}c`;

  test("set to 'Fail' makes Send refuse 1,001 characters and accept 1,000, whatever their size in bytes", async () => {
    const items = [
      { phone: phoneAt(0), text: emoji.repeat(1000) },
      { phone: phoneAt(1), text: emoji.repeat(1001) },
    ];
    const { outputs } = await run({
      items,
      parameters: withOptions(SEND, { longMessages: 'fail' }),
      onError: 'continueErrorOutput',
    });
    expect(receivedPhones(sandbox())).toEqual([phoneAt(0)]);
    expect(outputs[1]?.[0]?.json.error).toBe('The message has 1001 characters, but at most 1000 can be sent');
  });

  test.each(SENDING_OPERATIONS)(
    "set to 'Truncate' makes %s send the first 1,000 characters, and no half of one",
    async (_name, parameters) => {
      await run({
        items: [{ phone: phoneAt(0), text: long }],
        parameters: withOptions(parameters, { longMessages: 'truncate' }),
      });
      expect(texts()).toEqual([`${'a'.repeat(999)}${emoji}`]);
    },
  );

  test.each(SENDING_OPERATIONS)(
    "set to 'Split' makes %s send the whole text in order, in parts of at most 1,000 characters",
    async (_name, parameters) => {
      const { outputs } = await run({
        items: [{ phone: phoneAt(0), text: long }],
        parameters: withOptions(parameters, { longMessages: 'split' }),
      });
      expect(texts()).toEqual([`${'a'.repeat(999)}${emoji}`, `${emoji}${'b'.repeat(999)}`, 'c']);
      expect(outputs[0]?.map(({ json, pairedItem }) => [json.part, pairedItem])).toEqual(
        [1, 2, 3].map((part) => [part, { item: 0 }]),
      );
      // Half of a surrogate pair does not survive UTF-8.
      expect(texts().map((text) => Buffer.from(text).toString())).toEqual(texts());
    },
  );

  test("set to 'Split' splits between words", async () => {
    const words = Array.from({ length: 300 }, (_, index) => `word${index}`).join(' ');
    await run({
      items: [{ phone: phoneAt(0), text: words }],
      parameters: withOptions(SEND, { longMessages: 'split' }),
    });
    expect(texts().join(' ')).toBe(words);
    expect(texts().every((text) => text.length <= 1000)).toBe(true);
  });

  test("set to 'Split' leaves a shorter text whole, with its white space", async () => {
    const text = `  ${'x'.repeat(996)}\n\n`;
    await run({ items: [{ phone: phoneAt(0), text }], parameters: withOptions(SEND, { longMessages: 'split' }) });
    expect(texts()).toEqual([text]);
  });
});

describe("'Duplicate Messages'", () => {
  const items = [
    { phone: phoneAt(0), text: 'Hello' },
    { phone: `+${phoneAt(0)}`, text: 'Hello' },
    { phone: phoneAt(0), text: 'Hello!' },
    { phone: phoneAt(1), text: 'Hello' },
    { phone: phoneAt(0), text: 'Hello' },
  ];

  test.each(SENDING_OPERATIONS)("set to 'Send' makes %s send every one", async (_name, parameters) => {
    await run({ items, parameters });
    expect(receivedPhones(sandbox())).toHaveLength(5);
  });

  test.each(SENDING_OPERATIONS)(
    "set to 'Send Once' makes %s send a text to a phone number once, and each item reports it",
    async (_name, parameters) => {
      const { outputs } = await run({ items, parameters: withOptions(parameters, { duplicateMessages: 'sendOnce' }) });
      expect(receivedPhones(sandbox()).sort()).toEqual([phoneAt(0), phoneAt(0), phoneAt(1)]);
      expect(outputs[0]?.map(({ json, pairedItem }) => [json.status, json.duplicate_of, pairedItem])).toEqual([
        ['sent', undefined, { item: 0 }],
        ['skipped', 0, { item: 1 }],
        ['sent', undefined, { item: 2 }],
        ['sent', undefined, { item: 3 }],
        ['skipped', 0, { item: 4 }],
      ]);
      expect(outputs[0]?.[4]?.json.message_id).toBe(outputs[0]?.[0]?.json.message_id);
    },
  );

  test("set to 'Send Once' fails the duplicate of a message that failed", async () => {
    sandbox().setFaults([{ kind: 'status', status: 403 }]);
    const { outputs } = await run({
      items: items.slice(0, 2),
      parameters: withOptions(SEND, { duplicateMessages: 'sendOnce' }),
      onError: 'continueErrorOutput',
    });
    expect(outputs[0]).toEqual([]);
    expect(outputs[1]?.map((item) => detailsOf(item).duplicate_of)).toEqual([undefined, 0]);
  });
});

describe("'Dry Run'", () => {
  test.each(SENDING_OPERATIONS)('makes %s check and pack all messages without a request', async (_name, parameters) => {
    const items = [...contacts(150), { phone: 'abc', text: 'Hello' }];
    const ran = await run({
      items,
      parameters: withOptions(parameters, { dryRun: true, checkCreditsFirst: true }),
      onError: 'continueErrorOutput',
    });
    expect(sandbox().requests()).toEqual([]);
    expect(ran.outputs[0]?.map(({ json }) => json.status)).toEqual(Array(150).fill('dry_run'));
    expect(ran.outputs[0]?.at(-1)?.json).toEqual({
      phone: phoneAt(149),
      message: 'Hello 149',
      status: 'dry_run',
      batch: parameters.operation === 'send' ? 150 : 2,
      characters: 9,
    });
    expect(ran.outputs[1]).toHaveLength(1);
    const requests = parameters.operation === 'send' ? 150 : 2;
    expect(hintsOf(ran)[0]?.message).toBe(
      `Dry run: 150 messages would be sent in ${requests} requests, for 150 credits; 1 can't be sent. Nothing was sent.`,
    );
  });

  const FORMS = [
    { phone: '+44 (0)7700 900-000', text: 'Hello Ada' },
    { phone: phoneAt(1), text: 'Hello Bo' },
    { phone: Number(phoneAt(2)), text: 'Hello Cy' },
    { phone: 7700900003, text: 'Hello Di' },
  ];
  const LIST = [{ list: FORMS.map(({ phone, text }) => ({ phone, message: text })) }];

  describe.each([
    ['Send', SEND, FORMS],
    ['Send Bulk from items', SEND_BULK, FORMS],
    ['Send Bulk from a list', SEND_LIST, LIST],
    ['Send Bulk from items, with One Item per Request,', withOptions(SEND_BULK, { output: 'batches' }), FORMS],
    ['Send Bulk from a list, with One Item per Request,', withOptions(SEND_LIST, { output: 'batches' }), LIST],
  ])('with %s', (_name, parameters, items: IDataObject[]) => {
    const dryRun = async (options: INodeParameters, dryItems = items) => {
      const all = { ...(parameters.options as INodeParameters), dryRun: true, ...options };
      const ran = await run({ items: dryItems, parameters: { ...parameters, options: all } });
      return ran.outputs[0]?.map(({ json }) => json);
    };

    test('shows the text of each message, and the number as it was given where cleaning changed it', async () => {
      expect(await dryRun({ defaultCountryCode: '44' })).toMatchObject([
        { phone: phoneAt(0), phone_given: '+44 (0)7700 900-000', message: 'Hello Ada', status: 'dry_run' },
        { phone: phoneAt(1), message: 'Hello Bo' },
        { phone: phoneAt(2), message: 'Hello Cy' },
        { phone: phoneAt(3), phone_given: '7700900003', message: 'Hello Di' },
      ]);
      const changed = (await dryRun({ defaultCountryCode: '44' }))?.map((json) => 'phone_given' in json);
      expect(changed).toEqual([true, false, false, true]);
    });

    test("shows the texts that 'Long Messages' leaves", async () => {
      const text = `${'a'.repeat(900)} ${'b'.repeat(200)}`;
      const message = { phone: phoneAt(0), text };
      const long = items === LIST ? [{ list: [{ phone: message.phone, message: text }] }] : [message];
      expect(await dryRun({ longMessages: 'truncate' }, long)).toMatchObject([
        { message: text.slice(0, 1000), characters: 1000 },
      ]);
      expect(await dryRun({ longMessages: 'split' }, long)).toMatchObject([
        { message: 'a'.repeat(900), characters: 900, part: 1 },
        { message: 'b'.repeat(200), characters: 200, part: 2 },
      ]);
    });
  });

  test('given as the text "true" by an expression sends nothing', async () => {
    await run({
      items: contacts(1),
      parameters: withOptions(SEND, { dryRun: '={{ "true" }}' }),
      onError: 'continueErrorOutput',
    });
    expect(receivedPhones(sandbox())).toEqual([]);
  });
});

describe('An uncertain message', () => {
  test.each([
    ['is not sent again by a retry', 'report', 1],
    ["is sent again by a retry with 'Send Again'", 'sendAgain', 2],
  ])('%s', async (_what, uncertain, count) => {
    sandbox().setFaults([{ kind: 'reset-after' }]);
    const ran = await run({
      items: contacts(1),
      parameters: withOptions(SEND, { uncertain }),
      retryOnFail: { maxTries: 2 },
    });
    expect(receivedPhones(sandbox())).toHaveLength(count);
    expect(ran.error === undefined).toBe(uncertain === 'sendAgain');
  });

  test("is not sent again without a retry, even with 'Send Again'", async () => {
    sandbox().setFaults([{ kind: 'reset-after' }]);
    await run({
      items: contacts(1),
      parameters: withOptions(SEND, { uncertain: 'sendAgain' }),
      onError: 'continueRegularOutput',
    });
    expect(receivedPhones(sandbox())).toHaveLength(1);
  });
});

describe("'Parallel Requests'", () => {
  // Long enough for all to arrive before the first is answered, on a busy machine too.
  const slow = { kind: 'delay', ms: 300, times: 99 } as const;
  /** Enough items for two rounds after the first request, which goes alone. */
  const itemsFor = (parallelRequests: number) => contacts(2 * parallelRequests + 1);

  test.each([[1], [3]])('set to %i keeps that many requests in flight, and no more', async (parallelRequests) => {
    sandbox().setFaults([slow]);
    const running = run({ items: itemsFor(parallelRequests), parameters: withOptions(SEND, { parallelRequests }) });
    expect(await mostInFlight(sandbox(), running)).toBe(parallelRequests);
  });

  test('defaults to what the editor shows', async () => {
    const { node } = await loadPackage();
    const collection = node.description.properties.find(
      ({ name, displayOptions }) => name === 'options' && displayOptions?.show?.operation?.includes('send'),
    );
    const shown = (collection?.options as INodeProperties[]).find(({ name }) => name === 'parallelRequests')
      ?.default as number;
    sandbox().setFaults([slow]);
    const running = run({ items: itemsFor(shown), parameters: SEND });
    expect(await mostInFlight(sandbox(), running)).toBe(shown);
  });

  test.each(SENDING_OPERATIONS)(
    'never lets messages of %s to one phone number overtake one another',
    async (_name, parameters) => {
      // Some answers are slow, so that later requests could be faster.
      sandbox().setFaults([{ kind: 'delay', ms: 30, probability: 0.4 }]);
      const items = Array.from({ length: 40 }, (_, index) => ({
        phone: phoneAt((index * 7) % 5),
        text: `Hello ${String(index).padStart(2, '0')}`,
      }));
      const { outputs } = await run({
        items,
        parameters: inBatchesOf(2, withOptions(parameters, { parallelRequests: 8 })),
      });
      expect(outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual(items.map((_, item) => ({ item })));
      for (let phone = 0; phone < 5; phone += 1) {
        const arrived = sandbox()
          .messages()
          .filter((message) => message.phone === phoneAt(phone))
          .map(({ message }) => message);
        expect(arrived).toEqual([...arrived].sort());
        expect(arrived).toHaveLength(8);
      }
      // No request started before the one before it to the same number had its answer.
      const requests = new Map(
        sandbox()
          .requests()
          .map((request) => [request.number, request]),
      );
      const waits: number[] = [];
      for (const earlier of sandbox().messages()) {
        const later = sandbox()
          .messages()
          .find(({ id, phone, request }) => id > earlier.id && phone === earlier.phone && request !== earlier.request);
        const [first, second] = [requests.get(earlier.request), requests.get(later?.request ?? -1)];
        if (first && second)
          waits.push(Date.parse(second.started_at) - Date.parse(first.started_at) - (first.duration_ms ?? 0));
      }
      // Clocks differ by up to 2 ms.
      expect(Math.min(0, ...waits)).toBeGreaterThanOrEqual(-2);
    },
  );

  test('keeps the parts of a long text in order', async () => {
    sandbox().setFaults([{ kind: 'delay', ms: 20, probability: 0.5 }]);
    const text = Array.from({ length: 6 }, (_, index) => String(index).repeat(1000)).join('');
    await run({
      items: contacts(3).map(({ phone }) => ({ phone, text })),
      parameters: withOptions(SEND, { longMessages: 'split', parallelRequests: 8 }),
    });
    for (const { phone } of contacts(3)) {
      expect(
        sandbox()
          .messages()
          .filter((message) => message.phone === phone)
          .map(({ message }) => message[0]),
      ).toEqual(['0', '1', '2', '3', '4', '5']);
    }
  });
});

describe("'Output'", () => {
  test("set to 'One Item per Request' links each answer to all its items", async () => {
    const { outputs } = await run({ items: contacts(150), parameters: withOptions(SEND_BULK, { output: 'batches' }) });
    expect(
      outputs[0]?.map(({ json, pairedItem }) => [json.batch, json.messages_sent, (pairedItem as unknown[]).length]),
    ).toEqual([
      [1, 100, 100],
      [2, 50, 50],
    ]);
  });

  test("defaults to 'One Item per Message'", async () => {
    const { outputs } = await run({ items: contacts(3), parameters: SEND_BULK });
    expect(outputs[0]?.map(({ json }) => Object.keys(json))).toEqual(
      Array(3).fill(['message_id', 'phone', 'status', 'batch']),
    );
  });
});

describe("'Requests per Minute'", () => {
  test('holds back further requests of all nodes with that key, and none of another key', async () => {
    const parameters = withOptions(SEND, { requestsPerMinute: 3 });
    const account = { ...accountOf(sandbox()), apiKey: OTHER_KEYS[0] ?? '' };
    await run({ account, items: contacts(2), parameters });
    void run({ account, items: contacts(2), parameters }).catch(() => undefined);
    await until(() => sandbox().requests().length === 3);
    await someTurns();
    expect(sandbox().requests()).toHaveLength(3);
    await run({ items: contacts(4), parameters: SEND });
    expect(sandbox().requests()).toHaveLength(7);
  });
});

describe("'Max Wait'", () => {
  test('set to 0 gives up at a 429, and reports the messages as not sent', async () => {
    sandbox().setFaults([{ kind: 'status', status: 429, retryAfter: 0, after: 1 }]);
    const { outputs } = await run({
      items: contacts(4),
      parameters: inBatchesOf(2, withOptions(SEND_BULK, { longestWait: 0, parallelRequests: 1 })),
      onError: 'continueErrorOutput',
    });
    expect(outputs[1]?.map((item) => [detailsOf(item).code, detailsOf(item).outcome])).toEqual(
      Array(2).fill(['RATE_LIMITED', 'not_sent']),
    );
  });

  test('lets a request wait for as long as the service asks', async () => {
    sandbox().setFaults([{ kind: 'status', status: 429, retryAfter: 1 }]);
    const account = { ...accountOf(sandbox()), apiKey: OTHER_KEYS[1] ?? '' };
    const ran = await run({ account, items: contacts(2), parameters: withOptions(SEND_BULK, { longestWait: 1 }) });
    expect(ran.outputs[0]).toHaveLength(2);
    expect(hintsOf(ran)[0]?.message).toBe(
      '2 sent, 2 credits used, 99998 left, 2 requests, 1 s spent waiting for the rate limit. Running this step again sends the 2 messages again.',
    );
  });
});

describe('An invalid option', () => {
  test.each<[string, INodeParameters, RegExp]>([
    ['Requests per Minute of 0', { requestsPerMinute: 0 }, /'Requests per Minute' must be a number of at least 1/],
    ['Requests per Minute of -1', { requestsPerMinute: -1 }, /Requests per Minute/],
    ['Requests per Minute of "many"', { requestsPerMinute: '={{ "many" }}' }, /Requests per Minute|requestsPerMinute/],
    ['Max Wait of -1', { longestWait: -1 }, /'Max Wait' must be a number of at least 0/],
    ['Parallel Requests of 0', { parallelRequests: 0 }, /'Parallel Requests' must be a number of at least 1/],
    ['Default Country Code of 0', { defaultCountryCode: '0' }, /'Default Country Code' must be 1 to 4 digits/],
    ['Default Country Code of GB', { defaultCountryCode: 'GB' }, /Default Country Code/],
    ['Default Country Code of 999', { defaultCountryCode: '999' }, /'Default Country Code' is 999, which is not/],
    ['Number Check of "maybe"', { numberCheck: 'maybe' }, /'Number Check' must be one of on, mobile, off/],
    ['Default Country Code of 5 digits', { defaultCountryCode: '44770' }, /Default Country Code/],
  ])('such as %s sends nothing, and the error names it', async (_what, options, message) => {
    for (const [, parameters] of SENDING_OPERATIONS) {
      const { error } = await run({ items: contacts(2), parameters: withOptions(parameters, options) });
      expect(error?.message).toMatch(message);
      const { outputs } = await run({
        items: contacts(2),
        parameters: withOptions(parameters, options),
        onError: 'continueErrorOutput',
      });
      expect(outputs[0]).toEqual([]);
      expect(outputs[1]).toHaveLength(2);
    }
    expect(sandbox().requests()).toEqual([]);
  });

  test('of Get Balance is named in the error', async () => {
    const { error } = await run({ items: [{}], parameters: { ...GET_BALANCE, options: { requestsPerMinute: 0 } } });
    expect(error?.message).toContain('Requests per Minute');
  });
});

test('An option that is an empty text counts as not set', async () => {
  const options = { longestWait: '', requestsPerMinute: 1_000_000, parallelRequests: '', defaultCountryCode: '' };
  expect((await run({ items: contacts(2), parameters: { ...SEND, options } })).error).toBeUndefined();
});

test('Options apply to a list as they do to items', async () => {
  const list = [
    { phone: '07700 900001', message: 'Hello' },
    { phone: '447700900001', message: 'Hello' },
    { phone: phoneAt(2), message: 'x'.repeat(1500) },
  ];
  const { outputs } = await run({
    items: [{ list }],
    parameters: withOptions(SEND_LIST, {
      defaultCountryCode: '44',
      duplicateMessages: 'sendOnce',
      longMessages: 'split',
    }),
  });
  expect(
    sandbox()
      .messages()
      .map(({ phone, message }) => [phone, message.length]),
  ).toEqual([
    ['447700900001', 5],
    [phoneAt(2), 1000],
    [phoneAt(2), 500],
  ]);
  expect(outputs[0]?.map(({ json }) => json.status)).toEqual(['sent', 'skipped', 'sent', 'sent']);
});
