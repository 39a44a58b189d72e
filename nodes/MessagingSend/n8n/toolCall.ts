import { type IExecuteSingleFunctions, NodeConnectionTypes } from 'n8n-workflow';

import type { JsonRecord } from '../api/records';
import { DeliveryRecord } from '../journal/deliveryRecord';

/** What is kept of each call, for as long as n8n holds its arguments. */
const kept = new WeakMap<object, JsonRecord>();

/**
 * The delivery record of one call that reaches the node through its routing, from an MCP server or a sub-agent.
 * Retry On Fail makes n8n try again with the very object of arguments that the call came with, and keeps no context
 * for it; a further call, even with the same text, brings an object of its own.
 */
export function recordOfCall(context: Pick<IExecuteSingleFunctions, 'getInputData'>): DeliveryRecord {
  const { json } = context.getInputData(0, NodeConnectionTypes.AiTool);
  const record = kept.get(json) ?? {};
  kept.set(json, record);
  return new DeliveryRecord(record, 0);
}
