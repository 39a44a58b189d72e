/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';

import { runCommand } from '../tools/cli/command';
import type { Session } from '../tools/cli/session';
import { makeTemporaryFolder } from '../tools/cli/temporaryFolder';
import { unpackPackage } from '../tools/n8n/package';
import { PROJECT_FOLDER } from '../tools/project';

/** A package to measure: packed for real n8n, unpacked for n8n's engine in this process. */
export interface Package {
  readonly tarball: string;
  readonly folder: string;
}

/** @param source anything that npm can pack: a folder with a built package, a tarball, a published version */
export async function pack(source: string, { signal, cleanup }: Session): Promise<Package> {
  const packed = await makeTemporaryFolder('packed', cleanup);
  await runCommand('npm', ['pack', '--ignore-scripts', '--pack-destination', packed, source], { signal });
  const [tarball = ''] = await readdir(packed);
  const home = await makeTemporaryFolder('unpacked', cleanup);
  // All share one n8n-workflow, as in n8n.
  await symlink(join(PROJECT_FOLDER, 'node_modules'), join(home, 'node_modules'));
  return { tarball: join(packed, tarball), folder: await unpackPackage(join(packed, tarball), home, signal) };
}
