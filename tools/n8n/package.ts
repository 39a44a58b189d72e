/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';

import { runCommand } from '../cli/command';
import { ExpectedError } from '../cli/errors';

/** Names the packed package to use; without it, this one is built and packed. */
export const TARBALL_VARIABLE = 'MESSAGING_SEND_TARBALL';

/** Builds this package and packs it, as it would be published. */
export async function packPackage(folder: string, signal: AbortSignal): Promise<string> {
  await mkdir(folder, { recursive: true });
  // Overrides the user's settings: the script that npm runs first builds the package.
  await runCommand('npm', ['pack', '--ignore-scripts=false', '--pack-destination', folder], { signal });
  const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz'));
  if (tarball === undefined) throw new ExpectedError(`npm pack left no tarball in ${folder}`);
  return path.join(folder, tarball);
}

/** Unpacks a packed package where n8n looks for it, among the installed community nodes. */
export async function unpackPackage(tarball: string, userFolder: string, signal: AbortSignal): Promise<string> {
  const folder = path.join(userFolder, '.n8n', 'nodes', 'node_modules', 'n8n-nodes-messaging-send');
  await mkdir(folder, { recursive: true });
  // Everything in a tarball made by npm is in one folder, "package".
  await runCommand('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1'], { signal });
  return folder;
}

export async function providePackage(userFolder: string, signal: AbortSignal): Promise<void> {
  const tarball = process.env[TARBALL_VARIABLE] ?? (await packPackage(path.join(userFolder, 'package'), signal));
  await unpackPackage(tarball, userFolder, signal);
}
