import { link, readFile, rm, writeFile } from 'node:fs/promises';

import { systemCode } from './failure';
import { waitFor } from './waiting';

/**
 * Runs `work` while no other process runs under the same lock file; a lock left by a process that is gone is void.
 *
 * @param what     what the other process is waited for to do, completes "waited 30 s for …"
 * @param seconds  how long to wait for the other process
 * @param options.onWait  called once when there is another process to wait for
 * @throws DemoFailure when the other process takes longer
 */
export async function withLock<Result>(
  file: string,
  what: string,
  seconds: number,
  options: { signal: AbortSignal; onWait: () => void },
  work: () => Promise<Result>,
): Promise<Result> {
  let told = false;
  await waitFor(
    what,
    seconds,
    async () => {
      if (await takeLock(file)) return true;
      if (!told) options.onWait();
      told = true;
      return undefined;
    },
    { signal: options.signal, evidence: () => `If no other run is under way, remove ${file}` },
  );
  try {
    return await work();
  } finally {
    await rm(file, { force: true });
  }
}

async function takeLock(file: string): Promise<boolean> {
  // Written in full under a name of its own first: a lock is never seen without its owner.
  const own = `${file}.${process.pid}`;
  await writeFile(own, String(process.pid));
  try {
    await link(own, file);
    return true;
  } catch (failure) {
    if (systemCode(failure) !== 'EEXIST') throw failure;
    const owner = Number(await readFile(file, 'utf8').catch(() => ''));
    if (owner > 0 && !isRunning(owner)) await rm(file, { force: true });
    return false;
  } finally {
    await rm(own, { force: true });
  }
}

function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (failure) {
    return systemCode(failure) === 'EPERM';
  }
}
