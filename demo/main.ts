import '../tools/cli/requirements';

import { describeAddresses } from '../sandbox/n8n/instance';
import { runSession } from '../tools/cli/session';
import { readContacts } from '../tools/n8n/examples/contacts';
import { readOptions } from './options';
import { describeOutcome } from './report';
import { runExample } from './run';
import { startDemo } from './start';

void runSession(async (session) => {
  const options = await readOptions(process.argv);
  const contacts = await readContacts(options.contactsFile);
  const demo = await startDemo({ ...options, credits: Math.max(1000, 2 * contacts.length) }, session);

  session.say(`Running "${demo.example.name}" with ${contacts.length} contacts`);
  const outcome = await runExample(demo);
  session.say(`\n${describeOutcome(outcome, contacts)}\n`);
  if (options.exit) return outcome.execution.status === 'success' ? 0 : 1;

  session.say(describeAddresses(demo.instance, demo.example.editorUrl));
  session.say('\nPress Ctrl-C to stop n8n and the sandbox.');
  await demo.instance.stayUp();
  session.say('\nStopping n8n and the sandbox');
  return 0;
});
