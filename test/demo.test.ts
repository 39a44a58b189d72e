import { runCommand } from './support/command';

// What is under test is built already.
const demo = (...flags: string[]) => runCommand('demo/main.ts', '--no-build', ...flags);

test('The demo sends to 250 contacts, sends nobody twice, and shows the inbox until Ctrl-C', async () => {
  const running = demo('--no-exit');
  const url = /http:\S+(?=\/$)/.exec(await running.line(/inbox +http/))?.[0] ?? '';
  const { messages } = (await (await fetch(`${url}/_sandbox/messages?limit=1000`)).json()) as {
    messages: Array<{ phone: string; message: string }>;
  };
  running.kill('SIGINT');
  const { code, output, errors } = await running.ended;
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  expect(messages).toHaveLength(245);
  expect(new Set(messages.map(({ phone }) => phone)).size).toBe(245);
  expect(messages[0]?.message).toBe(
    'Hello Cleo Ashgrovel, a reminder of your appointment in Little Marrow on Monday 3 May at 09:00. Please call us to change it.',
  );
  expect(output).toMatch(/^ {2}sent before +245$/m);
  expect(output).toContain('contact 188 "ask at reception": The phone number contains letters');
  expect(output).toContain("To see it in n8n's editor: npm run dev");
});
