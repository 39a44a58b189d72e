import { type IExecuteFunctions, sleep } from 'n8n-workflow';

import { LedgerQueue, type LedgerStorage } from '../../journal/list/ledgerQueue';

type Context = Pick<IExecuteFunctions, 'getNode' | 'getWorkflow' | 'helpers'>;

/** The length, in 0.3 MB, at which n8n's list for a node drops its oldest entries, if no messages are remembered. */
const MAX_ENTRIES = 10_000;

/** From when n8n reads a list until it has written it back, another process seldom needs more, in milliseconds. */
const MIN_SETTLE_MS = 50;

/** The other process may have more to do. */
const SETTLE_FACTOR = 3;

/** A database that is locked for long is no reason to wait longer. */
const MAX_SETTLE_MS = 2_000;

/** For each node of a workflow, the one queue that all of its writes in this process go through. */
const queues = new Map<string, LedgerQueue>();

export function ledgerQueueOf(context: Context): LedgerQueue {
  const key = JSON.stringify([context.getWorkflow().id, context.getNode().id]);
  const queue = queues.get(key) ?? new LedgerQueue(() => performance.now());
  queues.set(key, queue);
  return queue;
}

/**
 * The list that n8n keeps for a node in its database for Remove Duplicates, and for every node that asks for it. It is
 * written immediately, while everything else that n8n stores for a node waits until the node has ended.
 * @param rememberLast how many messages, at least, are remembered; the same in all that a run writes, because each write
 * shortens the list
 */
export function ledgerStorageOf({ helpers }: Context, rememberLast: number): LedgerStorage {
  const options = { mode: 'entries', maxEntries: MAX_ENTRIES + rememberLast } as const;
  return {
    record: async (entries) => {
      const { processed } = await helpers.checkProcessedAndRecord([...entries], 'node', options);
      return new Set(processed.map(String));
    },
    remove: async (entries) => await helpers.removeProcessed([...entries], 'node', options),
    settle: async (longest, attempt) => {
      const usual = Math.min(Math.max(MIN_SETTLE_MS, SETTLE_FACTOR * longest), MAX_SETTLE_MS);
      await sleep(usual + attempt * Math.random() * MIN_SETTLE_MS);
    },
  };
}
