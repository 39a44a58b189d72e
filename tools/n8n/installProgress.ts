import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';

import { Presets, SingleBar } from 'cli-progress';

const BETWEEN_LOOKS_MS = 1_000;
/** Where the output is no terminal, the bar is a line now and then. */
const BETWEEN_LINES_MS = 30_000;
const KILOBYTES_PER_GIGABYTE = 1024 * 1024;

/**
 * Shows a bar while something is installed into a folder, by the size that the folder has reached.
 *
 * @param gigabytes  the size it will have
 */
export async function showProgress<Result>(
  folder: string,
  gigabytes: number,
  install: () => Promise<Result>,
  stream: NodeJS.WritableStream = process.stdout,
): Promise<Result> {
  const bar = new SingleBar(
    {
      format: `  {bar} {percentage}%  {size} of ${gigabytes} GB  {duration_formatted}`,
      stream,
      hideCursor: true,
      noTTYOutput: true,
      notTTYSchedule: BETWEEN_LINES_MS,
    },
    Presets.shades_classic,
  );
  const look = async () => {
    const size = (await kilobytesIn(folder)) / KILOBYTES_PER_GIGABYTE;
    bar.update(Math.min(size, gigabytes), { size: size.toFixed(1) });
  };
  bar.start(gigabytes, 0, { size: '0.0' });
  const ended = new AbortController();
  const looking = (async () => {
    while (!ended.signal.aborted) {
      await look();
      await pause(BETWEEN_LOOKS_MS, undefined, { signal: ended.signal }).catch(() => undefined);
    }
  })();
  try {
    return await install();
  } finally {
    ended.abort();
    await looking;
    await look();
    bar.stop();
  }
}

/** What a folder takes on the disk. A file that vanishes meanwhile is no failure: `du` reports it, and counts the rest. */
async function kilobytesIn(folder: string): Promise<number> {
  return await new Promise((resolve) => {
    execFile('du', ['-sk', folder], (_failure, output) => {
      resolve(Number.parseInt(output, 10) || 0);
    });
  });
}
