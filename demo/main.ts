import './requirements';

import { once } from 'node:events';

import { checkStack, runExample } from './checkStack';
import { readContacts } from './contacts';
import { readOptions } from './options';
import { CURRENT } from './releases';
import { describeAddresses, describeCheck, describeOutcome } from './report';
import { runSession, type Session } from './session';
import { type Stack, startStack } from './stack';

void runSession(async (session) => {
  const options = readOptions(process.argv);
  const contacts = await readContacts(options.contactsFile);
  const stack = await startStack({
    ...options,
    ...session,
    release: CURRENT,
    credits: Math.max(1000, 2 * contacts.length),
  });

  session.say(`Running "${stack.example.name}" with ${contacts.length} contacts`);
  const outcome = await runExample(stack, session.signal);
  session.say(`\n${describeOutcome(outcome, contacts)}\n`);

  if (options.exit) {
    const checks = await checkStack(stack, outcome, contacts);
    const failed = checks.filter(({ difference }) => difference !== '').length;
    for (const check of checks) session.say(describeCheck(check));
    await session.closing.close();
    session.say(`${checks.length - failed} passed, ${failed} failed`);
    return failed === 0 ? 0 : 1;
  }

  session.say(describeAddresses(stack.editor, `${stack.sandbox.url}/`, stack.owner));
  session.say('\nAll of this stays up until Ctrl-C.');
  await untilStopped(stack, session);
  return 0;
});

async function untilStopped({ n8n }: Stack, { signal, say }: Session): Promise<void> {
  if (!signal.aborted) await Promise.race([once(signal, 'abort'), n8n.whenEnded()]);
  if (!signal.aborted) n8n.assertRunning();
  say('\nEnding n8n and the sandbox');
}
