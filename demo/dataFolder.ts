import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * Makes an empty folder for n8n's data.
 *
 * @param purpose  part of its name
 */
export async function makeDataFolder(purpose: string): Promise<string> {
  // n8n compares real paths, and a temporary folder may be reached through a link.
  return await mkdtemp(path.join(await realpath(tmpdir()), `n8n-messaging-send-${purpose}-`));
}
