import type { IDataObject, INodeParameters, INodeProperties } from 'n8n-workflow';

import { KEY } from '../support/account';
import { contacts, phoneAt } from '../support/contacts';
import { loadPackage } from '../support/engine/engine';
import { type Execution, runWorkflow, type Setup } from '../support/engine/workflow';
import { GET_BALANCE, SEND, SEND_BULK, SEND_LIST, withOptions } from '../support/parameters';
import { accountOf, sandboxForTests } from '../support/sandbox';

const OTHER_KEYS = [0, 1].map((index) => `made-up-other-key-${index}`);
const sandbox = sandboxForTests({ keys: [KEY, ...OTHER_KEYS] });
const run = async (setup: Omit<Setup, 'account'> & Partial<Setup>) =>
  await runWorkflow({ account: accountOf(sandbox()), ...setup });
const received = () =>
  sandbox()
    .messages()
    .map(({ phone }) => phone);
const texts = () =>
  sandbox()
    .messages()
    .map(({ message }) => message);
const inTwos = (parameters: INodeParameters): INodeParameters => ({
  ...parameters,
  requestOptions: { batching: { batch: { batchSize: 2, batchInterval: 0 } } },
});
const detailsOf = (json: IDataObject | undefined) => json?.details as IDataObject;
const hints = ({ run: { data } }: Execution) =>
  (data.resultData.runData.Send?.[0]?.hints ?? []).map(({ message, type, location }) => ({ message, type, location }));
const both: Array<[string, INodeParameters]> = [
  ['Send', SEND],
  ['Send Bulk', SEND_BULK],
];

describe.each(both)('Check Credits First with %s', (_name, parameters) => {
  const checking = withOptions(parameters, { checkCreditsFirst: true });

  test('sends nothing at all if the credits do not cover the run', async () => {
    sandbox().setCredits(4);
    const { error } = await run({ items: contacts(5), parameters: checking });
    expect(error?.message).toBe('Not enough credits for the run: 5 needed, 4 available');
    expect(
      sandbox()
        .requests()
        .map(({ endpoint }) => endpoint),
    ).toEqual(['balance']);
  });

  test('tells every item so with Continue', async () => {
    sandbox().setCredits(4);
    const { outputs } = await run({ items: contacts(5), parameters: checking, onError: 'continueErrorOutput' });
    expect(outputs[0]).toEqual([]);
    expect(outputs[1]?.map(({ json }) => detailsOf(json).outcome)).toEqual(Array(5).fill('not_sent'));
  });

  test('sends all if they do, after one reading', async () => {
    sandbox().setCredits(5);
    const { outputs } = await run({ items: contacts(5), parameters: checking });
    expect(outputs[0]).toHaveLength(5);
    expect(
      sandbox()
        .requests()
        .filter(({ endpoint }) => endpoint === 'balance'),
    ).toHaveLength(1);
  });

  test('counts only what is still to be sent when n8n runs the node again', async () => {
    sandbox().setCredits(4);
    sandbox().setFaults([
      { kind: 'status', status: 403, on: parameters.operation === 'send' ? 'send' : 'bulk', after: 1 },
    ]);
    const again = inTwos(withOptions(parameters, { checkCreditsFirst: true, parallelRequests: 1 }));
    const { error } = await run({ items: contacts(4), parameters: again, retryOnFail: { maxTries: 2 } });
    expect(error).toBeUndefined();
    expect(sandbox().credits()).toBe(0);
  });

  test.each([
    ['reset-before', { kind: 'reset-before' }],
    ['500', { kind: 'status', status: 500 }],
    ['an answer without credits', { kind: 'body', status: 200, body: '{"success":true,"data":{}}' }],
  ] as const)('sends nothing if the balance can not be read: %s', async (_what, fault) => {
    sandbox().setFaults([{ ...fault, on: 'balance' }]);
    const { outputs } = await run({ items: contacts(2), parameters: checking, onError: 'continueErrorOutput' });
    expect(received()).toEqual([]);
    expect(outputs[1]?.map(({ json }) => detailsOf(json).outcome)).toEqual(['not_sent', 'not_sent']);
    expect(JSON.stringify(outputs[1])).not.toContain('undefined');
  });
});

describe('When Credits Run Out', () => {
  test('Stop sends nothing of the request that is not covered', async () => {
    sandbox().setCredits(3);
    const { outputs } = await run({
      items: contacts(6),
      parameters: inTwos(withOptions(SEND_BULK, { parallelRequests: 1 })),
      onError: 'continueErrorOutput',
    });
    expect(received()).toEqual([0, 1].map(phoneAt));
    expect(outputs[1]).toHaveLength(4);
    expect(sandbox().credits()).toBe(1);
  });

  test('Send What the Credits Allow uses them up, and tells of the others that they were not sent', async () => {
    sandbox().setCredits(130);
    const { outputs } = await run({
      items: contacts(250),
      parameters: withOptions(SEND_BULK, { whenCreditsRunOut: 'sendWhatCreditsAllow', parallelRequests: 1 }),
      onError: 'continueErrorOutput',
    });
    expect(sandbox().credits()).toBe(0);
    expect(received()).toEqual(contacts(130).map(({ phone }) => phone));
    expect(outputs[0]).toHaveLength(130);
    expect(outputs[1]).toHaveLength(120);
    expect(new Set(outputs[1]?.map(({ json }) => detailsOf(json).outcome))).toEqual(new Set(['not_sent']));
    expect(sandbox().requests()).toHaveLength(3);
  });

  test('they are used up with parallel requests too', async () => {
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
])('Default Country Code %s makes of %s %s', async (code, phone, expected) => {
  for (const [, parameters] of both) {
    sandbox().reset();
    const { error } = await run({
      items: [{ phone, text: 'Hello' }],
      parameters: withOptions(parameters, { defaultCountryCode: code }),
    });
    expect(error).toBeUndefined();
    expect(received()).toEqual([expected]);
  }
});

describe('Long Messages', () => {
  const emoji = '\u{1f600}';
  const long = `${'a'.repeat(999)}${emoji}${emoji}${'b'.repeat(999)}c`;

  test('Fail: Send refuses 1,001 characters and takes 1,000, however many bytes', async () => {
    const items = [
      { phone: phoneAt(0), text: emoji.repeat(1000) },
      { phone: phoneAt(1), text: emoji.repeat(1001) },
    ];
    const { outputs } = await run({
      items,
      parameters: withOptions(SEND, { longMessages: 'fail' }),
      onError: 'continueErrorOutput',
    });
    expect(received()).toEqual([phoneAt(0)]);
    expect(outputs[1]?.[0]?.json.error).toBe('The message has 1001 characters; at most 1000 can be sent');
  });

  test.each(both)('Truncate sends the first 1,000 characters, and no half of one (%s)', async (_name, parameters) => {
    await run({
      items: [{ phone: phoneAt(0), text: long }],
      parameters: withOptions(parameters, { longMessages: 'truncate' }),
    });
    expect(texts()).toEqual([`${'a'.repeat(999)}${emoji}`]);
  });

  test.each(both)(
    'Split sends all of it in order, in parts of at most 1,000 characters (%s)',
    async (_name, parameters) => {
      const { outputs } = await run({
        items: [{ phone: phoneAt(0), text: long }],
        parameters: withOptions(parameters, { longMessages: 'split' }),
      });
      expect(texts()).toEqual([`${'a'.repeat(999)}${emoji}`, `${emoji}${'b'.repeat(999)}`, 'c']);
      expect(outputs[0]?.map(({ json, pairedItem }) => [json.part, pairedItem])).toEqual(
        [1, 2, 3].map((part) => [part, { item: 0 }]),
      );
      // A half of a character would not survive the way through UTF-8.
      expect(texts().map((text) => Buffer.from(text).toString())).toEqual(texts());
    },
  );

  test('Split cuts between words', async () => {
    const words = Array.from({ length: 300 }, (_, index) => `word${index}`).join(' ');
    await run({
      items: [{ phone: phoneAt(0), text: words }],
      parameters: withOptions(SEND, { longMessages: 'split' }),
    });
    expect(texts().join(' ')).toBe(words);
    expect(texts().every((text) => text.length <= 1000)).toBe(true);
  });

  test('Split keeps every other text whole, white space and all', async () => {
    const text = `  ${'x'.repeat(996)}\n\n`;
    await run({ items: [{ phone: phoneAt(0), text }], parameters: withOptions(SEND, { longMessages: 'split' }) });
    expect(texts()).toEqual([text]);
  });
});

describe('Duplicate Messages', () => {
  const items = [
    { phone: phoneAt(0), text: 'Hello' },
    { phone: `+${phoneAt(0)}`, text: 'Hello' },
    { phone: phoneAt(0), text: 'Hello!' },
    { phone: phoneAt(1), text: 'Hello' },
    { phone: phoneAt(0), text: 'Hello' },
  ];

  test.each(both)('Send sends each (%s)', async (_name, parameters) => {
    await run({ items, parameters });
    expect(received()).toHaveLength(5);
  });

  test.each(both)(
    'Send Once sends the same text to the same number once, and each item tells (%s)',
    async (_name, parameters) => {
      const { outputs } = await run({ items, parameters: withOptions(parameters, { duplicateMessages: 'sendOnce' }) });
      expect(received().sort()).toEqual([phoneAt(0), phoneAt(0), phoneAt(1)]);
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

  test('a duplicate of a message that failed has failed as well', async () => {
    sandbox().setFaults([{ kind: 'status', status: 403 }]);
    const { outputs } = await run({
      items: items.slice(0, 2),
      parameters: withOptions(SEND, { duplicateMessages: 'sendOnce' }),
      onError: 'continueErrorOutput',
    });
    expect(outputs[0]).toEqual([]);
    expect(outputs[1]?.map(({ json }) => detailsOf(json).duplicate_of)).toEqual([undefined, 0]);
  });
});

describe('Dry Run', () => {
  test.each(both)('checks and packs everything and makes no request (%s)', async (_name, parameters) => {
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
      status: 'dry_run',
      batch: parameters.operation === 'send' ? 150 : 2,
      characters: 9,
    });
    expect(ran.outputs[1]).toHaveLength(1);
    expect(hints(ran)[0]?.message).toBe('150 would be sent, nothing was sent (dry run), 1 not sent, 0 requests.');
  });

  test('given as the text "true" by an expression, sends nothing either', async () => {
    await run({
      items: contacts(1),
      parameters: withOptions(SEND, { dryRun: '={{ "true" }}' }),
      onError: 'continueErrorOutput',
    });
    expect(received()).toEqual([]);
  });
});

describe('If the Outcome Is Uncertain', () => {
  test.each([
    ['report', 1],
    ['sendAgain', 2],
  ])('%s', async (uncertain, count) => {
    sandbox().setFaults([{ kind: 'reset-after' }]);
    const ran = await run({
      items: contacts(1),
      parameters: withOptions(SEND, { uncertain }),
      retryOnFail: { maxTries: 2 },
    });
    expect(received()).toHaveLength(count);
    expect(ran.error === undefined).toBe(uncertain === 'sendAgain');
  });

  test('without a retry, Send Again sends nothing again', async () => {
    sandbox().setFaults([{ kind: 'reset-after' }]);
    await run({
      items: contacts(1),
      parameters: withOptions(SEND, { uncertain: 'sendAgain' }),
      onError: 'continueRegularOutput',
    });
    expect(received()).toHaveLength(1);
  });
});

describe('Parallel Requests', () => {
  /** The most requests that were under way at once, told from when each began and how long it took. */
  const mostAtOnce = () => {
    const spans = sandbox()
      .requests()
      .map(({ started_at, duration_ms }) => ({
        from: Date.parse(started_at),
        to: Date.parse(started_at) + (duration_ms ?? 0),
      }));
    return Math.max(...spans.map(({ from }) => spans.filter((other) => other.from <= from && from < other.to).length));
  };
  const slow = { kind: 'delay', ms: 60, times: 99 } as const;

  test.each([[1], [3]])(
    'at most %i are under way at once, and as many where there is work for them',
    async (parallelRequests) => {
      sandbox().setFaults([slow]);
      await run({ items: contacts(10), parameters: withOptions(SEND, { parallelRequests }) });
      expect(mostAtOnce()).toBe(parallelRequests);
    },
  );

  test('are as many as the editor shows where nothing is set', async () => {
    const { node } = await loadPackage();
    const collection = node.description.properties.find(
      ({ name, displayOptions }) => name === 'options' && displayOptions?.show?.resource?.includes('message'),
    );
    const shown = (collection?.options as INodeProperties[]).find(({ name }) => name === 'parallelRequests')
      ?.default as number;
    sandbox().setFaults([slow]);
    await run({ items: contacts(2 * shown + 1), parameters: SEND });
    expect(mostAtOnce()).toBe(shown);
  });

  test.each(both)('two messages to one number never overtake one another (%s)', async (_name, parameters) => {
    // Answers take turns in being slow, so that later requests would be done first.
    sandbox().setFaults([{ kind: 'delay', ms: 30, probability: 0.4 }]);
    const items = Array.from({ length: 40 }, (_, index) => ({
      phone: phoneAt((index * 7) % 5),
      text: `Hello ${String(index).padStart(2, '0')}`,
    }));
    const { outputs } = await run({ items, parameters: inTwos(withOptions(parameters, { parallelRequests: 8 })) });
    expect(outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual(items.map((_, item) => ({ item })));
    for (let phone = 0; phone < 5; phone += 1) {
      const arrived = sandbox()
        .messages()
        .filter((message) => message.phone === phoneAt(phone))
        .map(({ message }) => message);
      expect(arrived).toEqual([...arrived].sort());
      expect(arrived).toHaveLength(8);
    }
    // None began before the one to the same number had been answered.
    const requests = new Map(
      sandbox()
        .requests()
        .map((request) => [request.number, request]),
    );
    for (const earlier of sandbox().messages()) {
      const later = sandbox()
        .messages()
        .find(({ id, phone, request }) => id > earlier.id && phone === earlier.phone && request !== earlier.request);
      const [first, second] = [requests.get(earlier.request), requests.get(later?.request ?? -1)];
      if (first && second)
        expect(Date.parse(second.started_at) + 2).toBeGreaterThanOrEqual(
          Date.parse(first.started_at) + (first.duration_ms ?? 0),
        );
    }
  });

  test('the parts of a long text arrive in order', async () => {
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

describe('Output', () => {
  test('One Item per Request links the answer to all its items', async () => {
    const { outputs } = await run({ items: contacts(150), parameters: withOptions(SEND_BULK, { output: 'batches' }) });
    expect(
      outputs[0]?.map(({ json, pairedItem }) => [json.batch, json.messages_sent, (pairedItem as unknown[]).length]),
    ).toEqual([
      [1, 100, 100],
      [2, 50, 50],
    ]);
  });

  test('One Item per Message is what comes where nothing is set', async () => {
    const { outputs } = await run({ items: contacts(3), parameters: SEND_BULK });
    expect(outputs[0]?.map(({ json }) => Object.keys(json))).toEqual(
      Array(3).fill(['message_id', 'phone', 'status', 'batch']),
    );
  });
});

describe('Requests per Minute', () => {
  test('holds back what is more, over all nodes with that key; another key is not concerned', async () => {
    const parameters = withOptions(SEND, { requestsPerMinute: 3 });
    const account = { ...accountOf(sandbox()), apiKey: OTHER_KEYS[0] ?? '' };
    await run({ account, items: contacts(2), parameters });
    void run({ account, items: contacts(2), parameters }).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(sandbox().requests()).toHaveLength(3);
    await run({ items: contacts(4), parameters: SEND });
    expect(sandbox().requests()).toHaveLength(7);
  });
});

describe('Longest Wait', () => {
  test('of 0 gives up at once when the service says that there are too many, and a retry sends the rest', async () => {
    sandbox().setFaults([{ kind: 'status', status: 429, retryAfter: 0, after: 1 }]);
    const { outputs } = await run({
      items: contacts(4),
      parameters: inTwos(withOptions(SEND_BULK, { longestWait: 0, parallelRequests: 1 })),
      onError: 'continueErrorOutput',
    });
    expect(outputs[1]?.map(({ json }) => [detailsOf(json).code, detailsOf(json).outcome])).toEqual(
      Array(2).fill(['RATE_LIMITED', 'not_sent']),
    );
  });

  test('lets a request wait for as long as the service asks', async () => {
    sandbox().setFaults([{ kind: 'status', status: 429, retryAfter: 1 }]);
    const account = { ...accountOf(sandbox()), apiKey: OTHER_KEYS[1] ?? '' };
    const ran = await run({ account, items: contacts(2), parameters: withOptions(SEND_BULK, { longestWait: 1 }) });
    expect(ran.outputs[0]).toHaveLength(2);
    expect(hints(ran)[0]?.message).toBe(
      '2 sent, 2 credits used, 99998 left, 2 requests, 1 s spent waiting for the limit. Execute step would send them again.',
    );
  });
});

describe('an option that can not be used', () => {
  test.each<[string, INodeParameters, RegExp]>([
    ['Requests per Minute 0', { requestsPerMinute: 0 }, /Requests per Minute has to be a number of at least 1/],
    ['Requests per Minute -1', { requestsPerMinute: -1 }, /Requests per Minute/],
    [
      'Requests per Minute from an expression',
      { requestsPerMinute: '={{ "many" }}' },
      /Requests per Minute|requestsPerMinute/,
    ],
    ['Longest Wait -1', { longestWait: -1 }, /Longest Wait has to be a number of at least 0/],
    ['Parallel Requests 0', { parallelRequests: 0 }, /Parallel Requests has to be a number of at least 1/],
    ['Default Country Code 0', { defaultCountryCode: '0' }, /Default Country Code has to be 1 to 4 digits/],
    ['Default Country Code GB', { defaultCountryCode: 'GB' }, /Default Country Code/],
    ['Default Country Code of 5 digits', { defaultCountryCode: '44770' }, /Default Country Code/],
  ])('%s sends nothing, and the error names the option', async (_what, options, message) => {
    for (const [, parameters] of both) {
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

  test('says so for Get Balance too', async () => {
    const { error } = await run({ items: [{}], parameters: { ...GET_BALANCE, options: { requestsPerMinute: 0 } } });
    expect(error?.message).toContain('Requests per Minute');
  });

  test('an empty field counts as not set', async () => {
    const options = { longestWait: '', requestsPerMinute: 1_000_000, parallelRequests: '', defaultCountryCode: '' };
    expect((await run({ items: contacts(2), parameters: { ...SEND, options } })).error).toBeUndefined();
  });
});

describe('the hint over the output', () => {
  test('counts what was sent, and gives credits and requests', async () => {
    sandbox().setCredits(1000);
    expect(hints(await run({ items: contacts(250), parameters: SEND_BULK }))).toEqual([
      {
        message: '250 sent, 250 credits used, 750 left, 3 requests. Execute step would send them again.',
        type: 'info',
        location: 'outputPane',
      },
    ]);
  });

  test('warns where something failed or is uncertain', async () => {
    sandbox().setFaults([{ kind: 'reset-after', after: 1 }]);
    const items = [...contacts(7), { phone: phoneAt(0), text: 'Hello 0' }, { phone: 'abc', text: 'Hello' }];
    const parameters = inTwos(withOptions(SEND_BULK, { parallelRequests: 1, duplicateMessages: 'sendOnce' }));
    expect(hints(await run({ items, parameters, onError: 'continueErrorOutput' }))).toEqual([
      {
        message:
          '5 sent, 1 not sent, 2 uncertain, 1 skipped as duplicates, 5 credits used, 99993 left, 4 requests. Execute step would send them again.',
        type: 'warning',
        location: 'outputPane',
      },
    ]);
  });

  test('tells after a re-run how much an earlier try had sent', async () => {
    sandbox().setFaults([{ kind: 'status', status: 403, after: 1 }]);
    const parameters = inTwos(withOptions(SEND_BULK, { parallelRequests: 1 }));
    const last = hints(await run({ items: contacts(6), parameters, retryOnFail: { maxTries: 2 } })).at(-1);
    expect(last?.message).toBe(
      '6 sent, of these 2 in an earlier try, 6 credits used, 99994 left, 2 requests. Execute step would send them again.',
    );
  });

  test('advises Send Bulk where Send took a request for each of many messages', async () => {
    const few = hints(await run({ items: contacts(9), parameters: SEND }));
    expect(few).toHaveLength(1);
    const many = hints(await run({ items: contacts(150), parameters: SEND }));
    expect(many[1]).toEqual({
      message:
        'Send took a request for each of 150 messages. Send Bulk would take 2 requests, and the service allows 60 a minute.',
      type: 'warning',
      location: 'outputPane',
    });
    expect(hints(await run({ items: contacts(150), parameters: SEND_BULK }))).toHaveLength(1);
  });

  test('says that the button sends again only where the button is at hand and something was sent', async () => {
    const production = hints(await run({ items: contacts(2), parameters: SEND_BULK, mode: 'trigger' }));
    expect(production[0]?.message).toBe('2 sent, 2 credits used, 99998 left, 1 request.');
    const planned = hints(await run({ items: contacts(2), parameters: withOptions(SEND_BULK, { dryRun: true }) }));
    expect(planned[0]?.message).toBe('2 would be sent, nothing was sent (dry run), 0 requests.');
  });

  test('holds no number, text or key', async () => {
    sandbox().setFaults([{ kind: 'status', status: 500, after: 1, message: `${phoneAt(1)} ${KEY}` }]);
    const said = JSON.stringify(
      hints(await run({ items: contacts(12), parameters: SEND, onError: 'continueRegularOutput' })),
    );
    expect(said).not.toMatch(/4477009\d{5}|Hello/);
    expect(said).not.toContain(KEY);
  });
});

test('a list takes the same options', async () => {
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
