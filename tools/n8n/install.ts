import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import envPaths from 'env-paths';
import { execa } from 'execa';

import { runCommand } from '../cli/command';
import { ExpectedError } from '../cli/errors';
import { type Session } from '../cli/session';
import { showProgress } from './installProgress';
import { type N8nProgram } from './process';
import { type Release, type ReleaseName, releaseOf } from './releases';

/** Names another folder to keep n8n in between runs. */
export const CACHE_VARIABLE = 'MESSAGING_SEND_DEMO_CACHE';

/**
 * Finds a release of n8n in the cache folder, or installs it there (once; some minutes, over 2 GB).
 *
 * An installation gets its place only when it is complete, so an interrupted one is never taken for a finished one.
 * Two runs that need it at the same time both install it, and the first one's is kept.
 *
 * @throws ExpectedError when the network, the disk or a tool is missing
 */
export async function installN8n(name: ReleaseName, session: Session): Promise<N8nProgram> {
  const plan = planInstallation(releaseOf(name));
  if (await isInstalled(plan)) return programIn(plan);

  const { gigabytes } = plan.release;
  const started = Date.now();
  const elapsed = () => `${Math.round((Date.now() - started) / 1000)} s`;
  session.say(`Installing n8n ${name} into ${plan.folder} (once; about 5 minutes and ${gigabytes} GB)`);
  await mkdir(path.dirname(plan.folder), { recursive: true });
  const unfinished = await mkdtemp(`${plan.folder}-unfinished-`);
  try {
    await installInto(unfinished, plan, session);
    if (!(await isInstalled(plan))) {
      await rm(plan.folder, { recursive: true, force: true });
      await rename(unfinished, plan.folder);
    }
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  session.say(`n8n ${name} installed in ${elapsed()}`);
  return programIn(plan);
}

interface Plan {
  release: Release;
  /** Where the installation is kept. */
  folder: string;
  /** The text of its package.json. */
  manifest: string;
  /** Whether it includes a Node of its own. */
  includesNode: boolean;
}

/** Holds the manifest of a complete installation. */
const STAMP = 'finished.json';

function planInstallation(release: Release): Plan {
  // One of n8n's native parts is prebuilt for certain Node versions only, so "this or newer" would be too wide.
  const includesNode = majorOf(process.versions.node) !== majorOf(release.node);
  const cache = process.env[CACHE_VARIABLE] ?? envPaths('n8n-nodes-messaging-send', { suffix: '' }).cache;
  const manifest = {
    private: true,
    dependencies: { n8n: release.version, ...release.dependencies, ...(includesNode ? { node: release.node } : {}) },
    overrides: release.overrides,
    // Newer npm asks which packages may run scripts; older npm ignores the answer.
    allowScripts: { node: true, sqlite3: true },
  };
  return {
    release,
    folder: path.resolve(cache, `n8n-${release.version}-${includesNode ? 'with-node' : 'own-node'}`),
    manifest: `${JSON.stringify(manifest, null, 2)}\n`,
    includesNode,
  };
}

function majorOf(version: string): string {
  return version.split('.')[0] ?? '';
}

function programIn(plan: Plan): N8nProgram {
  const entry = path.join(plan.folder, 'node_modules', 'n8n', 'bin', 'n8n');
  return { file: nodeBinaryIn(plan.folder, plan), args: [entry] };
}

function nodeBinaryIn(folder: string, { includesNode }: Plan): string {
  return includesNode ? path.join(folder, 'node_modules', 'node', 'bin', 'node') : process.execPath;
}

async function isInstalled({ folder, manifest }: Plan): Promise<boolean> {
  const stamp = await readFile(path.join(folder, STAMP), 'utf8').catch(() => undefined);
  return stamp === manifest;
}

const RUN_SCRIPTS = ['--ignore-scripts=false', '--foreground-scripts'];

async function installInto(folder: string, plan: Plan, { say, signal }: Session): Promise<void> {
  const nodeBinary = nodeBinaryIn(folder, plan);
  const npm = async (...args: string[]) => {
    await runCommand('npm', [...args, '--prefix', folder, '--no-audit', '--no-fund', '--no-progress'], {
      signal,
      cwd: folder,
      env: {
        // The Node that will load the driver also builds it, from its own headers where they are available.
        PATH: `${path.dirname(nodeBinary)}${path.delimiter}${process.env.PATH ?? ''}`,
        ...(await headersSetting(folder, plan)),
      },
    });
  };
  await writeFile(path.join(folder, 'package.json'), plan.manifest);
  // Without scripts: most of n8n's packages need none, and the two that do follow one by one.
  await showProgress(folder, plan.release.gigabytes, async () => {
    await npm('install', '--legacy-peer-deps', '--ignore-scripts');
    if (plan.includesNode) await npm('rebuild', 'node', ...RUN_SCRIPTS);
  });

  say('  The driver of its SQLite database: compiled here if there is no prebuilt one');
  try {
    await npm('rebuild', 'sqlite3', ...RUN_SCRIPTS);
    await execa(nodeBinary, ['-e', "require('sqlite3')"], { cwd: folder, cancelSignal: signal });
  } catch (failure) {
    signal.throwIfAborted();
    await requireBuildTools();
    throw failure;
  }
  await writeFile(path.join(folder, STAMP), plan.manifest);
}

/** npm's setting for where Node's headers are, if they are on this machine. */
async function headersSetting(folder: string, { includesNode }: Plan): Promise<NodeJS.ProcessEnv> {
  if (process.env.npm_config_nodedir !== undefined) return {};
  const beside = path.join(folder, 'node_modules', 'node', 'node_modules');
  const candidates = includesNode
    ? (await readdir(beside).catch(() => [])).map((name) => path.join(beside, name))
    : [path.resolve(process.execPath, '..', '..')];
  const found = candidates.find((candidate) => existsSync(path.join(candidate, 'include', 'node', 'node_version.h')));
  return found === undefined ? {} : { npm_config_nodedir: found };
}

/** @throws ExpectedError when one is missing */
async function requireBuildTools(): Promise<void> {
  const tools = [
    { name: 'make', commands: ['make'] },
    { name: 'a C++ compiler', commands: ['c++', 'g++', 'clang++'] },
    { name: 'Python 3', commands: ['python3', 'python'] },
  ];
  const missing: string[] = [];
  for (const { name, commands } of tools) {
    const runs = await Promise.all(commands.map((command) => execa(command, ['--version'], { reject: false })));
    if (runs.every(({ failed }) => failed)) missing.push(name);
  }
  if (missing.length === 0) return;
  throw new ExpectedError(
    `n8n's database driver must be compiled on this machine, and ${missing.join(' and ')} can't be found. ` +
      'Install the build tools (on Debian or Ubuntu: apt-get install build-essential python3) and run this again.',
  );
}
