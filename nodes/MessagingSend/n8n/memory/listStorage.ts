import { type IExecuteFunctions, sleep } from 'n8n-workflow';

import { isObject } from '../../api/objects';
import { FactList, type ListStorage } from '../../journal/list/factList';
import { SYSTEM_CLOCK } from '../../requests/pacer';

type Context = Pick<IExecuteFunctions, 'getExecutionCancelSignal' | 'getNode' | 'getWorkflow' | 'helpers'>;

/**
 * The length of n8n's list for a node, 1.8 MB: 50,000 messages that are sent once in all executions, and what Retries
 * of the latest executions may need.
 */
const MAX_VALUES = 60_000;

const MODE = { mode: 'entries' } as const;

/** Another process seldom needs longer than this from reading a list to writing it back, in milliseconds. */
const MIN_WAIT_FOR_OTHERS = 50;

/** The other process may have more to do than this one. */
const WAIT_FACTOR = 3;

/** The longest wait, in milliseconds, even if a database is locked for long. */
const MAX_WAIT_FOR_OTHERS = 2_000;

/** Between two tries to write to a locked database, in milliseconds. */
const RETRY_EVERY = 200;

/** The one list of each workflow node, which all writes of this process go through. */
const lists = new Map<string, FactList>();

export function factListOf(context: Context): FactList {
  const key = JSON.stringify([context.getWorkflow().id, context.getNode().id]);
  const list = lists.get(key) ?? new FactList(SYSTEM_CLOCK.now);
  lists.set(key, list);
  return list;
}

/** How long the slowest recent change took in any list, in milliseconds: all are in the same database. */
let slowest = 0;

/** An earlier change counts less with each new one. */
const DECAY = 0.98;

/**
 * The list that n8n's database has for each node that asks for one; n8n made it for Remove Duplicates. It is written at
 * once, while everything else that n8n stores for a node waits until the node has ended.
 *
 * n8n drops the oldest values of a list that is longer than the caller allows, so only {@link ListStorage.shorten}
 * sets a length.
 * @param maxWait how long to wait for a locked database, in milliseconds
 */
export function listStorageOf(context: Context, maxWait: number): ListStorage {
  const { helpers } = context;
  const signal = context.getExecutionCancelSignal();
  let hasGivenUp = false;
  /** Repeats a write that the database rejects for the moment, for `maxWait` or until Stop; from then on, only once. */
  const change = async <Result>(write: (tries: number) => Promise<Result>): Promise<Result> => {
    const end = performance.now() + maxWait;
    for (let tries = 1; ; tries += 1) {
      const began = performance.now();
      const written = write(tries);
      try {
        await written;
        slowest = Math.max(performance.now() - began, slowest * DECAY);
        return await written;
      } catch (error) {
        hasGivenUp ||= signal?.aborted === true || !isTransient(error) || performance.now() + RETRY_EVERY > end;
        // Rejected with the error itself.
        if (hasGivenUp) return await written;
        await sleep(RETRY_EVERY);
      }
    }
  };
  return {
    add: async (values) =>
      await change(async (tries) => {
        const answer: unknown = await helpers.checkProcessedAndRecord([...values], 'node', MODE);
        const { new: added, processed } = isObject(answer) ? answer : {};
        // Each value is either new, or was there before.
        if (Array.isArray(added) && Array.isArray(processed) && added.length + processed.length === values.length) {
          return Object.assign(new Set(processed.map(String)), { isUnsure: tries > 1 });
        }
        throw new Error('the list has not answered for each value');
      }),
    remove: async (values) => await change(async () => await helpers.removeProcessed([...values], 'node', MODE)),
    shorten: async () => void (await helpers.checkProcessedAndRecord([], 'node', { ...MODE, maxEntries: MAX_VALUES })),
    waitForOthers: async (round) => {
      const usual = Math.min(Math.max(MIN_WAIT_FOR_OTHERS, WAIT_FACTOR * slowest), MAX_WAIT_FOR_OTHERS);
      await sleep(usual + round * Math.random() * MIN_WAIT_FOR_OTHERS);
    },
  };
}

/** Whether a database may accept in a moment what it rejects, by the words of SQLite, PostgreSQL and their drivers. */
function isTransient(error: unknown): boolean {
  const text = error instanceof Error ? error.message : String(error);
  return /lock|busy|time-?d? ?out|connect|terminat|too many|deadlock|serializ|unique constraint/i.test(text);
}
