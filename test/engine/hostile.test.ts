import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import type { Fault } from '../../sandbox/server';
import { KEY } from '../support/account';
import { contacts, phoneAt } from '../support/contacts';
import { type Execution, runRouting, runWorkflow, type Setup, stored } from '../support/engine/workflow';
import { SEND, SEND_BULK, SEND_LIST, withOptions } from '../support/parameters';
import { accountOf, sandboxForTests } from '../support/sandbox';

const sandbox = sandboxForTests();
const run = async (setup: Omit<Setup, 'account'>) => await runWorkflow({ account: accountOf(sandbox()), ...setup });
const received = () =>
  sandbox()
    .messages()
    .map(({ phone, message }) => [phone, message]);
const detailsOf = (json: IDataObject | undefined) => json?.details as IDataObject;
const both: Array<[string, INodeParameters]> = [
  ['Send', SEND],
  ['Send Bulk', SEND_BULK],
];
const everything = ({ run: { data } }: Execution) => JSON.stringify(stored(data));

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

describe.each(both)('%s', (_name, parameters) => {
  test('refuses every phone that is none, and sends all the others', async () => {
    const items = [...BAD_PHONES, ...GOOD_PHONES].map((phone, index) => ({
      phone,
      text: `Hello ${index}`,
    })) as IDataObject[];
    const { outputs } = await run({ items, parameters, onError: 'continueErrorOutput' });
    expect(received().map(([phone]) => phone)).toEqual(GOOD_PHONES.map(() => '447700900001'));
    expect(outputs[1]?.map(({ pairedItem }) => pairedItem)).toEqual(BAD_PHONES.map((_, item) => ({ item })));
    expect(new Set(outputs[1]?.map(({ json }) => detailsOf(json).code))).toEqual(new Set(['INVALID_PHONE']));
  });

  test('refuses every text that is none, and sends the others as they are', async () => {
    const bad = [null, undefined, '', ' \n\t ', {}, [], ['Hello'], { text: 'Hello' }];
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
      ['{{ 1 + 1 }}', '{{ 1 + 1 }}'],
      ['=1+1', '=1+1'],
      ['<script>alert(1)</script>', '<script>alert(1)</script>'],
      ['x'.repeat(1000), 'x'.repeat(1000)],
    ];
    const items = [...bad, ...good.map(([text]) => text)].map((text, index) => ({
      phone: phoneAt(index),
      text,
    })) as IDataObject[];
    const { outputs } = await run({ items, parameters, onError: 'continueErrorOutput' });
    expect(received().map(([, text]) => text)).toEqual(good.map(([, text]) => text));
    expect(outputs[1]).toHaveLength(bad.length);
  });

  test('sends half a character as it came, and tells such texts apart', async () => {
    const items = ['a\ud800', 'a\ud801', '\udc00b'].map((text) => ({ phone: phoneAt(0), text }));
    const { outputs } = await run({ items, parameters: withOptions(parameters, { duplicateMessages: 'sendOnce' }) });
    expect(outputs[0]?.map(({ json }) => json.status)).toEqual(['sent', 'sent', 'sent']);
    expect(received().map(([, text]) => text)).toEqual(items.map(({ text }) => text));
  });

  test('an expression that throws for one item costs no other its message', async () => {
    const throwing = {
      ...parameters,
      message:
        '={{ (() => { if ($json.bad) throw new Error("ECONNREFUSED <b>at</b> the wheel"); return $json.text; })() }}',
    };
    const items = contacts(4).map((contact, index) => ({ ...contact, bad: index === 2 }));
    for (const onError of ['continueRegularOutput', 'continueErrorOutput'] as const) {
      sandbox().reset();
      const { outputs } = await run({ items, parameters: throwing, onError });
      expect(received().map(([phone]) => phone)).toEqual([0, 1, 3].map(phoneAt));
      const failed = outputs.flat().filter(({ json }) => json.error !== undefined);
      expect(failed.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 2 }]);
    }
    sandbox().reset();
    const { error } = await run({ items, parameters: throwing });
    expect(error?.context.itemIndex).toBe(2);
    expect(received()).toEqual([]);
  });

  test('a text of 10 MB that the service does not take costs no other its message', async () => {
    const text = 'x'.repeat(10_000_000);
    const items = [...contacts(3), { phone: phoneAt(3), text }];
    const { outputs } = await run({ items, parameters, onError: 'continueErrorOutput' });
    expect(received().map(([phone]) => phone)).toEqual([0, 1, 2].map(phoneAt));
    expect(outputs[1]).toHaveLength(1);
    expect(detailsOf(outputs[1]?.[0]?.json).outcome).toBe('not_sent');
  });

  test('a text of 10 MB is cut where that is wanted', async () => {
    const items = [{ phone: phoneAt(0), text: 'x'.repeat(10_000_000) }];
    await run({ items, parameters: withOptions(parameters, { longMessages: 'truncate' }) });
    expect(received().map(([, text]) => text?.length)).toEqual([1000]);
  });
});

describe('a list', () => {
  test.each<[string, string]>([
    ['__proto__ as a key of an entry', '[{"__proto__":{"phone":"447700900001","message":"Hello"}}]'],
    ['constructor as a key of an entry', '[{"constructor":{"prototype":{"phone":"447700900001","message":"Hello"}}}]'],
    ['__proto__ around the list', '{"__proto__":{"messages":[{"phone":"447700900001","message":"Hello"}]}}'],
    ['null', 'null'],
    ['a number', '7'],
    ['a text', '"447700900001"'],
    ['lists in a list', '[[{"phone":"447700900001","message":"Hello"}]]'],
  ])('with %s sends nothing, and changes no object', async (_what, messages) => {
    for (const given of [messages, JSON.parse(messages) as unknown]) {
      const { outputs } = await run({
        items: [{ list: given } as IDataObject],
        parameters: SEND_LIST,
        onError: 'continueErrorOutput',
      });
      expect(received()).toEqual([]);
      expect(outputs[0]).toEqual([]);
      expect(outputs[1]).toHaveLength(1);
    }
    expect(({} as IDataObject).phone).toBeUndefined();
    expect(({} as IDataObject).messages).toBeUndefined();
  });

  test('with odd keys beside the right ones is sent without them', async () => {
    const entry =
      '{"phone":"447700900001","message":"Hello","__proto__":{"polluted":true},"constructor":7,"toString":"x","key":"y"}';
    await run({ items: [{ list: `[${entry}]` }], parameters: SEND_LIST });
    expect(received()).toEqual([['447700900001', 'Hello']]);
    expect(({} as IDataObject).polluted).toBeUndefined();
  });

  test('that is empty gives no item, and no request', async () => {
    const { outputs, error } = await run({ items: [{ list: [] }], parameters: SEND_LIST });
    expect(error).toBeUndefined();
    expect(outputs[0] ?? []).toEqual([]);
    expect(sandbox().requests()).toEqual([]);
  });

  test('of 5,000 entries of nonsense has an item for each', async () => {
    const list = Array.from({ length: 5_000 }, (_, index) => [null, 7, 'x', [], {}][index % 5]);
    const { outputs } = await run({
      items: [{ list } as IDataObject],
      parameters: SEND_LIST,
      onError: 'continueErrorOutput',
    });
    expect(outputs[1]).toHaveLength(5_000);
    expect(received()).toEqual([]);
  });
});

describe('what the service says', () => {
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

  test.each(WORDS)('with the word %s in it does not take the place of the error', async (word) => {
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

  test('is shown without markup, in errors as in items', async () => {
    const fault: Fault = {
      kind: 'status',
      status: 422,
      message: MARKUP,
      details: { 'messages.0.phone': [MARKUP], [MARKUP]: MARKUP },
    };
    for (const onError of [undefined, 'continueErrorOutput'] satisfies Array<INode['onError']>) {
      sandbox().setFaults([fault, fault, fault]);
      const ran = await run({ items: contacts(1), parameters: SEND_BULK, ...(onError && { onError }) });
      expect(everything(ran)).not.toMatch(/<img|<a href/);
      expect(everything(ran)).toContain('&lt;img');
    }
  });

  test('about a number is shown without the number', async () => {
    sandbox().setFaults([
      { kind: 'status', status: 422, message: `+${phoneAt(0)} is wrong`, details: `${phoneAt(0)} is wrong` },
    ]);
    const { error } = await run({ items: contacts(1), parameters: SEND });
    expect(`${error?.message} ${error?.description}`).not.toContain(phoneAt(0).slice(0, -2));
  });

  test.each<[string, unknown]>([
    ['deep', JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`)],
    ['wide', Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`messages.${index}.phone`, 'x']))],
    ['about __proto__', JSON.parse('{"__proto__":{"0":{"phone":"x"}},"constructor":"x"}')],
    [
      'about a message that is not there',
      { 'messages.999999.phone': 'x', 'messages.-1.phone': 'x', 'messages.1e3.phone': 'x' },
    ],
    ['text of 500 kB', 'messages.0.phone '.repeat(30_000)],
  ])('in details that are %s does no harm', async (_what, details) => {
    sandbox().setFaults([{ kind: 'status', status: 422, on: 'bulk', details: details as string }]);
    const { outputs } = await run({ items: contacts(5), parameters: SEND_BULK, onError: 'continueErrorOutput' });
    expect((outputs[0]?.length ?? 0) + (outputs[1]?.length ?? 0)).toBe(5);
    expect(received()).toHaveLength(outputs[0]?.length ?? 0);
    expect(JSON.stringify(outputs).length).toBeLessThan(50_000);
  });

  test.each<[string, string]>([
    ['entries that are no objects', '{"success":true,"data":{"messages":[null,7,"x",[]]}}'],
    [
      'a thousand entries too many',
      JSON.stringify({
        success: true,
        data: {
          messages: Array.from({ length: 1_000 }, (_, index) => ({ message_id: index, phone: '1', status: 'sent' })),
        },
      }),
    ],
    ['numbers for an object', '{"success":true,"data":7}'],
    ['__proto__', '{"success":true,"data":{"__proto__":{"messages":[]}},"__proto__":{"success":true}}'],
    ['200 levels', `{"success":true,"data":{"messages":${'['.repeat(200)}${']'.repeat(200)}}}`],
  ])('in an answer with %s makes every message uncertain', async (_what, body) => {
    sandbox().setFaults([{ kind: 'body', status: 201, body, handled: true }]);
    const { outputs } = await run({ items: contacts(3), parameters: SEND_BULK, onError: 'continueErrorOutput' });
    expect(outputs[0]).toEqual([]);
    expect(outputs[1]?.map(({ json }) => detailsOf(json).outcome)).toEqual(['uncertain', 'uncertain', 'uncertain']);
  });

  test('to Send without an id of the message is no proof that it went out', async () => {
    sandbox().setFaults([{ kind: 'body', status: 201, body: '{"success":true,"data":{}}' }]);
    const { outputs } = await run({ items: contacts(1), parameters: SEND, onError: 'continueErrorOutput' });
    expect(detailsOf(outputs[1]?.[0]?.json)?.outcome).toBe('uncertain');
  });

  test('does not lose digits of a large id', async () => {
    const body = JSON.stringify({
      success: true,
      data: { messages_sent: 1, messages: [{ message_id: 'ID', phone: phoneAt(0), status: 'sent' }] },
    }).replace('"ID"', '12345678901234567890');
    sandbox().setFaults([{ kind: 'body', status: 201, body }]);
    const { outputs } = await run({ items: contacts(1), parameters: SEND_BULK });
    expect(outputs[0]?.[0]?.json.message_id).toBe('12345678901234567890');
  });
});

describe('the key', () => {
  const leaks: Fault[] = [
    { kind: 'status', status: 401, message: `Bearer ${KEY} is wrong`, error: { key: KEY, [KEY]: 1 } },
    { kind: 'status', status: 422, message: KEY, details: [{ field: KEY, message: KEY }] },
    { kind: 'status', status: 422, message: KEY, details: { [`messages.0.${KEY}`]: `Bearer ${KEY}` } },
    { kind: 'status', status: 402, code: KEY, message: KEY, error: { required_credits: 1, available_credits: 0 } },
    { kind: 'status', status: 429, message: KEY, retryAfter: KEY },
    { kind: 'status', status: 500, code: KEY, message: KEY },
    { kind: 'html', status: 502 },
    { kind: 'body', status: 200, body: `<html>${KEY}</html>`, contentType: 'text/html' },
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
    { kind: 'redirect', location: `http://127.0.0.1:1/${KEY}?key=${KEY}` },
    { kind: 'redirect', location: `http://${KEY}.example/` },
    { kind: 'reset-before' },
    { kind: 'reset-after' },
    { kind: 'half-body' },
  ];

  test.each(leaks.map((fault, index) => [`${index}: ${fault.kind}`, fault] as const))(
    'is nowhere in what n8n stores, whatever the service repeats (%s)',
    async (_what, fault) => {
      for (const [, parameters] of both) {
        for (const onError of ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const) {
          for (const output of ['messages', 'batches']) {
            sandbox().setFaults([fault, fault]);
            const ran = await run({ items: contacts(2), parameters: withOptions(parameters, { output }), onError });
            expect(everything(ran)).not.toContain(KEY);
          }
        }
      }
    },
  );

  test.each([
    ['nothing listens at the address', 'http://127.0.0.1:9/v1'],
    ['the address is none', 'http://[/v1'],
    ['the service speaks no https', 'https'],
  ])('is nowhere in what n8n stores when %s', async (_what, address) => {
    const baseUrl = address === 'https' ? `${sandbox().url.replace('http', 'https')}/v1` : address;
    const ran = await runWorkflow({ account: { baseUrl, apiKey: KEY }, items: contacts(1), parameters: SEND });
    expect(ran.error).toBeDefined();
    expect(everything(ran)).not.toContain(KEY);
  });

  test('is not in an error of a call that does not go through the engine', async () => {
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
