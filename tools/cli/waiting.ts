/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { setTimeout as pause } from 'node:timers/promises';

import { ExpectedError } from './errors';

const BETWEEN_PROBES_MS = 200;

/** Asks for something; `undefined` means that it isn't there yet. */
export type Probe<Answer> = () => Answer | undefined | Promise<Answer | undefined>;

/**
 * Asks again and again until there is an answer.
 * @param what     completes the sentence "waited 30 s for …"
 * @param seconds  how long to go on asking
 * @param options.signal    ends the wait early, with the signal's reason
 * @param options.evidence  what to show when the time is up, such as the last lines of a log
 * @throws ExpectedError when the time is up
 */
export async function waitFor<Answer>(
  what: string,
  seconds: number,
  probe: Probe<Answer>,
  options: { signal: AbortSignal; evidence: () => string },
): Promise<Answer> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    options.signal.throwIfAborted();
    const answer = await probe();
    if (answer !== undefined) return answer;
    if (Date.now() >= deadline) throw new ExpectedError(`Waited ${seconds} s for ${what}.\n${options.evidence()}`);
    // An abort during the pause is thrown, with its reason, at the top of the loop.
    await pause(BETWEEN_PROBES_MS, undefined, { signal: options.signal }).catch(() => undefined);
  }
}
