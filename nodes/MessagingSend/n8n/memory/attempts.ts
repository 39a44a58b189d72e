import type { IExecuteFunctions } from 'n8n-workflow';

import { isTool } from '../tool';
import { keptOf } from './kept';
import { lineageOf } from './runData';

/** The executions, with all their Retries, that a node is sending for in this process. */
const running = new Set<string>();

/** The Retry of each execution that began last, by what n8n keeps of the node in it. */
const latest = new Map<string, WeakRef<object>>();

/** Retries that ran at the same time as another one, or before it: they don't know what the other has sent. */
const overtaken = new WeakSet<object>();

type Context = Pick<
  IExecuteFunctions,
  'getContext' | 'getExecutionId' | 'getMode' | 'getNode' | 'getWorkflow' | 'getWorkflowDataProxy'
>;

/**
 * Begins an attempt of a run. n8n offers Retry for an execution while another Retry of it is running, or waits for the next
 * try of Retry On Fail.
 * @returns what ends the attempt; null where another one is running, or has run since this one's last try
 */
export function beginAttempt(context: Context): (() => void) | null {
  const lineage = lineageOf(context);
  // A model may call a tool several times at once, and n8n retries none of it.
  if (lineage === null || isTool(context.getNode())) return () => undefined;
  const name = JSON.stringify([context.getWorkflow().id, context.getNode().id, lineage]);
  const kept = keptOf(context);
  if (running.has(name)) overtaken.add(kept);
  if (overtaken.has(kept)) return null;
  if (context.getMode() === 'retry') {
    const before = latest.get(name)?.deref();
    if (before !== undefined && before !== kept) overtaken.add(before);
    for (const [each, retry] of latest) if (retry.deref() === undefined) latest.delete(each);
    latest.set(name, new WeakRef(kept));
  }
  running.add(name);
  return () => void running.delete(name);
}
