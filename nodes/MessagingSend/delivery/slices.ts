import { sleep } from 'n8n-workflow';

/** Longest time that a run keeps the process to itself at a stretch, in milliseconds: n8n serves everyone from one. */
const SLICE = 15;

/** Work over many messages that yields wherever it can be interrupted. */
export type Interruptible<Result> = Generator<void, Result>;

/** Does such work a slice at a time, and lets all else that waits in this process go on in between. */
export async function inSlices<Result>(work: Interruptible<Result>): Promise<Result> {
  for (;;) {
    const end = performance.now() + SLICE;
    do {
      const step = work.next();
      if (step.done === true) return step.value;
    } while (performance.now() < end);
    await sleep(0);
  }
}
