import {
  type IExecuteFunctions,
  type IExecutePaginationFunctions,
  type IExecuteSingleFunctions,
  NodeConnectionTypes,
} from 'n8n-workflow';

import type { JsonRecord } from '../../api/records';

type Context =
  | Pick<IExecuteFunctions, 'getContext' | 'getExecutionId' | 'getNode' | 'getWorkflow'>
  | Pick<IExecutePaginationFunctions, 'getContext' | 'getExecutionId' | 'getNode' | 'getWorkflow'>;

/** Objects that this process keeps where n8n keeps none, by execution and node. */
const substitutes = new Map<string, JsonRecord>();

/** Nothing tells when an execution has ended, so only the latest ones keep theirs. */
const MAX_SUBSTITUTES = 1000;

/**
 * What n8n keeps of the node with the execution, through Retry On Fail and Retry. Where n8n gives another object each
 * time, what is written to it is lost: then this process keeps one itself, which Retry On Fail finds.
 */
export function keptOf(context: Context): JsonRecord {
  const name = JSON.stringify([context.getWorkflow().id, context.getExecutionId(), context.getNode().id]);
  const substitute = substitutes.get(name);
  if (substitute !== undefined) return substitute;
  const kept = context.getContext('node');
  if (kept === context.getContext('node') && Object.isExtensible(kept)) return kept;
  const own = { ...kept };
  substitutes.set(name, own);
  for (const oldest of substitutes.keys()) {
    if (substitutes.size <= MAX_SUBSTITUTES) break;
    substitutes.delete(oldest);
  }
  return own;
}

/** Whether n8n still has what was written to the object. */
export function isKept(context: Context, kept: JsonRecord): boolean {
  return context.getContext('node') === kept;
}

/** What is kept of each call, for as long as n8n holds its arguments. */
const keptOfCalls = new WeakMap<object, JsonRecord>();

/** The same for one call that reaches the node through its routing: n8n keeps nothing of it. */
export function keptOfCall(context: Pick<IExecuteSingleFunctions, 'getInputData'>): JsonRecord {
  const { json } = context.getInputData(0, NodeConnectionTypes.AiTool);
  const kept = keptOfCalls.get(json) ?? {};
  keptOfCalls.set(json, kept);
  return kept;
}
