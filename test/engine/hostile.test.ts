import type { IDataObject, INode } from 'n8n-workflow';

import type { Fault } from '../../sandbox/server';
import { KEY } from '../support/account';
import { contacts, phoneAt } from '../support/contacts';
import { type Execution, runRouting, runWorkflow, type Setup, stored } from '../support/engine/workflow';
import { detailsOf } from '../support/outputs';
import { SEND, SEND_BULK, SEND_LIST, SENDING_OPERATIONS, withOptions } from '../support/parameters';
import { accountOf, receivedContacts, receivedPhones, receivedTexts, sandboxForTests } from '../support/sandbox';

const sandbox = sandboxForTests();
const run = async (setup: Omit<Setup, 'account'>) => await runWorkflow({ account: accountOf(sandbox()), ...setup });
/** Everything that n8n stores of an execution. */
const everythingIn = ({ run: { data } }: Execution) => JSON.stringify(stored(data));

const BAD_PHONES: unknown[] = [
  null,
  undefined,
  '',
  ' ',
  true,
  false,
  [],
  ['447700900001'],
  {},
  { phone: '447700900001' },
  -1,
  0,
  1.5,
  1e21,
  4.477009e11 + 0.5,
  '4.47E+11',
  '0',
  '00',
  '+',
  '++',
  '()',
  '07700900001',
  '123456',
  '1234567890123456',
  'x'.repeat(100_000),
  '4'.repeat(100_000),
  '447700900001,447700900002',
  '447700900001;447700900002',
  '447700900001\u0000',
  '٤٤٧٧٠٠٩٠٠٠٠١',
  '４４７７００９００００１',
  '\ud83d',
  '44770090000\ud83d\ude00',
  '__proto__',
  'constructor',
  'toString',
  '<b>447700900001</b>',
  '${7*7}',
  '{{ 1 }}',
  "'; DROP TABLE",
  '../../etc/passwd',
];
const GOOD_PHONES: unknown[] = [
  '447700900001',
  447700900001,
  '+447700900001',
  '00447700900001',
  ' 447700900001 ',
  '+44 (0)7700-900.001',
  '\u202a+447700900001\u202c',
  '447700900001.0',
  '\ufeff447700900001',
  '+44\u00a07700\u2011900001',
];

describe.each(SENDING_OPERATIONS)('%s', (_name, parameters) => {
  test('refuses every phone number that is not one, and sends the others', async () => {
    const items = [...BAD_PHONES, ...GOOD_PHONES].map((phone, index) => ({
      phone,
      text: `Hello ${index}`,
    })) as IDataObject[];
    const { outputs } = await run({ items, parameters, onError: 'continueErrorOutput' });
    expect(receivedPhones(sandbox())).toEqual(GOOD_PHONES.map(() => '447700900001'));
    expect(outputs[1]?.map(({ pairedItem }) => pairedItem)).toEqual(BAD_PHONES.map((_, item) => ({ item })));
    expect(new Set(outputs[1]?.map((item) => detailsOf(item).code))).toEqual(new Set(['INVALID_PHONE']));
  });

  test('refuses every text that is empty or not a text, and sends the others unchanged', async () => {
    const bad = [
      null,
      undefined,
      '',
      ' \n\t ',
      {},
      [],
      ['Hello'],
      { text: 'Hello' },
      '{{ 1 + 1 }}',
      'To [object Object]',
    ];
    const good: Array<[unknown, string]> = [
      [0, '0'],
      [7.5, '7.5'],
      [true, 'true'],
      [false, 'false'],
      ['null', 'null'],
      ['__proto__', '__proto__'],
      ['\u0000\u0001', '\u0000\u0001'],
      ['\r\n"\\/\u2028\u2029', '\r\n"\\/\u2028\u2029'],
      ['\u{1f468}\u200d\u{1f469}\u200d\u{1f467}', '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}'],
      ['مرحبا שלום', 'مرحبا שלום'],
      ['{{ 1 + 1', '{{ 1 + 1'],
      ['=1+1', '=1+1'],
      ['<script>alert(1)</script>', '<script>alert(1)</script>'],
      ['x'.repeat(1000), 'x'.repeat(1000)],
    ];
    const items = [...bad, ...good.map(([text]) => text)].map((text, index) => ({
      phone: phoneAt(index),
      text,
    })) as IDataObject[];
    const { outputs } = await run({ items, parameters, onError: 'continueErrorOutput' });
    expect(receivedTexts(sandbox())).toEqual(good.map(([, text]) => text));
    expect(outputs[1]).toHaveLength(bad.length);
  });

  test('sends half of a surrogate pair unchanged, and does not take different halves for duplicates', async () => {
    const items = ['a\ud800', 'a\ud801', '\udc00b'].map((text) => ({ phone: phoneAt(0), text }));
    const { outputs } = await run({ items, parameters: withOptions(parameters, { duplicateMessages: 'sendOnce' }) });
    expect(outputs[0]?.map(({ json }) => json.status)).toEqual(['sent', 'sent', 'sent']);
    expect(receivedTexts(sandbox())).toEqual(items.map(({ text }) => text));
  });

  test('sends the other items if an expression throws for one', async () => {
    const throwing = {
      ...parameters,
      message:
        '={{ (() => { if ($json.bad) throw new Error("ECONNREFUSED <b>at</b> the wheel"); return $json.text; })() }}',
    };
    const items = contacts(4).map((contact, index) => ({ ...contact, bad: index === 2 }));
    for (const onError of ['continueRegularOutput', 'continueErrorOutput'] as const) {
      sandbox().reset();
      const { outputs } = await run({ items, parameters: throwing, onError });
      expect(receivedPhones(sandbox())).toEqual([0, 1, 3].map(phoneAt));
      const failed = outputs.flat().filter(({ json }) => json.error !== undefined);
      expect(failed.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 2 }]);
    }
    sandbox().reset();
    const { error } = await run({ items, parameters: throwing });
    expect(error?.context.itemIndex).toBe(2);
    expect(receivedPhones(sandbox())).toEqual([]);
  });

  test('sends the other items if the service does not accept a text of 10 MB', async () => {
    const text = 'x'.repeat(10_000_000);
    const items = [...contacts(3), { phone: phoneAt(3), text }];
    const { outputs } = await run({ items, parameters, onError: 'continueErrorOutput' });
    expect(receivedPhones(sandbox())).toEqual([0, 1, 2].map(phoneAt));
    expect(outputs[1]).toHaveLength(1);
    expect(detailsOf(outputs[1]?.[0]).outcome).toBe('not_sent');
  });

  test("shortens a text of 10 MB with 'Truncate'", async () => {
    const items = [{ phone: phoneAt(0), text: 'x'.repeat(10_000_000) }];
    await run({ items, parameters: withOptions(parameters, { longMessages: 'truncate' }) });
    expect(receivedTexts(sandbox()).map((received) => received.length)).toEqual([1000]);
  });
});

describe('Send Bulk from a list', () => {
  test.each<[string, string]>([
    ['an entry with its fields in __proto__', '[{"__proto__":{"phone":"447700900001","message":"Hello"}}]'],
    [
      'an entry with its fields in constructor',
      '[{"constructor":{"prototype":{"phone":"447700900001","message":"Hello"}}}]',
    ],
    ['a list in __proto__', '{"__proto__":{"messages":[{"phone":"447700900001","message":"Hello"}]}}'],
    ['null', 'null'],
    ['a number', '7'],
    ['a text', '"447700900001"'],
    ['a list in a list', '[[{"phone":"447700900001","message":"Hello"}]]'],
  ])('sends nothing for %s, and changes no prototype', async (_what, messages) => {
    for (const given of [messages, JSON.parse(messages) as unknown]) {
      const { outputs } = await run({
        items: [{ list: given } as IDataObject],
        parameters: SEND_LIST,
        onError: 'continueErrorOutput',
      });
      expect(receivedPhones(sandbox())).toEqual([]);
      expect(outputs[0]).toEqual([]);
      expect(outputs[1]).toHaveLength(1);
    }
    expect(({} as IDataObject).phone).toBeUndefined();
    expect(({} as IDataObject).messages).toBeUndefined();
  });

  test('ignores the other keys of an entry, whatever their names', async () => {
    const entry =
      '{"phone":"447700900001","message":"Hello","__proto__":{"polluted":true},"constructor":7,"toString":"x","key":"y"}';
    await run({ items: [{ list: `[${entry}]` }], parameters: SEND_LIST });
    expect(receivedContacts(sandbox())).toEqual([{ phone: '447700900001', text: 'Hello' }]);
    expect(({} as IDataObject).polluted).toBeUndefined();
  });

  test('makes no request and returns no item for an empty list', async () => {
    const { outputs, error } = await run({ items: [{ list: [] }], parameters: SEND_LIST });
    expect(error).toBeUndefined();
    expect(outputs[0] ?? []).toEqual([]);
    expect(sandbox().requests()).toEqual([]);
  });

  test('returns an item for each of 5,000 invalid entries', async () => {
    const list = Array.from({ length: 5_000 }, (_, index) => [null, 7, 'x', [], {}][index % 5]);
    const { outputs } = await run({
      items: [{ list } as IDataObject],
      parameters: SEND_LIST,
      onError: 'continueErrorOutput',
    });
    expect(outputs[1]).toHaveLength(5_000);
    expect(receivedPhones(sandbox())).toEqual([]);
  });
});

describe('Text from the service', () => {
  const WORDS = [
    'ECONNREFUSED',
    'ECONNRESET',
    'ENOTFOUND',
    'ETIMEDOUT',
    'ERRADDRINUSE',
    'EADDRNOTAVAIL',
    'ECONNABORTED',
    'EHOSTUNREACH',
    'EAI_AGAIN',
    'ENOENT',
    'EISDIR',
    'ENOTDIR',
    'EACCES',
    'EEXIST',
    'EPERM',
    'GETADDRINFO',
  ];
  const MARKUP = '<img src=x onerror=alert(1)>&"\'<a href="javascript:alert(1)">x</a>';

  test.each(WORDS)('with the word %s in it does not replace the error', async (word) => {
    const faults: Fault[] = [
      { kind: 'status', status: 422, message: word, details: [{ field: 'phone', message: word }] },
      { kind: 'status', status: 400, code: word, message: word },
      { kind: 'status', status: 500, message: word },
    ];
    for (const fault of faults) {
      sandbox().setFaults([fault]);
      const { error } = await run({ items: contacts(1), parameters: SEND });
      expect(error?.message).toMatch(/^The service/);
      expect(error?.description).toContain(word);
    }
  });

  test('is shown without markup, in errors and in items', async () => {
    const fault: Fault = {
      kind: 'status',
      status: 422,
      message: MARKUP,
      details: { 'messages.0.phone': [MARKUP], [MARKUP]: MARKUP },
    };
    for (const onError of [undefined, 'continueErrorOutput'] satisfies Array<INode['onError']>) {
      sandbox().setFaults([fault, fault, fault]);
      const ran = await run({ items: contacts(1), parameters: SEND_BULK, ...(onError && { onError }) });
      expect(everythingIn(ran)).not.toMatch(/<img|<a href/);
      expect(everythingIn(ran)).toContain('&lt;img');
    }
  });

  test('about a phone number is shown without the number', async () => {
    sandbox().setFaults([
      { kind: 'status', status: 422, message: `+${phoneAt(0)} is wrong`, details: `${phoneAt(0)} is wrong` },
    ]);
    const { error } = await run({ items: contacts(1), parameters: SEND });
    expect(`${error?.message} ${error?.description}`).not.toContain(phoneAt(0).slice(0, -2));
  });

  test.each<[string, unknown]>([
    ['nested 500 levels deep', JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`)],
    [
      '5,000 fields wide',
      Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`messages.${index}.phone`, 'x'])),
    ],
    ['keyed by __proto__', JSON.parse('{"__proto__":{"0":{"phone":"x"}},"constructor":"x"}')],
    [
      'about messages that do not exist',
      { 'messages.999999.phone': 'x', 'messages.-1.phone': 'x', 'messages.1e3.phone': 'x' },
    ],
    ['500 kB of text', 'messages.0.phone '.repeat(30_000)],
  ])('in details that are %s is read without harm', async (_what, details) => {
    sandbox().setFaults([{ kind: 'status', status: 422, on: 'bulk', details: details as string }]);
    const { outputs } = await run({ items: contacts(5), parameters: SEND_BULK, onError: 'continueErrorOutput' });
    expect((outputs[0]?.length ?? 0) + (outputs[1]?.length ?? 0)).toBe(5);
    expect(receivedPhones(sandbox())).toHaveLength(outputs[0]?.length ?? 0);
    expect(JSON.stringify(outputs).length).toBeLessThan(50_000);
  });
});

describe('An answer', () => {
  test.each<[string, string]>([
    ['entries that are not objects', '{"success":true,"data":{"messages":[null,7,"x",[]]}}'],
    [
      'a thousand unexpected entries',
      JSON.stringify({
        success: true,
        data: {
          messages: Array.from({ length: 1_000 }, (_, index) => ({ message_id: index, phone: '1', status: 'sent' })),
        },
      }),
    ],
    ['a number in place of its data', '{"success":true,"data":7}'],
    ['__proto__ as a key', '{"success":true,"data":{"__proto__":{"messages":[]}},"__proto__":{"success":true}}'],
    ['lists nested 200 levels deep', `{"success":true,"data":{"messages":${'['.repeat(200)}${']'.repeat(200)}}}`],
  ])('with %s makes every message uncertain', async (_what, body) => {
    sandbox().setFaults([{ kind: 'body', status: 201, body, handled: true }]);
    const { outputs } = await run({ items: contacts(3), parameters: SEND_BULK, onError: 'continueErrorOutput' });
    expect(outputs[0]).toEqual([]);
    expect(outputs[1]?.map((item) => detailsOf(item).outcome)).toEqual(['uncertain', 'uncertain', 'uncertain']);
  });

  test.each<[string, Omit<Extract<Fault, { kind: 'body' }>, 'kind'>]>([
    ['as a text', { status: 200, body: '{"success":false,"error":"Internal Server Error"}' }],
    ['in the message of its error', { status: 200, body: '{"success":false,"error":{"message":"Request timed out"}}' }],
    ['by a number', { status: 200, body: '{"success":false,"error":{"code":503,"message":"Not now"}}' }],
    ['with the status 400', { status: 400, body: '{"message":"upstream timeout"}' }],
    [
      'with the status 400, in plain text',
      { status: 400, body: 'upstream request timeout', contentType: 'text/plain' },
    ],
    ['with the status 409', { status: 409, body: '{"success":false,"error":{"type":"GatewayTimeout"}}' }],
  ])('that says %s that the service failed is not followed by another request', async (_where, answer) => {
    sandbox().setFaults([{ kind: 'body', ...answer, handled: true, on: 'bulk', probability: 1 }]);
    const { outputs } = await run({ items: contacts(3), parameters: SEND_BULK, onError: 'continueErrorOutput' });
    expect(receivedPhones(sandbox())).toEqual([0, 1, 2].map(phoneAt));
    expect(outputs[0]).toEqual([]);
    expect(outputs[1]?.map((item) => detailsOf(item).outcome)).toEqual(['uncertain', 'uncertain', 'uncertain']);
  });

  test('to Send without a message_id leaves the message uncertain', async () => {
    sandbox().setFaults([{ kind: 'body', status: 201, body: '{"success":true,"data":{}}' }]);
    const { outputs } = await run({ items: contacts(1), parameters: SEND, onError: 'continueErrorOutput' });
    expect(detailsOf(outputs[1]?.[0]).outcome).toBe('uncertain');
  });

  test('with a large message_id keeps all its digits', async () => {
    const body = JSON.stringify({
      success: true,
      data: { messages_sent: 1, messages: [{ message_id: 'ID', phone: phoneAt(0), status: 'sent' }] },
    }).replace('"ID"', '12345678901234567890');
    sandbox().setFaults([{ kind: 'body', status: 201, body }]);
    const { outputs } = await run({ items: contacts(1), parameters: SEND_BULK });
    expect(outputs[0]?.[0]?.json.message_id).toBe('12345678901234567890');
  });
});

describe('The API key', () => {
  const leaks: Array<[string, Fault]> = [
    [
      'a 401 with the key in its error',
      { kind: 'status', status: 401, message: `Bearer ${KEY} is wrong`, error: { key: KEY, [KEY]: 1 } },
    ],
    [
      'a 422 with the key in a list of details',
      { kind: 'status', status: 422, message: KEY, details: [{ field: KEY, message: KEY }] },
    ],
    [
      'a 422 with the key in a path of its details',
      { kind: 'status', status: 422, message: KEY, details: { [`messages.0.${KEY}`]: `Bearer ${KEY}` } },
    ],
    [
      'a 402 with the key as its code',
      { kind: 'status', status: 402, code: KEY, message: KEY, error: { required_credits: 1, available_credits: 0 } },
    ],
    ['a 429 with the key as Retry-After', { kind: 'status', status: 429, message: KEY, retryAfter: KEY }],
    ['a 500 with the key as its code', { kind: 'status', status: 500, code: KEY, message: KEY }],
    ['an HTML page', { kind: 'html', status: 502 }],
    ['an HTML page with the key', { kind: 'body', status: 200, body: `<html>${KEY}</html>`, contentType: 'text/html' }],
    [
      'a 201 with the key in every field',
      {
        kind: 'body',
        status: 201,
        body: JSON.stringify({
          success: true,
          data: {
            message_id: KEY,
            status: KEY,
            sent_at: KEY,
            messages: [{ message_id: 1, phone: phoneAt(0), status: KEY }],
            [KEY]: KEY,
          },
        }),
      },
    ],
    ['a redirect to a path with the key', { kind: 'redirect', location: `http://127.0.0.1:1/${KEY}?key=${KEY}` }],
    ['a redirect to a host with the key', { kind: 'redirect', location: `http://${KEY}.example/` }],
    ['a connection lost before the request was handled', { kind: 'reset-before' }],
    ['a connection lost after the request was handled', { kind: 'reset-after' }],
    ['half an answer', { kind: 'half-body' }],
  ];

  test.each(leaks)('is nowhere in what n8n stores after %s', async (_what, fault) => {
    for (const [, parameters] of SENDING_OPERATIONS) {
      for (const onError of ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const) {
        for (const output of ['messages', 'batches']) {
          sandbox().setFaults([fault, fault]);
          const ran = await run({ items: contacts(2), parameters: withOptions(parameters, { output }), onError });
          expect(everythingIn(ran)).not.toContain(KEY);
        }
      }
    }
  });

  test.each([
    ['nothing listens at the address', 'http://127.0.0.1:9/v1'],
    ['the Base URL is not an address', 'http://[/v1'],
    ['the service does not speak https', 'https'],
  ])('is nowhere in what n8n stores when %s', async (_what, address) => {
    const baseUrl = address === 'https' ? `${sandbox().url.replace('http', 'https')}/v1` : address;
    const ran = await runWorkflow({ account: { baseUrl, apiKey: KEY }, items: contacts(1), parameters: SEND });
    expect(ran.error).toBeDefined();
    expect(everythingIn(ran)).not.toContain(KEY);
  });

  test('is not in the error of a call through the routing', async () => {
    sandbox().setFaults([{ kind: 'status', status: 401, message: KEY }, { kind: 'reset-after' }]);
    for (let call = 0; call < 2; call += 1) {
      const error: unknown = await runRouting({
        account: accountOf(sandbox()),
        items: contacts(1),
        parameters: SEND,
      }).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(Error);
      expect(JSON.stringify(error) + String((error as Error).stack)).not.toContain(KEY);
    }
  });
});
