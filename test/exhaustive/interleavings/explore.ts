/** Every order in which the steps of two attempts can come. */
import crypto from 'node:crypto';

import type { Rule } from './rules';
import { type Scenario, TwoAttempts } from './world';

export interface Explored {
  readonly states: number;
  /** What happened until something went wrong; null where nothing does. */
  readonly story: readonly string[] | null;
}

/** Goes through all states, depth first; what comes after a state that was seen before is known. */
export async function explore(scenario: Scenario, off: Rule | null = null): Promise<Explored> {
  const seen = new Set<string>();
  const paths: number[][] = [[]];
  for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
    const world = newWorld(scenario, off);
    for (let step = 0; ; step += 1) {
      const actions = await world.next();
      const isNew = step >= path.length;
      if (isNew) {
        if (world.faults.length > 0) return { states: seen.size, story: [...world.story, ...world.faults] };
        const { state } = world;
        if (seen.has(state)) break;
        seen.add(state);
        if (actions.length === 0) break;
        for (let other = actions.length - 1; other > 0; other -= 1) paths.push([...path, other]);
        path.push(0);
      }
      actions[path[step] ?? 0]?.happen();
    }
  }
  return { states: seen.size, story: null };
}

/** The shortest way to something that goes wrong: breadth first. */
export async function shortestStory(scenario: Scenario, off: Rule): Promise<readonly string[] | null> {
  const seen = new Set<string>();
  let paths: number[][] = [[]];
  while (paths.length > 0) {
    const longer: number[][] = [];
    for (const path of paths) {
      const world = newWorld(scenario, off);
      for (const choice of path) (await world.next())[choice]?.happen();
      const actions = await world.next();
      if (world.faults.length > 0) return [...world.story, ...world.faults];
      if (seen.has(world.state)) continue;
      seen.add(world.state);
      for (const choice of actions.keys()) longer.push([...path, choice]);
    }
    paths = longer;
  }
  return null;
}

/** With the same marks whenever the same path is taken. */
function newWorld(scenario: Scenario, off: Rule | null): TwoAttempts {
  const world = new TwoAttempts(scenario, off);
  jest.spyOn(crypto, 'randomBytes').mockImplementation(() => Buffer.from(world.nextMark()));
  return world;
}
