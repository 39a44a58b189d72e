/** The results of one contender in one case, by round. */
export interface Series {
  readonly case: string;
  readonly contender: string;
  readonly unit: string;
  readonly rounds: readonly number[];
}

/** A target that the project sets itself. */
export interface Goal {
  readonly goal: string;
  readonly measured: number;
  readonly met: boolean;
}

export interface Measurements {
  readonly series: readonly Series[];
  readonly goals: readonly Goal[];
}

export function atMost(goal: string, measured: number, limit: number): Goal {
  return { goal: `${goal}: at most ${limit}`, measured, met: measured <= limit };
}

export function atLeast(goal: string, measured: number, limit: number): Goal {
  return { goal: `${goal}: at least ${limit}`, measured, met: measured >= limit };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? NaN)
    : ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2;
}

/** The ratios of two series by round: what slows down a round slows down both. */
export function ratios(of: Series, to: Series): Series {
  const rounds = of.rounds.map((value, round) => value / (to.rounds[round] ?? NaN));
  return { case: of.case, contender: `${of.contender} over ${to.contender}`, unit: `x ${of.unit}`, rounds };
}

/** The median of those ratios. */
export function ratio(of: Series, to: Series): number {
  return median(ratios(of, to).rounds);
}

export interface Contender {
  readonly name: string;
  /** Runs one round; returns the measured figure. */
  readonly run: () => Promise<number>;
}

/** n8n runs for weeks, so its code is compiled: each contender handles so many items before it is measured. */
const ITEMS_OF_WARM_UP = 10_000;

/** How many runs of so many items that takes. */
export function warmUpsFor(items: number): number {
  return Math.ceil(ITEMS_OF_WARM_UP / items);
}

/** Runs contenders in turn (A B A B …), after so many runs of each that don't count. */
export async function inTurn(
  given: Pick<Series, 'case' | 'unit'>,
  contenders: readonly Contender[],
  rounds: number,
  log: (line: string) => void,
  warmUps = 1,
): Promise<Series[]> {
  const measured = contenders.map((): number[] => []);
  for (let round = 1 - warmUps; round <= rounds; round += 1) {
    for (const [index, { name, run }] of contenders.entries()) {
      if (round > 0 || round === 1 - warmUps) {
        log(`${given.case}, ${round > 0 ? `round ${round} of ${rounds}` : 'warm-up'}: ${name}`);
      }
      collectYoungGarbage();
      const value = await run();
      if (round > 0) measured[index]?.push(value);
    }
  }
  return contenders.map(({ name }, index) => ({ ...given, contender: name, rounds: measured[index] ?? [] }));
}

/**
 * What one contender leaves behind is not collected in the time of the next. A full collection would also make V8 forget
 * much of what it has compiled.
 */
function collectYoungGarbage(): void {
  (global.gc as ((options: { type: 'minor' }) => void) | undefined)?.({ type: 'minor' });
}
