import { type IExecuteFunctions, sleep } from 'n8n-workflow';

import { isRecord } from '../../api/records';
import { FactList, type ListStorage } from '../../journal/list/factList';
import { SYSTEM_CLOCK } from '../../requests/wait';

type Context = Pick<IExecuteFunctions, 'getExecutionCancelSignal' | 'getNode' | 'getWorkflow' | 'helpers'>;

/**
 * The length of n8n's list for a node, in 1.8 MB: 50,000 messages that are sent once and for all, and what Retries of
 * the latest executions may need.
 */
const MAX_ENTRIES = 60_000;

/** A list is not shortened before it has this many entries too many: each time, n8n writes all of it. */
const TOO_MANY = 1_000;

/** From when n8n reads a list until it has written it back, another process seldom needs more, in milliseconds. */
const MIN_WAIT = 50;

/** The other process may have more to do. */
const WAIT_FACTOR = 3;

/** A database that is locked for long is no reason to wait longer. */
const MAX_WAIT = 2_000;

/** Between two attempts to write to a database that is locked, in milliseconds. */
const RETRY_EVERY = 200;

/** For each node of a workflow, the one list that all of its writes in this process go through. */
const lists = new Map<string, FactList>();

export function factListOf(context: Context): FactList {
  const key = JSON.stringify([context.getWorkflow().id, context.getNode().id]);
  const list = lists.get(key) ?? new FactList(SYSTEM_CLOCK.now);
  lists.set(key, list);
  return list;
}

/** How long the slowest change of late took in any list, in milliseconds: all are in the same database. */
let slowest = 0;

/** With each change, an earlier one counts less. */
const DECAY = 0.98;

/**
 * The list that n8n keeps for a node in its database for Remove Duplicates, and for every node that asks for it. It is
 * written immediately, while everything else that n8n stores for a node waits until the node has ended.
 *
 * n8n drops the oldest entries of a list that is longer than the caller allows. So only {@link ListStorage.shorten} says
 * how long it may be.
 * @param maxWait how long a locked database is waited for, in milliseconds
 */
export function listStorageOf(context: Context, maxWait: number): ListStorage {
  const { helpers } = context;
  const change = changesWith(maxWait, context.getExecutionCancelSignal());
  const record = async (entries: readonly string[], maxEntries?: number) => {
    const options = { mode: 'entries', ...(maxEntries !== undefined && { maxEntries }) } as const;
    const values = [...new Set(entries)];
    const answer: unknown = await helpers.checkProcessedAndRecord(values, 'node', options);
    const { new: added, processed } = isRecord(answer) ? answer : {};
    // Each entry is either new or was there before.
    if (Array.isArray(added) && Array.isArray(processed) && added.length + processed.length === values.length) {
      return new Set(processed.map(String));
    }
    throw new Error('the list has not answered for each entry');
  };
  return {
    record: async (entries) => await change(async () => await record(entries)),
    remove: async (entries) =>
      await change(async () => await helpers.removeProcessed([...entries], 'node', { mode: 'entries' })),
    shorten: async () => {
      const length = await helpers.getProcessedDataCount('node', { mode: 'entries' });
      if (length > MAX_ENTRIES + TOO_MANY) await record([], MAX_ENTRIES);
    },
    waitForOthers: async (attempt) => {
      const usual = Math.min(Math.max(MIN_WAIT, WAIT_FACTOR * slowest), MAX_WAIT);
      await sleep(usual + attempt * Math.random() * MIN_WAIT);
    },
  };
}

/** Changes the list. Repeats what the database refuses for a moment, for this long each time, or until the run is stopped. */
function changesWith(
  maxWait: number,
  signal: AbortSignal | undefined,
): <Result>(change: () => Promise<Result>) => Promise<Result> {
  let hasGivenUp = false;
  return async (change) => {
    const end = performance.now() + maxWait;
    for (let attempt = 0; ; attempt += 1) {
      const began = performance.now();
      const changed = change();
      try {
        await changed;
        slowest = Math.max(performance.now() - began, slowest * DECAY);
        return await changed;
      } catch (error) {
        hasGivenUp ||= signal?.aborted === true || !isPassing(error) || performance.now() + RETRY_EVERY > end;
        // Once without a wait: some refusals are over at once.
        if (hasGivenUp && attempt > 0) return await changed;
        if (!hasGivenUp) await sleep(RETRY_EVERY);
      }
    }
  };
}

/** Whether a database refuses something that it may take in a moment, by the words of SQLite, PostgreSQL and their drivers. */
function isPassing(error: unknown): boolean {
  const text = error instanceof Error ? error.message : String(error);
  return /lock|busy|time-?d? ?out|connect|terminat|too many|deadlock|serializ|unique constraint/i.test(text);
}
