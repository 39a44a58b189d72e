/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import envPaths from 'env-paths';

import { runCommand } from '../cli/command';
import { type Session } from '../cli/session';
import { type N8nProgram } from './process';
import { N8N_VARIABLE, NODE_VERSION, type ReleaseName } from './releases';

/** Names another folder in which n8n is kept between runs. */
const CACHE_VARIABLE = 'MESSAGING_SEND_DEMO_CACHE';

/**
 * Finds the n8n to start: the command in {@link N8N_VARIABLE}, or else a release, which is installed unless the cache
 * folder has it. The command gets n8n's arguments, n8n's settings as its environment (`N8N_PORT`, `N8N_USER_FOLDER` and
 * others), and n8n's home as its working folder. On SIGTERM it must stop n8n and end; if it is killed, n8n must end as
 * well.
 */
export async function findN8n(release: ReleaseName, session: Session): Promise<N8nProgram> {
  const command = process.env[N8N_VARIABLE];
  if (command === undefined) return await installN8n(release, session);
  return { file: 'sh', args: ['-c', `exec ${command} "$@"`, 'sh'] };
}

/** Finds a release of n8n in the cache folder, or installs it there with the Node that it needs. */
async function installN8n(release: ReleaseName, { say, signal }: Session): Promise<N8nProgram> {
  const cache = process.env[CACHE_VARIABLE] ?? envPaths('n8n-nodes-messaging-send', { suffix: '' }).cache;
  const folder = path.resolve(cache, `n8n-${release}-with-node`);
  const node = path.join(folder, 'node_modules/node/bin/node');
  const program = { file: node, args: [path.join(folder, 'node_modules/n8n/bin/n8n')] };

  const manifest = manifestOf(release);
  // Written last, so that an interrupted installation is continued.
  const stamp = path.join(folder, 'finished.json');
  if ((await readFile(stamp, 'utf8').catch(() => '')) === manifest) return program;

  say(`Installing n8n ${release} into ${folder} (once; 2.4 GB, about 5 minutes)`);
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'package.json'), manifest);
  const run = async (command: string, ...args: string[]) => {
    const PATH = `${path.dirname(node)}${path.delimiter}${process.env.PATH}`;
    await runCommand(command, args, { signal, cwd: folder, env: { PATH, ...headers() }, isShown: true });
  };
  const npm = async (...args: string[]) => {
    await run('npm', ...args, '--no-audit', '--no-fund', '--loglevel=error');
  };
  // Without scripts: only two of n8n's packages need one, which follow.
  await npm('install', '--legacy-peer-deps', '--ignore-scripts');
  for (const name of ['node', 'sqlite3']) await npm('rebuild', name, '--ignore-scripts=false');
  // Compiles the driver of n8n's database if no prebuilt one can be had.
  await run(node, '-e', "require('sqlite3')");
  await writeFile(stamp, manifest);
  return program;
}

function manifestOf(release: ReleaseName): string {
  const manifest = {
    private: true,
    // n8n's node "Extract from File" needs date-fns, a peer dependency: these conflict, and are left out.
    dependencies: { n8n: release, 'date-fns': '2.30.0', node: NODE_VERSION },
    // Their ranges have come to include releases that break n8n or are no longer available.
    overrides: { linkedom: '0.18.12', '@langchain/langgraph': '1.4.17' },
    // Newer npm asks which packages may run scripts; older npm ignores the answer.
    allowScripts: { node: true, sqlite3: true },
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** If this Node has its headers, npm need not download them: the driver works with each version of Node. */
function headers(): NodeJS.ProcessEnv {
  const folder = path.resolve(process.execPath, '..', '..');
  return existsSync(path.join(folder, 'include', 'node', 'node_version.h')) ? { npm_config_nodedir: folder } : {};
}
