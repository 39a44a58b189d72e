/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { type Cleanup } from './cleanup';

/** Makes an empty folder, which `cleanup` removes. */
export async function makeTemporaryFolder(purpose: string, cleanup: Cleanup): Promise<string> {
  // n8n compares real paths, and a temporary folder may be reached through a link.
  const folder = await mkdtemp(path.join(await realpath(tmpdir()), `n8n-messaging-send-${purpose}-`));
  cleanup.add(async () => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
