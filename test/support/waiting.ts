/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
/** Waits for tests in Jest that also work on a busy machine. */
import { setTimeout as pause } from 'node:timers/promises';

/** Waits until the condition holds; if it never does, the test's time is up. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(2);
}

/** Gives work that is under way many turns of the event loop: a busy machine can use up a single long pause in one. */
export async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 25; turn += 1) await pause(2);
}
