/** Items and answers that no one would expect. Their details are in the tests of `phone/`, `delivery/` and `api/`. */
import type { IDataObject } from 'n8n-workflow';

import type { Fault } from '../../sandbox/server';
import { KEY } from '../support/account';
import { contacts, phoneAt, phones } from '../support/contacts';
import { nodeForTests } from '../support/engine/nodeForTests';
import { type Execution, stored } from '../support/engine/workflow';
import { detailsOf } from '../support/outputs';
import { SEND, SEND_BULK, SEND_LIST, SENDING_OPERATIONS, withOptions } from '../support/parameters';

const { sandbox, run, received, requests, texts, contactsReceived } = nodeForTests();
const CONTINUE = { onError: 'continueErrorOutput' } as const;
/** Everything that n8n stores of an execution. */
const everythingIn = ({ run: { data } }: Execution) => JSON.stringify(stored(data));
const UNCERTAIN = ['uncertain', 'uncertain', 'uncertain'];

/** Of each kind that n8n can hand over. */
const BAD_PHONES: unknown[] = [
  ...[null, undefined, true, false, [], ['447700900001'], {}, { phone: '447700900001' }],
  ...[-1, 0, 1.5, 1e21, 4.477009e11 + 0.5],
  ...['', ' ', '0', '+', '4.47E+11', '07700900001', '123456', '1234567890123456', 'x'.repeat(100_000)],
  ...['447700900001,447700900002', '447700900001\u0000', '٤٤٧٧٠٠٩٠٠٠٠١', '\ud83d', '__proto__', 'toString'],
  ...['<b>447700900001</b>', '{{ 1 }}', '${7*7}'],
];
const GOOD_PHONES: unknown[] = [
  ...['447700900001', 447700900001, '+447700900001', '00447700900001', ' 447700900001 ', '+44 (0)7700-900.001'],
  ...['(44) 7700/900.001', '\u202a+447700900001\u202c', '447700900001.0', '\ufeff447700900001'],
  '+44\u00a07700\u2011900001',
];

const BAD_TEXTS: unknown[] = [
  ...[null, undefined, '', ' \n\t ', {}, [], ['Hello'], { text: 'Hello' }],
  ...['{{ 1 + 1 }}', 'To [object Object]', '\u0000\u0001\u00ad\ufe0f', '\ud83d'],
];
const GOOD_TEXTS: Array<string | number | boolean> = [
  ...[0, 7.5, true, false, 'null', '__proto__', 'a\u0001\u000b', '\r\n"\\/\u2028\u2029', 'مرحبا שלום'],
  ...['Line 1\nLine 2 “quoted” <b>&amp;</b> 👋🏽 \\', '{{ 1 + 1', '=1+1', '<script>alert(1)</script>'],
  '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}',
  'x'.repeat(1000),
];

describe.each(SENDING_OPERATIONS)('%s', (_name, parameters) => {
  test('refuses every phone number that is not one, and sends the others', async () => {
    const items = [...BAD_PHONES, ...GOOD_PHONES].map((phone, index) => ({ phone, text: `Hello ${index}` }));
    const { outputs } = await run({ items: items as IDataObject[], parameters, ...CONTINUE });
    expect(received()).toEqual(GOOD_PHONES.map(() => '447700900001'));
    expect(outputs[1]?.map(({ pairedItem }) => pairedItem)).toEqual(BAD_PHONES.map((_, item) => ({ item })));
    expect(new Set(outputs[1]?.map((item) => detailsOf(item).code))).toEqual(new Set(['INVALID_PHONE']));
  });

  test('refuses every text that is empty or not a text, and sends the others unchanged', async () => {
    const items = [...BAD_TEXTS, ...GOOD_TEXTS].map((text, index) => ({ phone: phoneAt(index), text }));
    const { outputs } = await run({ items: items as IDataObject[], parameters, ...CONTINUE });
    expect(texts()).toEqual(GOOD_TEXTS.map(String));
    expect(outputs[1]).toHaveLength(BAD_TEXTS.length);
  });

  test.each([
    ['half an emoji', 'Hello 3\ud83d', '\ud83d', 400],
    ['a null character', 'Hello\0 3', '\0', 500],
  ])('leaves %s out of a text, for which a service can refuse its whole batch', async (_what, text, part, status) => {
    // As a service in PHP does, or one with PostgreSQL.
    sandbox().setFaults([{ kind: 'status', status, text: part, probability: 1 }]);
    const items = contacts(5).map((contact, index) => (index === 3 ? { ...contact, text } : contact));
    const { outputs } = await run({ items, parameters });
    expect(outputs[0]?.map(({ json }) => json.status)).toEqual(Array(5).fill('sent'));
    expect(contactsReceived()).toEqual(contacts(5));
    expect(requests().map((request) => request.status)).toEqual(Array(parameters === SEND ? 5 : 1).fill(201));
  });

  test('does not take messages for duplicates whose keys end in different halves of emojis', async () => {
    const items = ['a\ud800', 'a\ud801', 'a\ufffd', 'a\ud800'].map((key) => ({ ...contacts(1)[0], key }));
    const options = { duplicateMessages: 'sendOnce', messageKey: '={{ $json.key }}' };
    await run({ items, parameters: withOptions(parameters, options) });
    expect(received()).toEqual(phones(0, 0, 0));
  });

  test('sends the other items if an expression throws for one', async () => {
    // An error that an expression throws itself is no error in n8n: it gives nothing.
    const message = '={{ $json.bad ? $("No such node").first().json.text : $json.text }}';
    const setup = {
      items: contacts(4).map((contact, index) => ({ ...contact, bad: index === 2 })),
      parameters: { ...parameters, message },
    };
    for (const onError of ['continueRegularOutput', 'continueErrorOutput'] as const) {
      sandbox().reset();
      const { outputs } = await run({ ...setup, onError });
      expect(received()).toEqual(phones(0, 1, 3));
      const failed = outputs.flat().filter(({ json }) => json.error !== undefined);
      expect(failed.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 2 }]);
      expect(failed[0]?.json.error).toMatch(/^An expression can't be evaluated/);
    }
    sandbox().reset();
    expect((await run(setup)).error?.context.itemIndex).toBe(2);
    expect(received()).toEqual([]);
  });

  test('sends the other items if the service does not accept a text of 10 MB', async () => {
    const items = [...contacts(3), { phone: phoneAt(3), text: 'x'.repeat(10_000_000) }];
    const { outputs } = await run({ items, parameters, ...CONTINUE });
    expect(received()).toEqual(phones(0, 1, 2));
    expect(outputs[1]?.map((item) => detailsOf(item).outcome)).toEqual(['not_sent']);
  });
});

describe('Send Bulk from a list', () => {
  const ENTRY = '{"phone":"447700900001","message":"Hello"}';

  test.each<[string, string]>([
    ['an entry with its fields in __proto__', `[{"__proto__":${ENTRY}}]`],
    ['an entry with its fields in constructor', `[{"constructor":{"prototype":${ENTRY}}}]`],
    ['a list in __proto__', `{"__proto__":{"messages":[${ENTRY}]}}`],
    ['null', 'null'],
    ['a number', '7'],
    ['a text', '"447700900001"'],
    ['a list in a list', `[[${ENTRY}]]`],
  ])('sends nothing for %s, and changes no prototype', async (_what, messages) => {
    for (const list of [messages, JSON.parse(messages) as IDataObject]) {
      const { outputs } = await run({ items: [{ list }], parameters: SEND_LIST, ...CONTINUE });
      expect(received()).toEqual([]);
      expect(outputs.map(({ length }) => length)).toEqual([0, 1]);
    }
    expect(({} as IDataObject).phone).toBeUndefined();
    expect(({} as IDataObject).messages).toBeUndefined();
  });

  test('ignores the other keys of an entry, whatever their names', async () => {
    const others = '"__proto__":{"polluted":true},"constructor":7,"toString":"x","key":"y"}';
    await run({ items: [{ list: `[${ENTRY.replace('}', `,${others}`)}]` }], parameters: SEND_LIST });
    expect(contactsReceived()).toEqual([{ phone: '447700900001', text: 'Hello' }]);
    expect(({} as IDataObject).polluted).toBeUndefined();
  });

  test('returns an item for each of 5,000 invalid entries', async () => {
    const list = Array.from({ length: 5_000 }, (_, index) => [null, 7, 'x', [], {}][index % 5]);
    const { outputs } = await run({ items: [{ list } as IDataObject], parameters: SEND_LIST, ...CONTINUE });
    expect(outputs[1]).toHaveLength(5_000);
    expect(received()).toEqual([]);
  });
});

describe('An answer', () => {
  test.each<[string, string]>([
    ['entries that are not objects', '{"success":true,"data":{"messages":[null,7,"x",[]]}}'],
    ['a number in place of its data', '{"success":true,"data":7}'],
    ['__proto__ as a key', '{"success":true,"data":{"__proto__":{"messages":[]}},"__proto__":{"success":true}}'],
    ['lists nested 200 levels deep', `{"success":true,"data":{"messages":${'['.repeat(200)}${']'.repeat(200)}}}`],
    ['success: false and a failure of the service as a text', '{"success":false,"error":"Internal Server Error"}'],
  ])('with %s makes every message uncertain, and is not followed by another request', async (_what, body) => {
    sandbox().setFaults([{ kind: 'body', status: 200, body, handled: true, on: 'bulk', probability: 1 }]);
    const { outputs } = await run({ items: contacts(3), parameters: SEND_BULK, ...CONTINUE });
    expect(received()).toEqual(phones(0, 1, 2));
    expect(outputs[0]).toEqual([]);
    expect(outputs[1]?.map((item) => detailsOf(item).outcome)).toEqual(UNCERTAIN);
  });

  test('with a large message_id keeps all its digits', async () => {
    const messages = [{ message_id: 'ID', phone: phoneAt(0), status: 'sent' }];
    const body = JSON.stringify({ success: true, data: { messages_sent: 1, messages } });
    sandbox().setFaults([{ kind: 'body', status: 201, body: body.replace('"ID"', '12345678901234567890') }]);
    const { outputs } = await run({ items: contacts(1), parameters: SEND_BULK });
    expect(outputs[0]?.[0]?.json.message_id).toBe('12345678901234567890');
  });

  test.each<[string, unknown]>([
    ['nested 500 levels deep', JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`)],
    ['about messages that do not exist', { 'messages.999999.phone': 'x', 'messages.-1.phone': 'x' }],
    ['500 kB of text', 'messages.0.phone '.repeat(30_000)],
  ])('in details that are %s is read without harm', async (_what, details) => {
    sandbox().setFaults([{ kind: 'status', status: 422, on: 'bulk', details: details as string }]);
    const { outputs } = await run({ items: contacts(5), parameters: SEND_BULK, ...CONTINUE });
    expect(outputs.flat()).toHaveLength(5);
    expect(received()).toHaveLength(outputs[0]?.length ?? 0);
    expect(JSON.stringify(outputs).length).toBeLessThan(50_000);
  });
});

describe('The API key', () => {
  const status = (code: number, more: Partial<Fault> = {}): Fault =>
    ({ kind: 'status', status: code, message: `Bearer ${KEY}`, ...more }) as Fault;
  const data = {
    ...{ message_id: KEY, status: KEY, sent_at: KEY, [KEY]: KEY },
    messages: [{ message_id: 1, phone: phoneAt(0), status: KEY }],
  };

  test.each<[string, Fault]>([
    ['a 401 with the key in its error', status(401, { error: { key: KEY, [KEY]: 1 } })],
    ['a 422 with the key in a list of details', status(422, { details: [{ field: KEY, message: KEY }] })],
    ['a 422 with the key in a path', status(422, { details: { [`messages.0.${KEY}`]: `Bearer ${KEY}` } })],
    ['a 402 with the key as its code', status(402, { code: KEY })],
    ['a 429 with the key as Retry-After', status(429, { retryAfter: KEY })],
    ['a 500 with the key as its code', status(500, { code: KEY })],
    ['an HTML page with the key', { kind: 'body', status: 200, body: `<html>${KEY}</html>`, contentType: 'text/html' }],
    ['a 201 with the key in every field', { kind: 'body', status: 201, body: JSON.stringify({ success: true, data }) }],
    ['a redirect to a path with the key', { kind: 'redirect', location: `http://127.0.0.1:1/${KEY}?key=${KEY}` }],
    ['a redirect to a host with the key', { kind: 'redirect', location: `http://${KEY}.example/` }],
    ['a connection lost before the request was handled', { kind: 'reset-before' }],
    ['half an answer', { kind: 'half-body' }],
  ])('is nowhere in what n8n stores after %s', async (_what, fault) => {
    for (const [, parameters] of SENDING_OPERATIONS) {
      for (const onError of ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const) {
        sandbox().setFaults([fault, fault]);
        const ran = await run({ items: contacts(2), parameters, onError });
        expect(everythingIn(ran)).not.toContain(KEY);
      }
    }
  });

  const base64 = (text: string) => Buffer.from(text).toString('base64').replace(/=+$/, '');
  const FORMS = [
    KEY.toUpperCase(),
    [...Buffer.from(KEY)].map((byte) => `%${byte.toString(16)}`).join(''),
    base64(`Bearer ${KEY}`),
    base64(`user:${KEY}`),
    base64(KEY),
  ];
  /** What is inside of each form; the ends of the key in base64 depend on what is around it. */
  const partOfKey = new RegExp(FORMS.map((form) => form.slice(-20, -4).toLowerCase()).join('|'));
  test.each(FORMS)('is nowhere in what n8n stores if the service repeats it as %s', async (form) => {
    const faults: Fault[] = [
      status(401, { message: `No: ${form}` }),
      status(422, { details: [{ field: form, message: form }] }),
      { kind: 'body', status: 201, body: JSON.stringify({ success: true, data: { ...data, status: form } }) },
      { kind: 'redirect', location: `https://${form}.example/` },
    ];
    for (const fault of faults) {
      sandbox().setFaults([fault]);
      const ran = await run({ items: contacts(1), parameters: SEND, onError: 'continueRegularOutput' });
      expect(everythingIn(ran).toLowerCase()).not.toMatch(partOfKey);
    }
  });

  test.each([
    ['nothing listens at the address', () => 'http://127.0.0.1:9/v1'],
    ['the Base URL is not an address', () => 'http://[/v1'],
    ['the service does not speak https', () => `${sandbox().url.replace('http', 'https')}/v1`],
  ])('is nowhere in what n8n stores when %s', async (_what, baseUrl) => {
    const ran = await run({ account: { baseUrl: baseUrl(), apiKey: KEY }, items: contacts(1), parameters: SEND });
    expect(ran.error).toBeDefined();
    expect(everythingIn(ran)).not.toContain(KEY);
  });
});
