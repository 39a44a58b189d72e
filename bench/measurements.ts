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

/** Their median. */
export function ratio(of: Series, to: Series): number {
  return median(ratios(of, to).rounds);
}

export interface Contender {
  readonly name: string;
  /** Runs one round; returns the measured figure. */
  readonly run: () => Promise<number>;
}

/** Runs contenders in turn (A B A B …), after a warm-up of each. */
export async function inTurn(
  given: Pick<Series, 'case' | 'unit'>,
  contenders: readonly Contender[],
  rounds: number,
  log: (line: string) => void,
): Promise<Series[]> {
  const measured = contenders.map((): number[] => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, { name, run }] of contenders.entries()) {
      log(`${given.case}, ${round === 0 ? 'warm-up' : `round ${round} of ${rounds}`}: ${name}`);
      global.gc?.();
      const value = await run();
      if (round > 0) measured[index]?.push(value);
    }
  }
  return contenders.map(({ name }, index) => ({ ...given, contender: name, rounds: measured[index] ?? [] }));
}
