import '../tools/cli/requirements';

import { once } from 'node:events';

import { describeAddresses } from '../sandbox/n8n/instance';
import { runSession, type Session } from '../tools/cli/session';
import { type Contact, readContacts } from '../tools/n8n/examples/contacts';
import { buildPackage } from '../tools/n8n/package';
import { startInN8n } from './n8n';
import { type DemoOptions, EDITOR_NEEDS, readOptions } from './options';
import { describeOutcome } from './report';
import { runExample } from './run';

void runSession(async (session) => {
  const options = await readOptions(process.argv);
  const contacts = await readContacts(options.contactsFile);
  return options.kind === 'editor'
    ? await showEditor(options, contacts, session)
    : await showEngine(options, contacts, session);
});

/** @returns the exit code */
async function showEngine(
  { build, exit, ...options }: DemoOptions & { kind: 'engine' },
  contacts: Contact[],
  session: Session,
): Promise<number> {
  const { say, signal } = session;
  if (build) {
    say('Building this package');
    await buildPackage(signal);
  }
  // Only now, because n8n's engine takes seconds to load.
  const { startInEngine } = await import('./engine');
  const demo = await startInEngine({ ...options, credits: creditsFor(contacts) }, session);

  say(`Running "${demo.example.name}" with ${contacts.length} contacts in n8n's engine`);
  const first = await runExample(demo);
  say(`\n${describeOutcome(first, contacts)}\n`);
  signal.throwIfAborted();
  say("Running it again: 'Duplicate Messages' is 'Send Once, Also in Later Runs'");
  const second = await runExample(demo);
  say(`\n${describeOutcome(second, contacts)}\n`);

  const editor = `To see it in n8n's editor: npm run demo -- --editor (${EDITOR_NEEDS})`;
  if (exit) {
    say(editor);
    return [first, second].every(({ execution }) => execution.status === 'success') ? 0 : 1;
  }
  say(`The inbox: ${demo.sandbox.url}/\n${editor}\n\nPress Ctrl-C to stop the sandbox.`);
  if (!signal.aborted) await once(signal, 'abort');
  say('\nStopping the sandbox');
  return 0;
}

/** @returns the exit code */
async function showEditor(
  { exit, ...options }: DemoOptions & { kind: 'editor' },
  contacts: Contact[],
  session: Session,
): Promise<number> {
  const { say } = session;
  const demo = await startInN8n({ ...options, credits: creditsFor(contacts) }, session);

  say(`Running "${demo.example.name}" with ${contacts.length} contacts`);
  const outcome = await runExample(demo);
  say(`\n${describeOutcome(outcome, contacts)}\n`);
  if (exit) return outcome.execution.status === 'success' ? 0 : 1;

  say(describeAddresses(demo.instance, demo.example.editorUrl));
  say('\nPress Ctrl-C to stop n8n and the sandbox.');
  await demo.instance.stayUp();
  say('\nStopping n8n and the sandbox');
  return 0;
}

/** Enough for a second run by hand. */
function creditsFor(contacts: Contact[]): number {
  return Math.max(1000, 2 * contacts.length);
}
