import { existsSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import envPaths from 'env-paths';
import { execa, ExecaError } from 'execa';

import { DemoFailure, systemCode } from './failure';
import { withLock } from './lock';
import { type Release, type ReleaseName, releaseOf } from './releases';

/** Names another folder to keep n8n in between runs. */
export const CACHE_VARIABLE = 'MESSAGING_SEND_DEMO_CACHE';

const PROGRESS_EVERY_MS = 10_000;
const INSTALL_DEADLINE_SECONDS = 1800;

/** An n8n on disk, and the Node to run it with. */
export interface N8nInstallation {
  nodeBinary: string;
  entry: string;
  /** What this release has to be told, beyond what all are told. */
  settings: Record<string, string>;
}

export interface InstallOptions {
  /** Is told, line by line, how far things are. */
  say: (line: string) => void;
  signal: AbortSignal;
}

/**
 * Finds a release of n8n in the cache folder, or installs it there (some minutes, over 2 GB, once).
 *
 * An installation counts only with the stamp that is written at its very end, so one that was broken off is
 * done again. Of two runs that need it at the same time, one installs and the other waits.
 *
 * @throws DemoFailure when the network, the disk or a tool is missing
 */
export async function installN8n(name: ReleaseName, { say, signal }: InstallOptions): Promise<N8nInstallation> {
  const plan = planInstallation(releaseOf(name));
  if (await isFinished(plan)) return plan.installation;

  await mkdir(path.dirname(plan.folder), { recursive: true });
  const onWait = () => say('Another run is installing n8n at this moment: waiting for it');
  return await withLock(
    `${plan.folder}.lock`,
    'another run to install n8n',
    INSTALL_DEADLINE_SECONDS,
    { signal, onWait },
    async () => {
      if (await isFinished(plan)) return plan.installation;

      const started = Date.now();
      say(`Installing n8n ${name} into ${plan.folder} (once; about 5 minutes and ${plan.release.gigabytes} GB)`);
      await rm(plan.folder, { recursive: true, force: true });
      await mkdir(plan.folder, { recursive: true });
      await writeFile(path.join(plan.folder, 'package.json'), plan.manifest);
      await downloadPackages(plan, { say, signal });
      await buildDatabaseDriver(plan, { say, signal });
      await writeFile(plan.stamp, plan.manifest);
      say(`n8n ${name} installed in ${Math.round((Date.now() - started) / 1000)} s`);
      return plan.installation;
    },
  );
}

interface Plan {
  release: Release;
  folder: string;
  manifest: string;
  stamp: string;
  log: string;
  /** Whether Node has to be installed too. */
  bringsNode: boolean;
  installation: N8nInstallation;
}

function planInstallation(release: Release): Plan {
  // One of n8n's native parts comes prebuilt for certain Node versions only, so "this or newer" would be too wide.
  const bringsNode = majorOf(process.versions.node) !== majorOf(release.node);
  const cache = process.env[CACHE_VARIABLE] ?? envPaths('n8n-nodes-messaging-send', { suffix: '' }).cache;
  const folder = path.resolve(cache, `n8n-${release.version}-${bringsNode ? 'with-node' : 'own-node'}`);
  const manifest = {
    private: true,
    dependencies: { n8n: release.version, ...release.dependencies, ...(bringsNode ? { node: release.node } : {}) },
    overrides: release.overrides,
    // npm that asks which packages may run scripts finds the answer here; older npm passes over it.
    allowScripts: { node: true, sqlite3: true },
  };
  return {
    release,
    folder,
    manifest: `${JSON.stringify(manifest, null, 2)}\n`,
    stamp: path.join(folder, 'finished.json'),
    log: path.join(folder, 'install.log'),
    bringsNode,
    installation: {
      nodeBinary: bringsNode ? path.join(folder, 'node_modules', 'node', 'bin', 'node') : process.execPath,
      entry: path.join(folder, 'node_modules', 'n8n', 'bin', 'n8n'),
      settings: release.settings,
    },
  };
}

function majorOf(version: string): string {
  return version.split('.')[0] ?? '';
}

async function isFinished(plan: Plan): Promise<boolean> {
  const stamp = await readFile(plan.stamp, 'utf8').catch(() => undefined);
  return stamp === plan.manifest;
}

async function downloadPackages(plan: Plan, { say, signal }: InstallOptions): Promise<void> {
  const started = Date.now();
  const ticker = setInterval(() => {
    void describeProgress(plan).then((progress) => {
      say(`  ${Math.round((Date.now() - started) / 1000)} s: ${progress}`);
    });
  }, PROGRESS_EVERY_MS);
  try {
    // No scripts: most of n8n's packages need none, and the two that do follow one by one.
    // npm's requests in the log are what tells how far it is.
    await npm(plan, ['install', '--legacy-peer-deps', '--ignore-scripts', '--loglevel=http'], signal);
    if (plan.bringsNode) await npm(plan, ['rebuild', 'node', ...RUN_SCRIPTS], signal);
  } finally {
    clearInterval(ticker);
  }
}

async function describeProgress({ log: file, release }: Plan): Promise<string> {
  const log = await readFile(file, 'utf8').catch(() => '');
  const requests = log.split('\n').filter((line) => line.startsWith('npm http '));
  const downloaded = requests.filter((line) => line.includes('.tgz ')).length;
  return downloaded === 0
    ? `${requests.length} packages looked up`
    : `${downloaded} of about ${release.packages} packages downloaded`;
}

const RUN_SCRIPTS = ['--ignore-scripts=false', '--foreground-scripts'];

async function buildDatabaseDriver(plan: Plan, { say, signal }: InstallOptions): Promise<void> {
  say('  getting the driver of its SQLite database (compiled here, for a minute, if there is no prebuilt one)');
  try {
    await npm(plan, ['rebuild', 'sqlite3', ...RUN_SCRIPTS], signal);
    await execa(plan.installation.nodeBinary, ['-e', "require('sqlite3')"], { cwd: plan.folder, cancelSignal: signal });
  } catch (failure) {
    signal.throwIfAborted();
    const missing = await missingBuildTools();
    if (missing.length === 0) throw failure;
    throw new DemoFailure(
      `n8n's database driver has to be compiled on this machine, and ${missing.join(' and ')} can't be found. ` +
        'Install the build tools (on Debian or Ubuntu: apt-get install build-essential python3) and run this again.',
    );
  }
}

async function missingBuildTools(): Promise<string[]> {
  const tools = [
    { name: 'make', commands: ['make'] },
    { name: 'a C++ compiler', commands: ['c++', 'g++', 'clang++'] },
    { name: 'Python 3', commands: ['python3', 'python'] },
  ];
  const missing: string[] = [];
  for (const { name, commands } of tools) {
    const found = await Promise.all(commands.map((command) => canRun(command)));
    if (!found.includes(true)) missing.push(name);
  }
  return missing;
}

async function canRun(command: string): Promise<boolean> {
  const { failed } = await execa(command, ['--version'], { reject: false });
  return !failed;
}

async function npm(plan: Plan, args: string[], signal: AbortSignal): Promise<void> {
  const search = `${path.dirname(plan.installation.nodeBinary)}${path.delimiter}${process.env.PATH ?? ''}`;
  const log = await open(plan.log, 'a');
  try {
    await log.write(`\n> npm ${args.join(' ')}\n`);
    await execa('npm', [...args, '--prefix', plan.folder, '--no-audit', '--no-fund', '--no-progress'], {
      cwd: plan.folder,
      // The Node that will load the driver also builds it, from its own headers where they are at hand.
      env: { PATH: search, ...(await headersOf(plan)) },
      stdin: 'ignore',
      stdout: { file: plan.log, append: true },
      stderr: { file: plan.log, append: true },
      cancelSignal: signal,
    });
  } catch (failure) {
    signal.throwIfAborted();
    throw new DemoFailure(`n8n ${plan.release.version} couldn't be installed: ${await reasonOf(plan, args, failure)}`);
  } finally {
    await log.close();
  }
}

async function headersOf(plan: Plan): Promise<{ npm_config_nodedir?: string }> {
  if (process.env.npm_config_nodedir !== undefined) return {};
  const beside = path.join(plan.folder, 'node_modules', 'node', 'node_modules');
  const packages = plan.bringsNode ? await readdir(beside).catch(() => []) : [];
  const candidates = plan.bringsNode
    ? packages.map((name) => path.join(beside, name))
    : [path.resolve(process.execPath, '..', '..')];
  const folder = candidates.find((candidate) => existsSync(path.join(candidate, 'include', 'node', 'node_version.h')));
  return folder === undefined ? {} : { npm_config_nodedir: folder };
}

/** A line of npm's that says something about the failure: its code and what happened, not where its log is. */
const NPM_COMPLAINT = /^npm (?:error|ERR!) (?!A complete log|gyp |syscall |errno |path |dest )(\S.*)/;

async function reasonOf(plan: Plan, args: string[], failure: unknown): Promise<string> {
  if (failure instanceof ExecaError && systemCode(failure) === 'ENOENT') return "the command npm can't be found.";
  const lines = (await readFile(plan.log, 'utf8')).split('\n');
  const complaints = lines.flatMap((line) => NPM_COMPLAINT.exec(line)?.[1] ?? []);
  return `npm ${args[0] ?? ''} failed (${complaints.slice(0, 2).join('; ')}). Everything it said is in ${plan.log}`;
}
