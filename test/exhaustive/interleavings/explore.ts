/** Every possible order of the steps of two attempts. */
import crypto from 'node:crypto';

import * as pages from '../../../nodes/MessagingSend/messages/pages';
import type { Rule } from './rules';
import { type Scenario, TwoAttempts } from './world';

/**
 * Goes through all states; each is reached by taking its path from the start. What follows a state that was seen before
 * is known.
 * @returns what happened until something went wrong, or no `story` if nothing did
 * @param order `breadth` finds the shortest story, `depth` takes fewer paths, `single` takes one
 * @param wrongs what must not happen
 */
export async function explore(
  scenario: Scenario,
  off: Rule | null,
  order: 'breadth' | 'depth' | 'single',
  wrongs: ReadonlyArray<'twice' | 'untrue' | 'doubts'> = ['twice', 'untrue', 'doubts'],
) {
  const seen = new Set<string>();
  const paths: number[][] = [[]];
  for (let path = paths.pop(); path !== undefined; path = order === 'breadth' ? paths.shift() : paths.pop()) {
    const world = new TwoAttempts(scenario, off);
    const { pageLength } = scenario;
    if (pageLength !== undefined) jest.spyOn(pages, 'usualLength').mockReturnValue(pageLength);
    else jest.spyOn(pages, 'usualLength').mockRestore();
    await world.prepare();
    // The same marks whenever the same path is taken.
    jest.spyOn(crypto, 'randomBytes').mockImplementation(() => Buffer.from(world.nextMark()));
    for (const choice of path) (await world.next())[choice]?.();
    for (;;) {
      const actions = await world.next();
      const wrong = wrongs.flatMap((each) => world[each]);
      if (wrong.length > 0) return { states: seen.size, story: world.storyWith(wrong.slice(-1)) };
      const { state } = world;
      if (seen.has(state) || actions.length === 0) break;
      seen.add(state);
      const isFork = order === 'breadth' && actions.length > 1;
      const others = order === 'single' ? [] : actions.slice(isFork ? 0 : 1);
      for (const other of others) paths.push([...path, actions.indexOf(other)]);
      if (isFork) break;
      path.push(0);
      actions[0]?.();
    }
  }
  return { states: seen.size, story: null };
}
