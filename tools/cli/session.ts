/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { once } from 'node:events';

import { Cleanup } from './cleanup';
import { ExpectedError, systemCode } from './errors';

/** System calls fail with these if a port, disk space or permission is missing, and their messages say so. */
const MACHINE_FAILURES = ['EADDRINUSE', 'ENOSPC', 'EACCES', 'EROFS'];

export interface Session {
  /** Aborted when the user asks to stop. */
  signal: AbortSignal;
  cleanup: Cleanup;
  say: (line: string) => void;
}

/**
 * Runs a command from start to end, and sets the exit code. Ctrl-C, a closed terminal and a kill stop it in an orderly
 * way, and its cleanup always runs. An {@link ExpectedError} is printed as one line, without a stack trace.
 */
export async function runSession(work: (session: Session) => Promise<number>): Promise<void> {
  const stop = stopOnSignals(['SIGINT', 'SIGTERM', 'SIGHUP']);
  const cleanup = new Cleanup();
  const report = (failure: unknown) => {
    process.exitCode = reportFailure(failure, stop);
  };
  try {
    process.exitCode = await work({ signal: stop, cleanup, say: (line) => console.log(line) });
  } catch (failure) {
    report(failure);
  }
  await cleanup.run().catch(report);
}

/** A signal that is aborted when this process is asked to end. */
export function stopOnSignals(names: NodeJS.Signals[]): AbortSignal {
  const stop = new AbortController();
  for (const name of names) process.on(name, () => stop.abort());
  return stop.signal;
}

export async function untilStopped(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

function reportFailure(failure: unknown, signal: AbortSignal): number {
  if (signal.aborted) {
    console.error('Stopped.');
    return 130;
  }
  const isExpected = failure instanceof ExpectedError || MACHINE_FAILURES.includes(systemCode(failure) ?? '');
  // Anything else is a bug in this code, so its stack trace is shown.
  console.error(isExpected && failure instanceof Error ? `Failed: ${failure.message}` : failure);
  return 1;
}
