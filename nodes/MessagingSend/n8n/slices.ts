import { sleep } from 'n8n-workflow';

/** Longest time that a run keeps the process to itself at a stretch, in milliseconds: n8n serves everyone from one. */
const SLICE = 15;

/** Work over many messages that yields wherever it can be interrupted. */
export type Interruptible<Result> = Generator<void, Result>;

/** Work that took less is done without a pause after it, so that a small run is not held up. */
const SHORT = 10;

/** Does such work a slice at a time, and lets all else that waits in this process go on after each. */
export async function inSlices<Result>(work: Interruptible<Result>): Promise<Result> {
  for (;;) {
    const start = performance.now();
    let step = work.next();
    while (step.done !== true && performance.now() < start + SLICE) step = work.next();
    if (step.done !== true || performance.now() > start + SHORT) await sleep(0);
    if (step.done === true) return step.value;
  }
}
