import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { runCommand } from '../cli/command';
import { ExpectedError } from '../cli/errors';
import { asObject } from '../json';

const PACKAGE_NAME = 'n8n-nodes-messaging-send';

/** Builds this package into `dist/`. */
export async function buildPackage(signal: AbortSignal): Promise<void> {
  await runCommand('npm', ['run', 'build'], { signal });
}

/**
 * Builds this package and packs it, as it would be published.
 *
 * @param folder  where the tarball goes
 * @returns the path of the tarball
 */
export async function packPackage(folder: string, signal: AbortSignal): Promise<string> {
  await mkdir(folder, { recursive: true });
  await buildPackage(signal);
  await runCommand('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { signal });
  const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz'));
  if (tarball === undefined) throw new ExpectedError(`npm pack left no tarball in ${folder}`);
  return path.join(folder, tarball);
}

/**
 * The folder in which n8n looks for this package among the installed community nodes.
 *
 * @param userFolder  what n8n gets as `N8N_USER_FOLDER`
 */
export function packageFolderOf(userFolder: string): string {
  return path.join(userFolder, '.n8n', 'nodes', 'node_modules', PACKAGE_NAME);
}

/**
 * Unpacks a packed package where n8n looks for it.
 *
 * @returns the package's folder there
 */
export async function unpackPackage(tarball: string, userFolder: string, signal: AbortSignal): Promise<string> {
  const folder = packageFolderOf(userFolder);
  await mkdir(folder, { recursive: true });
  // Everything in a tarball made by npm is in one folder, "package".
  await runCommand('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1'], { signal });
  return folder;
}

/** Fields of package.json that n8n's installer removes: those packages are not for whoever uses this one. */
const REMOVED = ['devDependencies', 'peerDependencies', 'optionalDependencies'];

const INSTALL_FLAGS = [
  '--audit=false',
  '--fund=false',
  '--bin-links=false',
  '--install-strategy=shallow',
  '--ignore-scripts=true',
  '--package-lock=false',
];

/**
 * Installs a packed package as n8n's own installer does: unpacks it, removes dependencies that its users don't need,
 * and has npm install the others into the package's folder.
 *
 * n8n installs packages from npm's own registry alone (others need a licence), so its button can't be used for a
 * package that is not published. These are its steps: `downloadPackage` of its community-packages service.
 *
 * @returns the package's folder
 */
export async function installPackage(tarball: string, userFolder: string, signal: AbortSignal): Promise<string> {
  const folder = await unpackPackage(tarball, userFolder, signal);
  const file = path.join(folder, 'package.json');
  const fields = Object.entries(asObject(JSON.parse(await readFile(file, 'utf8')), file));
  const manifest = Object.fromEntries(fields.filter(([field]) => !REMOVED.includes(field)));
  await writeFile(file, JSON.stringify(manifest, null, 2));
  await runCommand('npm', ['install', ...INSTALL_FLAGS], { signal, cwd: folder });
  const installed = { name: 'installed-nodes', private: true, dependencies: { [PACKAGE_NAME]: manifest.version } };
  await writeFile(path.join(folder, '..', '..', 'package.json'), JSON.stringify(installed, null, 2));
  return folder;
}
