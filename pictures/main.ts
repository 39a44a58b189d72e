/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { Argument, Command } from 'commander';

import { startWithSandbox } from '../sandbox/n8n/instance';
import { runSession } from '../tools/cli/session';
import { launchBrowser, openWindow } from '../tools/n8n/browser';
import { logIn } from '../tools/n8n/editor';
import { storeExampleCredentials } from '../tools/n8n/exampleCredentials';
import { provideContacts } from '../tools/n8n/examples';
import { OWNER } from '../tools/n8n/instance';
import { providePackage } from '../tools/n8n/package';
import { PICTURES, PUBLIC_ADDRESS } from './pictures';

const command = new Command('npm run screenshots --')
  .description("Takes the pictures of the documentation and of the examples: n8n's editor, and what phones show.")
  .addArgument(new Argument('[pictures...]', 'all of them by default').choices(Object.keys(PICTURES)))
  .parse();

void runSession(async (session) => {
  const { signal, cleanup, say } = session;
  say('Starting n8n');
  const instance = await startWithSandbox(
    {
      purpose: 'pictures',
      providePackage: (userFolder) => providePackage(userFolder, signal),
      environment: { WEBHOOK_URL: PUBLIC_ADDRESS },
    },
    session,
  );
  const { credential, folder, n8n, rest, sandbox } = instance;
  await provideContacts(folder);
  const credentials = [credential, ...(await storeExampleCredentials(rest, `${n8n.url}/v1`))];
  const browser = await launchBrowser();
  cleanup.add(() => browser.close());
  // Fine enough for a screen with two pixels to a point.
  const page = await (await openWindow(browser, { deviceScaleFactor: 2 })).newPage();
  await logIn(page, n8n.url, OWNER);
  for (const [name, take] of Object.entries(PICTURES)) {
    if (command.args.length > 0 && !command.args.includes(name)) continue;
    signal.throwIfAborted();
    say(`Taking: ${name}`);
    sandbox.reset();
    await take({ page, browser, instance, credentials });
  }
  return 0;
});
