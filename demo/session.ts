import { Closing } from './closing';
import { DemoFailure, Stopped, systemCode } from './failure';

/** System calls fail with these for want of a port, disk space or permission, and say so in words. */
const MACHINE_FAILURES = ['EADDRINUSE', 'ENOSPC', 'EACCES', 'EROFS'];

/** What a command of the demo works with. */
export interface Session {
  /** Aborted, with {@link Stopped}, when the user asks to stop. */
  signal: AbortSignal;
  closing: Closing;
  say: (line: string) => void;
}

/**
 * Runs a command of the demo from start to end, and sets the exit code.
 *
 * Ctrl-C, a closed terminal or a kill stops it in an orderly way; whatever happens, all it started is ended. A
 * failure the user can do something about becomes a line on the error output, without a stack trace.
 *
 * @param work  the command; returns the exit code
 */
export async function runSession(work: (session: Session) => Promise<number>): Promise<void> {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => stop.abort(new Stopped()));
  const closing = new Closing();
  const say = (line: string) => console.log(line);
  try {
    process.exitCode = await work({ signal: stop.signal, closing, say });
  } catch (failure) {
    process.exitCode = tell(failure, stop.signal);
  }
  await closing.close().catch((failure: unknown) => (process.exitCode = tell(failure, stop.signal)));
}

function tell(failure: unknown, signal: AbortSignal): number {
  if (failure instanceof Stopped || signal.aborted) {
    console.error('Stopped.');
    return 130;
  }
  const isExpected = failure instanceof DemoFailure || MACHINE_FAILURES.includes(systemCode(failure) ?? '');
  // Anything else is a mistake in this code, and its stack trace is wanted.
  console.error(isExpected && failure instanceof Error ? `Failed: ${failure.message}` : failure);
  return 1;
}
