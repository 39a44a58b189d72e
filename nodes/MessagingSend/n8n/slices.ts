import { sleep } from 'n8n-workflow';

import type { Interruptible } from '../messages/message';

/** The longest that this node works in one turn of the event loop, in milliseconds: n8n serves everyone from one. */
const MAX_WORK = 15;

/** When the node began to work in this turn, whichever run that was; null before. */
let began: number | null = null;

function isUsedUp(): boolean {
  if (began === null) {
    began = performance.now();
    void sleep(0).then(() => (began = null));
  }
  return performance.now() > began + MAX_WORK;
}

/** For a loop of asynchronous steps: call it before each, and everything else in this process runs from time to time. */
export async function pause(): Promise<void> {
  // Others that have waited may have used up the next turn.
  while (isUsedUp()) await sleep(0);
}

/** How many steps are done between two looks at the clock: most take some microseconds, and none a millisecond. */
const STEPS_BETWEEN_LOOKS = 8;

/** Does the work a slice at a time, and lets everything else that waits in this process run after each. */
export async function inSlices<Result>(work: Interruptible<Result>): Promise<Result> {
  for (let steps = 1; ; steps += 1) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (steps % STEPS_BETWEEN_LOOKS === 0 && isUsedUp()) await pause();
  }
}
