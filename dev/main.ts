/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { Command } from 'commander';
import getPort from 'get-port';
import gulp from 'gulp';

import { startWithSandbox } from '../sandbox/n8n/instance';
import { messageOf } from '../tools/cli/errors';
import { runSession } from '../tools/cli/session';
import { CONTACTS_EXAMPLE, provideContacts, readExample } from '../tools/n8n/examples';
import { API_KEY, OWNER } from '../tools/n8n/instance';
import { providePackage } from '../tools/n8n/package';
import { CURRENT } from '../tools/n8n/releases';
import { PROJECT_FOLDER } from '../tools/project';

const WHAT_IS_RELOADED = `When a file in nodes/, credentials/ or icons/ changes, the package is built and n8n reloads it. Not reloaded are
  - package.json (for example, with a new node) and the sandbox: start this command again
  - icons: the browser caches them for a day; reload the page without its cache
  - executions in progress: they end with the code they started with
Each build replaces dist/, so run no tests at the same moment. A reload clears what the node keeps in memory, such as the pacer's record of recent requests.`;

new Command('npm run dev --')
  .description(`Runs this package in real n8n ${CURRENT} against the sandbox, and reloads it after each change.`)
  .allowExcessArguments(false)
  .parse();

/**
 * `n8n-node dev` has no account, sandbox or example, and needs the newest n8n from the registry. It would link the
 * checkout, so n8n would watch its `node_modules`, and the node would load a second n8n-workflow, whose errors n8n doesn't
 * recognize. So n8n gets the package as it would be published.
 */
void runSession(async (session) => {
  const { signal, cleanup, say } = session;
  const pack = (userFolder: string) => providePackage(userFolder, signal);
  const instance = await startWithSandbox(
    {
      purpose: 'dev',
      // At the usual ports, where these are free.
      port: await getPort({ port: 5678 }),
      sandbox: { port: await getPort({ port: 4010 }) },
      providePackage: pack,
      environment: { N8N_DEV_RELOAD: 'true' },
    },
    session,
  );
  const watcher = gulp.watch(['nodes/**', 'credentials/**', 'icons/**'], { cwd: PROJECT_FOLDER }, async () => {
    await pack(instance.folder).catch((failure: unknown) => {
      if (!signal.aborted) say(messageOf(failure));
    });
  });
  cleanup.add(() => watcher.close());
  await provideContacts(instance.folder);
  const workflow = await instance.rest.importWorkflow(await readExample(CONTACTS_EXAMPLE), [instance.credential]);
  say(`
  editor    ${instance.editorUrl(workflow)}
  login     ${OWNER.email}  ${OWNER.password}
  inbox     ${instance.sandbox.url}/
  account   ${instance.sandbox.url}/v1  ${API_KEY}
  n8n       process ${instance.n8n.pid}; to see what a crash does, kill -9 it: it starts again with the same data

${WHAT_IS_RELOADED}

Press Ctrl-C to stop n8n and the sandbox.`);
  await instance.stayUp();
  say('\nStopping n8n and the sandbox');
  return 0;
});
