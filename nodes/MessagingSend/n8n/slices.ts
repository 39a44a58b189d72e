import { sleep } from 'n8n-workflow';

import type { Interruptible } from '../messages/message';

/** The longest that a run blocks the event loop, in milliseconds: n8n serves everyone from one. */
const MAX_SLICE = 15;

/** Work that took less, in milliseconds, is followed by no pause, so that a small run is not held up. */
const MIN_PAUSED = 10;

/** For a loop of asynchronous steps: call it after each, and everything else in this process runs from time to time. */
export function pauses(): () => Promise<void> {
  let start = performance.now();
  return async () => {
    if (performance.now() < start + MAX_SLICE) return;
    await sleep(0);
    start = performance.now();
  };
}

/** Does the work a slice at a time, and lets everything else that waits in this process run after each. */
export async function inSlices<Result>(work: Interruptible<Result>): Promise<Result> {
  for (;;) {
    const start = performance.now();
    let step = work.next();
    while (step.done !== true && performance.now() < start + MAX_SLICE) step = work.next();
    if (step.done !== true || performance.now() > start + MIN_PAUSED) await sleep(0);
    if (step.done === true) return step.value;
  }
}
