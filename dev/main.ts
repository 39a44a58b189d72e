import '../tools/cli/requirements';

import { Command } from 'commander';

import { describeAddresses, startWithSandbox } from '../sandbox/n8n/instance';
import { addPortFlags, findPorts, type PortFlags } from '../tools/cli/ports';
import { runSession } from '../tools/cli/session';
import { addContactsExample } from '../tools/n8n/examples/contactsExample';
import { CURRENT } from '../tools/n8n/releases';
import { startLiveBuild } from './liveBuild';

const WHAT_IS_RELOADED = `When a file in nodes/, credentials/ or icons/ changes, the package is built and n8n reloads it. Not reloaded are
  - package.json (for example, with a new node) and the sandbox: start this command again
  - icons: the browser caches them for a day; reload the page without its cache
  - executions in progress: they end with the code they started with
A reload clears what the node keeps in memory, such as the pacer's record of recent requests.`;

void runSession(async (session) => {
  const flags = addPortFlags(new Command('npm run dev --'))
    .description(`Runs this package in real n8n ${CURRENT} against the sandbox, and reloads it after each change.`)
    .allowExcessArguments(false)
    .parse()
    .opts<PortFlags>();
  const ports = await findPorts(flags);
  const instance = await startWithSandbox(
    {
      purpose: 'dev',
      port: ports.n8n,
      providePackage: (userFolder) => startLiveBuild(userFolder, session),
      sandbox: { port: ports.sandbox },
      environment: { N8N_DEV_RELOAD: 'true' },
    },
    session,
  );
  const { editorUrl } = await addContactsExample(instance);

  session.say(
    `\n${describeAddresses(instance, editorUrl)}\n\n${WHAT_IS_RELOADED}\n\nPress Ctrl-C to stop n8n and the sandbox.`,
  );
  await instance.stayUp();
  session.say('\nStopping n8n and the sandbox');
  return 0;
});
