import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { execa, ExecaError } from 'execa';

import { PROJECT_FOLDER } from '../tools/project';
import { DemoFailure, systemCode } from './failure';
import { asObject } from './json';

/**
 * Builds this package and packs it, as it would go to the registry.
 *
 * @param folder  where the tarball goes
 * @returns the path of the tarball
 */
export async function packPackage(folder: string, signal: AbortSignal): Promise<string> {
  await mkdir(folder, { recursive: true });
  await tool('npm', ['run', 'build'], signal);
  await tool('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], signal);
  const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz'));
  if (tarball === undefined) throw new DemoFailure(`npm pack left no tarball in ${folder}`);
  return path.join(folder, tarball);
}

/**
 * Puts a packed package where n8n looks for installed community nodes.
 *
 * @param tarball     a result of {@link packPackage}
 * @param userFolder  what n8n gets as `N8N_USER_FOLDER`
 * @returns the package's folder there
 */
export async function placePackage(tarball: string, userFolder: string, signal: AbortSignal): Promise<string> {
  const target = path.join(userFolder, '.n8n', 'nodes', 'node_modules', PACKAGE_NAME);
  await mkdir(target, { recursive: true });
  // Everything in a tarball made by npm lies in one folder, "package".
  await tool('tar', ['-xzf', tarball, '-C', target, '--strip-components=1'], signal);
  return target;
}

/**
 * Installs a packed package as n8n's own installer does: unpacks it, strikes out the dependencies that are not for
 * whoever uses it, and has npm install the others into the package's folder.
 *
 * n8n takes packages from npm's own registry alone (others need a licence), so its button can't be pressed for a
 * package that is not published. These are its steps: `downloadPackage` of its community-packages service.
 *
 * @returns the package's folder
 */
export async function installPackage(tarball: string, userFolder: string, signal: AbortSignal): Promise<string> {
  const folder = await placePackage(tarball, userFolder, signal);
  const file = path.join(folder, 'package.json');
  const manifest = asObject(JSON.parse(await readFile(file, 'utf8')), file);
  for (const kind of ['devDependencies', 'peerDependencies', 'optionalDependencies']) delete manifest[kind];
  await writeFile(file, JSON.stringify(manifest, null, 2));
  await tool('npm', ['install', ...INSTALL_FLAGS], signal, folder);
  const installed = { name: 'installed-nodes', private: true, dependencies: { [PACKAGE_NAME]: manifest.version } };
  await writeFile(path.join(folder, '..', '..', 'package.json'), JSON.stringify(installed, null, 2));
  return folder;
}

const PACKAGE_NAME = 'n8n-nodes-messaging-send';
const INSTALL_FLAGS = [
  '--audit=false',
  '--fund=false',
  '--bin-links=false',
  '--install-strategy=shallow',
  '--ignore-scripts=true',
  '--package-lock=false',
];

async function tool(command: string, args: string[], signal: AbortSignal, cwd = PROJECT_FOLDER): Promise<void> {
  try {
    await execa(command, args, { cwd, stdin: 'ignore', all: true, cancelSignal: signal });
  } catch (failure) {
    signal.throwIfAborted();
    if (systemCode(failure) === 'ENOENT') throw new DemoFailure(`The command ${command} can't be found.`);
    const output = failure instanceof ExecaError ? String(failure.all ?? '').trim() : '';
    throw new DemoFailure(`"${command} ${args.slice(0, 2).join(' ')}" failed:\n${lastLines(output, 15)}`);
  }
}

function lastLines(text: string, count: number): string {
  return text.split('\n').slice(-count).join('\n');
}
