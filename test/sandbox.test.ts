/** That the sandbox answers as the API document says, and fails as it is told to: most other tests rest on it. */
import { type Fault, type Sandbox, type SandboxOptions, startSandbox } from '../sandbox/server';
import { listOf, phoneAt } from './support/contacts';

const KEY = 'sandbox-key';

let sandbox: Sandbox;
const start = async (options: Partial<SandboxOptions> = {}) => void (sandbox = await startSandbox(options));
afterEach(async () => await sandbox.close());

async function ask(path: string, body?: unknown, authorization = `Bearer ${KEY}`) {
  const answer = await fetch(`${sandbox.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), authorization },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    redirect: 'manual',
  });
  const text = await answer.text();
  const { status, headers } = answer;
  return { status, headers, body: text.startsWith('{') ? (JSON.parse(text) as unknown) : text };
}

test('Each endpoint answers as the document says, and charges a credit a message', async () => {
  await start({ credits: 10, now: () => 1_700_000_000_000 });
  const single = await ask('/v1/messages/send', listOf(1)[0]);
  const charged = { credits_used: 1, credits_remaining: 9, sent_at: '2023-11-14T22:13:20.000Z' };
  const sent = { message_id: 1001, status: 'sent', ...charged };
  expect([single.status, single.body]).toEqual([201, { success: true, data: sent }]);
  const bulk = await ask('/api/v1/messages/send-bulk', { messages: listOf(3) });
  const entries = [0, 1, 2].map((index) => ({ message_id: 1002 + index, phone: phoneAt(index), status: 'sent' }));
  const data = { messages_sent: 3, credits_used: 3, credits_remaining: 6, messages: entries };
  expect([bulk.status, bulk.body]).toEqual([201, { success: true, data }]);
  expect((await ask('/v1/user/balance')).body).toMatchObject({ success: true, data: { credits: 6 } });
  expect(sandbox.messages()).toHaveLength(4);
});

const WITH_PLUS = { phone: '+447700900123', message: 'Hi' };
const TOO_LONG = { phone: phoneAt(1), message: '😀'.repeat(1001) };
const WITH_TOO_LONG = { messages: [...listOf(1), TOO_LONG] };

test.each<[string, string, unknown, string, number, string]>([
  ['a wrong key', '/user/balance', undefined, 'Bearer sandbox-key2', 401, 'INVALID_API_KEY'],
  ['too few credits', '/messages/send-bulk', { messages: listOf(6) }, `Bearer ${KEY}`, 402, 'INSUFFICIENT_CREDITS'],
  ['a leading +', '/messages/send', WITH_PLUS, `Bearer ${KEY}`, 422, 'VALIDATION_ERROR'],
  ['a long text', '/messages/send', TOO_LONG, `Bearer ${KEY}`, 429, 'RATE_LIMIT_EXCEEDED'],
  ['a long text in a list', '/messages/send-bulk', WITH_TOO_LONG, `Bearer ${KEY}`, 429, 'RATE_LIMIT_EXCEEDED'],
  ['too many messages', '/messages/send-bulk', { messages: listOf(101) }, `Bearer ${KEY}`, 429, 'RATE_LIMIT_EXCEEDED'],
])('A request with %s is refused, and nothing is sent', async (_what, path, body, authorization, status, code) => {
  await start({ credits: 5 });
  expect(await ask(`/v1${path}`, body, authorization)).toMatchObject({ status, body: { error: { code } } });
  expect({ sent: sandbox.messages().length, credits: sandbox.credits() }).toEqual({ sent: 0, credits: 5 });
});

test('A 429 says when the next request is let in', async () => {
  let now = 1_700_000_000_000;
  await start({ limit: 1, windowSeconds: 60, now: () => now });
  await ask('/v1/user/balance');
  now += 10_500;
  const refused = await ask('/v1/user/balance');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '50']);
});

test.each<[number | 'cut', number, Fault]>([
  [500, 5, { kind: 'status', status: 500, handled: true }],
  [201, 3, { kind: 'unsent', indices: [0, 3] }],
  ['cut', 0, { kind: 'reset-before' }],
  ['cut', 2, { kind: 'reset-during' }],
  ['cut', 5, { kind: 'reset-after' }],
])('Of 5 messages, %p is the outcome with %i sent and charged, under the fault %j', async (status, sent, fault) => {
  await start({ credits: 100, faults: [{ ...fault, times: 1 }] });
  const again = () => ask('/v1/messages/send-bulk', { messages: listOf(5) });
  const first = await again().catch(() => ({ status: 'cut' }));
  expect(first.status).toBe(status);
  expect([sandbox.messages().length, 100 - sandbox.credits()]).toEqual([sent, sent]);
  expect(sandbox.requests()).toMatchObject([{ sent, fault: fault.kind }]);
  expect((await again()).status).toBe(201);
});
