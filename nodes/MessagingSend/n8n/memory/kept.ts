import {
  type IExecuteFunctions,
  type IExecutePaginationFunctions,
  type IExecuteSingleFunctions,
  NodeConnectionTypes,
} from 'n8n-workflow';

import type { JsonRecord } from '../../api/records';

type Context = Pick<IExecuteFunctions, 'getContext'> | Pick<IExecutePaginationFunctions, 'getContext'>;

/** What n8n keeps of the node with the execution, through Retry On Fail and Retry. */
export function keptOf(context: Context): JsonRecord {
  return context.getContext('node');
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
