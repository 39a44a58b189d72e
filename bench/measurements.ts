/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import type { Session } from '../tools/cli/session';
import type { Package } from './packages';

export interface Options {
  /** How often each contender is measured, after a warm-up; parts with short runs repeat them more often. */
  readonly rounds: number;
  readonly own: Package;
  readonly before?: Package | undefined;
  readonly session: Session;
}

export interface Row {
  readonly what: string;
  /** Empty for a ratio. */
  readonly unit: string;
  readonly rounds: readonly number[];
  /** The target that the project sets itself. */
  readonly atMost?: number | undefined;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? NaN) + (sorted[Math.floor(middle)] ?? NaN)) / 2;
}

/** Ratios are taken by round: anything that slows down a round slows down both. */
export function over(of: readonly number[], to: readonly number[]): number[] {
  return of.map((value, round) => value / (to[round] ?? NaN));
}

/** The row that compares with the previous package, if there is one. */
export function overBefore(what: string, own: readonly number[], before?: readonly number[], atMost?: number): Row[] {
  return before === undefined
    ? []
    : [{ what: `${what}, over the package before`, unit: '', rounds: over(own, before), atMost }];
}

/** Runs contenders in turn (A B B A …), after this many uncounted runs of each; returns the figures of each. */
export async function inTurn<Runs extends Readonly<Record<string, () => Promise<number>>>>(
  runs: Runs,
  rounds: number,
  { signal }: Session,
  warmUps = 1,
): Promise<{ [Name in keyof Runs]: number[] }> {
  const measured = Object.entries(runs).map(([name, run]) => ({ name, run, figures: [] as number[] }));
  for (let round = 1 - warmUps; round <= rounds; round += 1) {
    for (const { run, figures } of round % 2 === 0 ? measured : measured.toReversed()) {
      signal.throwIfAborted();
      collectYoungGarbage();
      const figure = await run();
      if (round > 0) figures.push(figure);
    }
  }
  return Object.fromEntries(measured.map(({ name, figures }) => [name, figures])) as { [Name in keyof Runs]: number[] };
}

/** n8n runs for weeks, so its code is compiled: each contender handles 10,000 items before it is measured. */
export function warmUpsFor(items: number): number {
  return Math.ceil(10_000 / items);
}

/**
 * Garbage of one contender must not be collected in the time of the next. A full collection would also make V8 forget
 * much of its compiled code.
 */
function collectYoungGarbage(): void {
  (global.gc as ((options: { type: 'minor' }) => void) | undefined)?.({ type: 'minor' });
}
