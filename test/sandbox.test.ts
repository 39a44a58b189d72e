/** That the sandbox answers as the API document says, and fails as it is told to: most other tests rest on it. */
import { type Fault, type Sandbox, type SandboxOptions, startSandbox } from '../sandbox/server';
import { runCommand } from './support/command';

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
  return {
    status: answer.status,
    headers: answer.headers,
    body: text.startsWith('{') ? (JSON.parse(text) as unknown) : text,
  };
}

const phoneOf = (index: number) => String(447700900000 + index);
const messages = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ phone: phoneOf(index), message: `Text ${index}` }));

test.each(['/v1', '/api/v1'])(
  'Under %s, each endpoint answers as the document says, and charges a credit a message',
  async (prefix) => {
    await start({ credits: 10, now: () => 1_700_000_000_000 });
    const single = await ask(`${prefix}/messages/send`, messages(1)[0]);
    expect(single.status).toBe(201);
    expect(single.body).toEqual({
      success: true,
      data: {
        message_id: 1001,
        status: 'sent',
        credits_used: 1,
        credits_remaining: 9,
        sent_at: '2023-11-14T22:13:20.000Z',
      },
    });
    const bulk = await ask(`${prefix}/messages/send-bulk`, { messages: messages(3) });
    const entries = [0, 1, 2].map((index) => ({ message_id: 1002 + index, phone: phoneOf(index), status: 'sent' }));
    expect(bulk.status).toBe(201);
    expect(bulk.body).toEqual({
      success: true,
      data: { messages_sent: 3, credits_used: 3, credits_remaining: 6, messages: entries },
    });
    expect(await ask(`${prefix}/user/balance`)).toMatchObject({
      status: 200,
      body: { success: true, data: { credits: 6, user_id: 4711, user_name: 'Sandbox User' } },
    });
    expect(sandbox.messages().map(({ phone, message }) => ({ phone, message }))).toEqual([
      ...messages(1),
      ...messages(3),
    ]);
  },
);

const message = (phone: unknown, text: unknown) => ({ phone, message: text });
test.each<[string, string, unknown, string | undefined, number, string]>([
  ['no key', '/user/balance', undefined, 'Bearer ', 401, 'MISSING_API_KEY'],
  ['another scheme', '/user/balance', undefined, 'Basic c2FuZA==', 401, 'MISSING_API_KEY'],
  ['a wrong key', '/user/balance', undefined, 'Bearer sandbox-key2', 401, 'INVALID_API_KEY'],
  ['too few credits', '/messages/send-bulk', { messages: messages(6) }, undefined, 402, 'INSUFFICIENT_CREDITS'],
  ['no messages', '/messages/send-bulk', { messages: [] }, undefined, 422, 'VALIDATION_ERROR'],
  ['101 messages', '/messages/send-bulk', { messages: messages(101) }, undefined, 422, 'VALIDATION_ERROR'],
  ['a leading +', '/messages/send', message('+447700900123', 'Hello'), undefined, 422, 'VALIDATION_ERROR'],
  ['a leading 0', '/messages/send', message('07700900123', 'Hello'), undefined, 422, 'VALIDATION_ERROR'],
  ['a number as phone', '/messages/send', message(447700900123, 'Hello'), undefined, 422, 'VALIDATION_ERROR'],
  ['no text', '/messages/send', message('447700900123', ' '), undefined, 422, 'VALIDATION_ERROR'],
  [
    '1001 characters',
    '/messages/send',
    message('447700900123', '\u{1f600}'.repeat(1001)),
    undefined,
    422,
    'VALIDATION_ERROR',
  ],
  ['no JSON', '/messages/send', '{', undefined, 400, 'BAD_REQUEST'],
  ['an unknown path', '/messages', undefined, undefined, 404, 'NOT_FOUND'],
  ['a wrong method', '/messages/send', undefined, undefined, 405, 'METHOD_NOT_ALLOWED'],
])('A request with %s is refused, and nothing is sent', async (_what, path, body, authorization, status, code) => {
  await start({ credits: 5 });
  expect(await ask(`/v1${path}`, body, authorization)).toMatchObject({
    status,
    body: { success: false, error: { code } },
  });
  expect({ sent: sandbox.messages().length, credits: sandbox.credits() }).toEqual({ sent: 0, credits: 5 });
});

test('A 402 has the credits that are needed and available, and a 422 the fields that are wrong', async () => {
  await start({ credits: 2 });
  expect((await ask('/v1/messages/send-bulk', { messages: messages(3) })).body).toMatchObject({
    error: { message: 'Insufficient credits: 3 needed, 2 available', required_credits: 3, available_credits: 2 },
  });
  const wrong = { messages: [...messages(1), message('0', 'x'), message('447700900123', '')] };
  expect((await ask('/v1/messages/send-bulk', wrong)).body).toMatchObject({
    error: { details: [{ field: 'messages.1.phone' }, { field: 'messages.2.message' }] },
  });
});

test('Each key has its own limit of requests, and a 429 says when the next one is let in', async () => {
  let now = 1_700_000_000_000;
  await start({ keys: [KEY, 'other'], limit: 2, windowSeconds: 60, now: () => now });
  for (const remaining of ['1', '0'])
    expect((await ask('/v1/user/balance')).headers.get('ratelimit-remaining')).toBe(remaining);
  now += 10_500;
  const refused = await ask('/api/v1/user/balance');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '50']);
  expect((await ask('/v1/user/balance', undefined, 'Bearer other')).status).toBe(200);
  now += 50_000;
  expect((await ask('/v1/user/balance')).status).toBe(200);
});

test.each<[number | 'cut', number, Fault]>([
  [500, 0, { kind: 'status', status: 500 }],
  [500, 5, { kind: 'status', status: 500, handled: true }],
  [422, 0, { kind: 'status', status: 422, text: 'Text 3' }],
  [502, 0, { kind: 'html' }],
  [200, 0, { kind: 'body', status: 200, body: '{"success":false}' }],
  [307, 0, { kind: 'redirect', location: '/elsewhere' }],
  [201, 5, { kind: 'delay', ms: 1 }],
  [201, 5, { kind: 'bulk-answer', shape: 'missing' }],
  [201, 3, { kind: 'unsent', indices: [0, 3] }],
  ['cut', 0, { kind: 'reset-before' }],
  ['cut', 2, { kind: 'reset-during' }],
  ['cut', 5, { kind: 'reset-after' }],
  ['cut', 5, { kind: 'half-body' }],
])(
  'Of 5 messages, the outcome is %p with %i sent and charged under the fault %j, which hits once',
  async (status, sent, fault) => {
    await start({ credits: 100, faults: [{ ...fault, times: 1 }] });
    const again = () => ask('/v1/messages/send-bulk', { messages: messages(5) });
    const first = await again().catch(() => ({ status: 'cut' }));
    expect(first.status).toBe(status);
    expect([sandbox.messages().length, 100 - sandbox.credits()]).toEqual([sent, sent]);
    expect(sandbox.requests()).toMatchObject([{ sent, fault: fault.kind }]);
    expect((await again()).status).toBe(201);
  },
);

test.each([
  ['sliding', [true, true, false, false, true]],
  ['fixed', [true, true, true, true, false]],
  ['token-bucket', [true, true, true, false, true]],
] as const)('The limiter %s grants what its name says', async (limiter, expected) => {
  let now = 0;
  await start({ limit: 2, windowSeconds: 10, limiter, now: () => now });
  const granted: boolean[] = [];
  for (now of [5_000, 9_000, 11_000, 12_000, 16_000]) granted.push((await ask('/v1/user/balance')).status === 200);
  expect(granted).toEqual(expected);
});

test('The inbox runs only its own scripts and styles, and gets what was sent and requested, without the key', async () => {
  await start();
  await ask('/v1/messages/send-bulk', { messages: [...messages(2), message('447700900000', '<b>Noon</b>')] });
  for (const path of ['/', '/_sandbox/inbox.css', '/_sandbox/inbox.js']) {
    const answer = await ask(path);
    expect(answer.headers.get('content-security-policy')).toBe("default-src 'self'; img-src data:");
    expect(answer.body).not.toMatch(
      /innerHTML|insertAdjacentHTML|document\.write|<script>|<style>|\bstyle="|\bon\w+="/,
    );
  }
  const { body } = await ask('/_sandbox/inbox?search=noon');
  expect(body).toMatchObject({
    state: { messages: 3, conversations: 2, credits: 997, requests_left: 59 },
    conversations: [{ phone: '447700900000', count: 2, last: { message: '<b>Noon</b>' } }],
    chat: { phone: '447700900000', messages: [{ message: 'Text 0' }, { message: '<b>Noon</b>' }] },
    requests: [{ path: '/v1/messages/send-bulk', status: 201, sent: 3 }],
  });
  expect(JSON.stringify(body)).not.toContain(KEY);
});

test('The command prints its addresses and keys, applies its flags, and ends on Ctrl-C', async () => {
  await start();
  const command = runCommand('sandbox/main.ts', '--port', '0', '--key', 'made-up', '--fault', '{"kind":"html"}');
  const url = /http:\S+(?=\/$)/.exec(await command.line(/inbox/))?.[0] ?? '';
  const answer = await fetch(`${url}/v1/user/balance`, { headers: { authorization: 'Bearer made-up' } });
  expect(answer.status).toBe(502);
  command.kill('SIGINT');
  expect(await command.ended).toMatchObject({
    code: 0,
    errors: '',
    output: expect.stringContaining('made-up') as unknown,
  });
});
