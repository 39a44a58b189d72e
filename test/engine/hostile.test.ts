/** Items and answers that nobody would expect. Their details are in the tests of `phone/`, `delivery/` and `api/`. */
import type { IDataObject } from 'n8n-workflow';

import type { Fault } from '../../sandbox/server';
import { contacts, KEY, phoneAt } from '../support/contacts';
import { nodeForTests } from '../support/engine/nodeForTests';
import { type Execution, stored } from '../support/engine/workflow';
import { SEND, SEND_LIST, SENDERS } from '../support/parameters';

const { sandbox, run, received, contactsReceived } = nodeForTests();
const CONTINUE = { onError: 'continueErrorOutput' } as const;
const everythingIn = ({ run: { data } }: Execution) => JSON.stringify(stored(data));

describe('Send Bulk from a list', () => {
  const ENTRY = '{"phone":"447700900001","message":"Hello"}';

  test.each<[string, string]>([
    ['an entry with its fields in __proto__', `[{"__proto__":${ENTRY}}]`],
    ['an entry with its fields in constructor', `[{"constructor":{"prototype":${ENTRY}}}]`],
    ['a list in __proto__', `{"__proto__":{"messages":[${ENTRY}]}}`],
    ['null', 'null'],
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
    ['a 422 with the key in a path', status(422, { details: { [`messages.0.${KEY}`]: `Bearer ${KEY}` } })],
    ['a 429 with the key as Retry-After', status(429, { retryAfter: KEY })],
    ['a 500 with the key as its code', status(500, { code: KEY })],
    ['an HTML page with the key', { kind: 'body', status: 200, body: `<html>${KEY}</html>`, contentType: 'text/html' }],
    ['a 201 with the key in every field', { kind: 'body', status: 201, body: JSON.stringify({ success: true, data }) }],
    ['a redirect to a host with the key', { kind: 'redirect', location: `http://${KEY}.example/` }],
    ['a connection lost before the request was handled', { kind: 'reset-before' }],
    ['half an answer', { kind: 'half-body' }],
  ])('is nowhere in what n8n stores after %s', async (_what, fault) => {
    for (const [, parameters] of SENDERS) {
      for (const onError of ['stopWorkflow', 'continueErrorOutput'] as const) {
        sandbox().setFaults([fault, fault]);
        expect(everythingIn(await run({ items: contacts(2), parameters, onError }))).not.toContain(KEY);
      }
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
