/** Two packages, each in an n8n of its own, side by side. */
import type { Session } from '../tools/cli/session';
import { inTurn, ratios, type Series } from './measurements';
import { type Package, type RealN8n, startRealN8n, withSession } from './realN8n';
import type { RemoteSandbox } from './sandbox';

/** Starts an n8n with each package, and ends them after `use`. */
export async function withEach<Result>(
  packages: readonly Package[],
  sandbox: RemoteSandbox,
  environment: (session: Session) => NodeJS.ProcessEnv | Promise<NodeJS.ProcessEnv>,
  say: Session['say'],
  use: (each: readonly RealN8n[], session: Session) => Promise<Result>,
): Promise<Result> {
  return await withSession(say, async (session) => {
    const started: RealN8n[] = [];
    for (const given of packages) {
      say(`Starting n8n: ${given.name}`);
      started.push(await startRealN8n(given, sandbox, await environment(session), session));
    }
    return await use(started, session);
  });
}

export interface Comparison {
  readonly case: string;
  /** Of the figures of a round. */
  readonly units: readonly string[];
  readonly rounds: number;
  /** Runs one round; returns its figures. */
  readonly run: (n8n: RealN8n) => Promise<readonly number[]>;
}

/**
 * Measures in turn, after a warm-up.
 *
 * @returns for each unit, a series of each n8n and one of the ratios, by round, of the first to the last: what slows down a
 * round slows down both
 */
export async function compare(
  { case: what, units, rounds, run }: Comparison,
  each: readonly RealN8n[],
  log: (line: string) => void,
): Promise<Series[][]> {
  const measured = each.map((): Array<readonly number[]> => []);
  const contenders = each.map((n8n, index) => ({
    name: n8n.name,
    run: async () => measured[index]?.push(await run(n8n)) ?? 0,
  }));
  await inTurn({ case: what, unit: '' }, contenders, rounds, log);
  return units.map((unit, place) => {
    const series = each.map(({ name }, index): Series => {
      // The first was the warm-up.
      const own = (measured[index] ?? []).slice(1);
      return { case: what, contender: name, unit, rounds: own.map((figures) => figures[place] ?? NaN) };
    });
    const [first, last] = [series[0], series.at(-1)];
    if (first === undefined || last === undefined) throw new Error('there is nothing to compare');
    return [...series, ratios(first, last)];
  });
}
