/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
/** Time that a test drives, for code that waits: the pacer and the requests. */
import type { Clock, Wait } from '../../nodes/MessagingSend/requests/pacer';
import { waitUnless } from '../../nodes/MessagingSend/requests/requests';

export const MINUTE = 60_000;
/** How long a slot counts after the answer: the pacer adds a margin to the minute, because clocks and timers differ. */
export const WINDOW = MINUTE + 5;

/** A clock that a test drives: time passes only when nothing more can happen now. */
export class FakeClock implements Clock {
  private time: number;
  private sleepers: Array<{ at: number; wake: () => void }> = [];

  constructor(start = 0) {
    this.time = start;
  }

  readonly random = (): number => 1;

  readonly now = (): number => this.time;

  readonly sleep = async (milliseconds: number): Promise<void> =>
    await new Promise<void>((wake) => this.sleepers.push({ at: this.time + milliseconds, wake }));

  /** Waits as the node does, for a time or for a promise, until the signal aborts it. */
  wait(signal = new AbortController().signal): Wait {
    return waitUnless(signal, this);
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
