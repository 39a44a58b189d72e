import type { IExecuteFunctions } from 'n8n-workflow';

import { isTool } from '../tool';
import { lineageOf } from './runData';

/** The executions, with all their Retries, that a node is sending for in this process. */
const running = new Set<string>();

type Context = Pick<IExecuteFunctions, 'getNode' | 'getWorkflow' | 'getWorkflowDataProxy'>;

/**
 * Begins an attempt of a run. n8n offers Retry for an execution while another Retry of it is running.
 * @returns what ends the attempt; null where another one is running
 */
export function beginAttempt(context: Context): (() => void) | null {
  const lineage = lineageOf(context);
  // A model may call a tool several times at once, and n8n retries none of it.
  if (lineage === null || isTool(context.getNode())) return () => undefined;
  const name = JSON.stringify([context.getWorkflow().id, context.getNode().id, lineage]);
  if (running.has(name)) return null;
  running.add(name);
  return () => void running.delete(name);
}
