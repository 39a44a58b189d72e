/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import '../tools/cli/requirements';

import { EventEmitter, once } from 'node:events';
import { copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';

import { Command } from 'commander';
import { execa } from 'execa';
import getPort from 'get-port';
import gulp from 'gulp';

import { startWithSandbox } from '../sandbox/n8n/instance';
import { runCommand } from '../tools/cli/command';
import { messageOf } from '../tools/cli/errors';
import { runSession, type Session } from '../tools/cli/session';
import { provideContacts } from '../tools/n8n/examples/contacts';
import { CONTACTS_EXAMPLE } from '../tools/n8n/examples/contactsExample';
import { readExample } from '../tools/n8n/examples/files';
import { API_KEY, OWNER } from '../tools/n8n/instance';
import { packageFolderOf } from '../tools/n8n/package';
import { CURRENT } from '../tools/n8n/releases';
import { PROJECT_FOLDER } from '../tools/project';

const WHAT_IS_RELOADED = `When a file in nodes/, credentials/ or icons/ changes, the package is built and n8n reloads it. Not reloaded are
  - package.json (for example, with a new node) and the sandbox: start this command again
  - icons: the browser caches them for a day; reload the page without its cache
  - executions in progress: they end with the code they started with
A reload clears what the node keeps in memory, such as the pacer's record of recent requests.`;

new Command('npm run dev --')
  .description(`Runs this package in real n8n ${CURRENT} against the sandbox, and reloads it after each change.`)
  .allowExcessArguments(false)
  .parse();

void runSession(async (session) => {
  // At the usual ports, where these are free.
  const [port, sandboxPort] = [await getPort({ port: 5678 }), await getPort({ port: 4010 })];
  const instance = await startWithSandbox(
    {
      purpose: 'dev',
      port,
      sandbox: { port: sandboxPort },
      providePackage: (userFolder) => buildLive(packageFolderOf(userFolder), session),
      environment: { N8N_DEV_RELOAD: 'true' },
    },
    session,
  );
  await provideContacts(instance.folder);
  const workflow = await instance.rest.importWorkflow(await readExample(CONTACTS_EXAMPLE), [instance.credential]);
  session.say(`
  editor    ${instance.editorUrl(workflow)}
  login     ${OWNER.email}  ${OWNER.password}
  inbox     ${instance.sandbox.url}/
  account   ${instance.sandbox.url}/v1  ${API_KEY}

${WHAT_IS_RELOADED}

Press Ctrl-C to stop n8n and the sandbox.`);
  await instance.stayUp();
  session.say('\nStopping n8n and the sandbox');
  return 0;
});

/**
 * Builds this package where n8n looks for it, and builds it again after each change until the session ends.
 * n8n gets a folder of its own, not a link to the checkout: it would watch all of it with its `node_modules`, and the
 * node would load the checkout's n8n-workflow instead of n8n's, which does not recognize the other one's errors.
 */
async function buildLive(folder: string, { signal, cleanup, say }: Session): Promise<void> {
  const dist = path.join(folder, 'dist');
  await mkdir(dist, { recursive: true });
  for (const file of ['package.json', 'index.js'])
    await copyFile(path.join(PROJECT_FOLDER, file), path.join(folder, file));
  const copyRest = async () => {
    await runCommand('npx', ['gulp', 'build'], { signal, env: { MESSAGING_SEND_DIST: dist } }).catch(
      (failure: unknown) => {
        if (!signal.aborted) say(messageOf(failure));
      },
    );
  };
  const compiler = execa('tsc', ['--watch', '--preserveWatchOutput', '--outDir', dist], {
    cwd: PROJECT_FOLDER,
    preferLocal: true,
    reject: false,
  });
  cleanup.add(() => compiler.kill());
  const compiled = new EventEmitter();
  compiler.stdout.on('data', (text: Buffer) => {
    const lines = text.toString().split('\n');
    for (const line of lines.filter((each) => each.includes('error TS'))) say(line);
    // The compiler's words when it is done.
    if (text.includes('Watching for file changes')) compiled.emit('done');
  });
  await once(compiled, 'done', { signal });
  await copyRest();
  compiled.on('done', () => void copyRest());
  const watcher = gulp.watch(['nodes/**/*.json', 'icons/**'], { cwd: PROJECT_FOLDER }, copyRest);
  cleanup.add(() => watcher.close());
}
