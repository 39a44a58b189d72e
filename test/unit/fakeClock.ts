/** Time that a test drives, for what waits: the pacer and the requests. */
import { follow, type Wait } from '../../nodes/MessagingSend/requests/wait';

export const WINDOW = 60_000;
/** The pacer adds this to a window, because clocks and timers differ. */
export const MARGIN = 5;

/** A clock that a test drives: time passes only when nothing more can happen now. */
export class FakeClock {
  private time: number;
  private sleepers: Array<{ at: number; wake: () => void }> = [];

  constructor(start = 0) {
    this.time = start;
  }

  readonly now = (): number => this.time;

  readonly sleep = async (milliseconds: number): Promise<void> =>
    await new Promise<void>((wake) => this.sleepers.push({ at: this.time + milliseconds, wake }));

  /** Waits as the node does, for a time or for a promise, until the signal aborts it. */
  wait(signal?: AbortSignal): Wait {
    return async (what) => {
      signal?.throwIfAborted();
      const own = signal && follow(signal);
      const stopped = new Promise<void>((resolve) => own?.addEventListener('abort', () => resolve(), { once: true }));
      await Promise.race([typeof what === 'number' ? this.sleep(what) : what, stopped]);
      signal?.throwIfAborted();
    };
  }

  /** Lets time pass until nothing sleeps any more, or until the given time. */
  async run(until = Infinity): Promise<void> {
    for (;;) {
      await settled();
      const next = Math.min(...this.sleepers.map(({ at }) => at));
      if (next > until || next === Infinity) break;
      this.time = Math.max(this.time, next);
      const due = this.sleepers.filter(({ at }) => at <= this.time);
      this.sleepers = this.sleepers.filter(({ at }) => at > this.time);
      for (const { wake } of due) wake();
    }
    if (until !== Infinity) this.time = until;
  }
}

/** Waits until no promise can continue without time passing. */
export async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
