import { runCommand } from '../support/command';
import { call, closeSandboxes, get, messages, post, sandboxWith } from './client';

afterEach(closeSandboxes);

const run = (...flags: string[]) => runCommand('sandbox/main.ts', ...flags);

test('The command starts with its flags, prints its addresses, and ends on SIGTERM', async () => {
  const sandbox = run('--port', '0', '--key', 'made-up', '--credits', '3', '--fault', '{"kind":"html","after":1}');
  const inbox = await sandbox.line(/inbox/);
  const url = /http:\S+(?=\/$)/.exec(inbox)?.[0] ?? '';
  expect(await get(`${url}/v1/user/balance`, 'made-up')).toMatchObject({ status: 200, body: { data: { credits: 3 } } });
  expect((await get(`${url}/v1/user/balance`, 'made-up')).status).toBe(502);
  sandbox.kill('SIGTERM');
  const { code, output, errors } = await sandbox.ended;
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  expect(output).toContain(`base address         ${url}/v1\n`);
  expect(output).toContain(`alternative address  ${url}/api/v1\n`);
  expect(output).toContain('API key              made-up\n');
});

test('The command sends immediately under --latency, and ends on SIGINT while answers are delayed', async () => {
  const sandbox = run('--port', '0', '--latency', '3600000');
  const url = /http:\S+(?=\/$)/.exec(await sandbox.line(/inbox/))?.[0] ?? '';
  const reply = post(`${url}/v1/messages/send`, messages(1)[0]).catch(() => 'cut');
  const state = async () => (await call(`${url}/_sandbox/requests`)).body;
  while (!JSON.stringify(await state()).includes('"sent":1')) await new Promise(setImmediate);
  expect(await state()).toMatchObject({ requests: [{ status: null, duration_ms: null }] });
  sandbox.kill('SIGINT');
  expect((await sandbox.ended).code).toBe(0);
  await reply;
});

test('A port in use gives one line of error and exit code 1', async () => {
  const { port } = await sandboxWith();
  const { code, output, errors } = await run('--port', String(port)).ended;
  expect({ code, output }).toEqual({ code: 1, output: '' });
  expect(errors).toBe(`error: port ${port} on 127.0.0.1 is in use: choose another with --port\n`);
});

test.each([
  [['--prot', '1'], /--prot/],
  [['--port', 'x'], /--port/],
  [['--port', '70000'], /port: .*<=65535/],
  [['--limiter', 'none'], /--limiter/],
  [['--fault', '{'], /--fault/],
  [['--fault', '{"kind":"html","tiems":1}'], /--fault.*Unrecognized key: "tiems"/],
])('The flags %j give one line of error and exit code 1', async (flags, message) => {
  const { code, output, errors } = await run(...flags).ended;
  expect({ code, output }).toEqual({ code: 1, output: '' });
  expect(errors).toMatch(message);
  expect(errors.trimEnd().split('\n')).toHaveLength(1);
});
