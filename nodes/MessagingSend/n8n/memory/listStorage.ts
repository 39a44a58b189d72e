import { type IExecuteFunctions, sleep } from 'n8n-workflow';

import { isRecord } from '../../api/records';
import { FactList, type ListStorage } from '../../journal/list/factList';

type Context = Pick<IExecuteFunctions, 'getExecutionCancelSignal' | 'getNode' | 'getWorkflow' | 'helpers'>;

/** The length of n8n's list for a node, in 0.3 MB, beyond the messages that are remembered. */
const MAX_ENTRIES = 10_000;

/** A list is not shortened before it has this many entries too many: each time, n8n writes all of it. */
const TOO_MANY = 1_000;

/** In the list of a node that has ever sent with Send Once: a run without it does not shorten the list. */
const REMEMBERS = 'messaging-send remembers';

/** From when n8n reads a list until it has written it back, another process seldom needs more, in milliseconds. */
const MIN_WAIT = 50;

/** The other process may have more to do. */
const WAIT_FACTOR = 3;

/** A database that is locked for long is no reason to wait longer. */
const MAX_WAIT = 2_000;

/** Between two attempts to write to a database that is locked, in milliseconds. */
const RETRY_DELAYS = [50, 100, 250, 500];
const RETRY_EVERY = 1_000;

/**
 * After this time, in milliseconds, a slow change counts half. Up to a minute can pass between two bursts of requests in
 * which the node changes little, and the database of another process is no faster.
 */
const HALF_LIFE = 60_000;

/** For each node of a workflow, the one list that all of its writes in this process go through. */
const lists = new Map<string, FactList>();

export function factListOf(context: Context): FactList {
  const key = JSON.stringify([context.getWorkflow().id, context.getNode().id]);
  const list = lists.get(key) ?? new FactList(() => performance.now());
  lists.set(key, list);
  return list;
}

/** The slowest change of late in any list, in milliseconds: all are in the same database. */
let slowest = { took: 0, at: 0 };

function longestChange(): number {
  return slowest.took * 2 ** ((slowest.at - performance.now()) / HALF_LIFE);
}

/** What a run needs of the list. */
export interface ListSettings {
  /** How many messages the user wants to be remembered; 0 without Send Once; null where that can't be read. */
  readonly rememberLast: number | null;
  /** How long a locked database is waited for, in milliseconds. */
  readonly maxWait: number;
}

/**
 * The list that n8n keeps for a node in its database for Remove Duplicates, and for every node that asks for it. It is
 * written immediately, while everything else that n8n stores for a node waits until the node has ended.
 *
 * n8n drops the oldest entries of a list that is longer than the caller allows. So only {@link ListStorage.shorten} says
 * how long it may be.
 */
export function listStorageOf(context: Context, { rememberLast, maxWait }: ListSettings): ListStorage {
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
  const remove = async (entries: readonly string[]) =>
    await helpers.removeProcessed([...entries], 'node', { mode: 'entries' });
  return {
    record: async (entries) =>
      await change(async () => await record(rememberLast === 0 ? entries : [REMEMBERS, ...entries])),
    remove: async (entries) => await change(async () => await remove(entries)),
    shorten: async () => {
      if (rememberLast === null) return;
      const length = await helpers.getProcessedDataCount('node', { mode: 'entries' });
      const limit = MAX_ENTRIES + rememberLast;
      if (length <= limit + TOO_MANY) return;
      if (rememberLast === 0) {
        const present = await record([REMEMBERS]);
        if (present.has(REMEMBERS)) return;
        await remove([REMEMBERS]);
      }
      await record([], limit);
      if (rememberLast > 0) await record([REMEMBERS]);
    },
    waitForOthers: async (attempt) => {
      const usual = Math.min(Math.max(MIN_WAIT, WAIT_FACTOR * longestChange()), MAX_WAIT);
      await sleep(usual + attempt * Math.random() * MIN_WAIT);
    },
  };
}

/** Changes the list. Repeats what the database refuses for a moment, until the run has waited this long, or is stopped. */
function changesWith(
  maxWait: number,
  signal: AbortSignal | undefined,
): <Result>(change: () => Promise<Result>) => Promise<Result> {
  let hasGivenUp = false;
  return async (change) => {
    const end = performance.now() + maxWait;
    for (let attempt = 0; ; attempt += 1) {
      const began = performance.now();
      const result = change();
      const [settled] = await Promise.allSettled([result]);
      const took = performance.now() - began;
      if (settled.status === 'fulfilled') {
        if (took > longestChange()) slowest = { took, at: performance.now() };
        return settled.value;
      }
      const delay = RETRY_DELAYS[attempt] ?? RETRY_EVERY;
      const mayWait = !hasGivenUp && isPassing(settled.reason) && performance.now() + delay <= end;
      // Once without a wait: some refusals are over at once.
      if (attempt > 0 && (!mayWait || signal?.aborted === true)) {
        hasGivenUp = true;
        return await result;
      }
      if (mayWait) await sleep(delay);
    }
  };
}

/** Whether a database refuses something that it may take in a moment, by the words of SQLite, PostgreSQL and their drivers. */
function isPassing(error: unknown): boolean {
  const text = error instanceof Error ? error.message : String(error);
  return /lock|busy|time-?d? ?out|connect|terminat|too many|deadlock|serializ|unique constraint/i.test(text);
}
