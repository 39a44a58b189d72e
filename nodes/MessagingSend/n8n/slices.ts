import { sleep } from 'n8n-workflow';

import type { Interruptible } from '../messages/interruptible';

/** The longest that this node works in one turn of the event loop, in milliseconds: n8n serves everyone from one. */
const MAX_WORK = 15;

/** The turn in which the node works, whichever run that is; null before it begins to. */
let turn: { readonly began: number; readonly over: Promise<void> } | null = null;

function thisTurn(): NonNullable<typeof turn> {
  turn ??= { began: performance.now(), over: sleep(0).then(() => void (turn = null)) };
  return turn;
}

function isUsedUp(): boolean {
  return performance.now() > thisTurn().began + MAX_WORK;
}

/** For a loop of asynchronous steps: call it before each, and everything else in this process runs from time to time. */
export async function pause(): Promise<void> {
  // Others that have waited may have used up the next turn.
  while (isUsedUp()) await thisTurn().over;
}

/** Does the work a slice at a time, and lets everything else that waits in this process run after each. */
export async function inSlices<Result>(work: Interruptible<Result>): Promise<Result> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (isUsedUp()) await pause();
  }
}
