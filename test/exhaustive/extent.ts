/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
/** How much of the exhaustive tests runs: a sample in `npm test`, everything in `npm run test:exhaustive`. */
import { seededRandom } from '../../tools/random';

/** How many random histories to run; `npm run test:exhaustive` sets it, `npm test` does not. */
const wanted = process.env.MESSAGING_SEND_HISTORIES;
const SAMPLED_HISTORIES = 60;
const SAMPLED_KILLS = 1;

/** Jest prints it; `--seed` gives it. */
export const SEED = jest.getSeed();
const random = seededRandom(SEED);
export const IS_WHOLE = wanted !== undefined;
export const HISTORIES = wanted === undefined ? SAMPLED_HISTORIES : Number(wanted);

/** All of a test's kills; in `npm test` a few, chosen at random. */
export function killsOf<Kill>(all: readonly Kill[]): readonly Kill[] {
  if (wanted !== undefined) return all;
  const ranked = all.map((kill) => ({ kill, rank: random() })).sort((one, other) => one.rank - other.rank);
  return ranked.slice(0, SAMPLED_KILLS).map(({ kill }) => kill);
}
