import { FORM_NODE_TYPE, type IExecuteFunctions, SEND_AND_WAIT_OPERATION, WAIT_NODE_TYPE } from 'n8n-workflow';

import type { SendOperation } from '../../delivery/operation';
import { CrashLedger } from '../../journal/crash/crashLedger';
import type { ListStorage } from '../../journal/list/factList';
import { Facts } from '../../journal/list/facts';
import type { DeliveryRecord } from '../../journal/record/deliveryRecord';
import { isTool } from '../tool';
import { factListOf } from './listStorage';
import { lineageOf } from './runData';

/** The nodes of n8n that wait, beside those that wait for a response. */
const WAITING = new Set([FORM_NODE_TYPE, WAIT_NODE_TYPE]);

/**
 * The crash ledger of a run in a workflow; null where it would be of no use, or cost more than it is worth.
 * @param ordinal of the run within its execution
 */
export function crashLedgerOfRun(
  context: IExecuteFunctions,
  operation: SendOperation,
  ordinal: number,
  record: DeliveryRecord,
  storage: ListStorage,
): CrashLedger | null {
  const { id: workflow = '' } = context.getWorkflow();
  const lineage = lineageOf(context);
  if (lineage === null || !isWorthIt(context, operation, ordinal)) return null;

  const facts = new Facts(factListOf(context), storage, workflow, false);
  return new CrashLedger(facts, { lineage, ordinal }, record);
}

/**
 * n8n begins anew with each call of a tool. It continues a waiting execution twice if two answers arrive at the same
 * moment. Otherwise it retries no execution that was started by hand if it was killed; a single request is in flight for
 * nearly all of its run, and to note it would take as long as n8n itself does; but a loop may make any number of them.
 * If the first run of an execution is noted, all are: see `CrashLedger`.
 */
export function isWorthIt(context: IExecuteFunctions, { maxBatchSize }: SendOperation, ordinal: number): boolean {
  const mode = context.getMode();
  if (!canRemember(context) || isTool(context.getNode())) return false;
  if (followsWait(context)) return true;
  if (mode === 'manual') return false;
  if (mode === 'retry' || ordinal > 0) return true;
  return maxBatchSize > 1 || context.getInputData().length > 1 || isInLoop(context);
}

/** Whether n8n keeps anything for the node beyond the execution: not for a workflow that was never saved. */
export function canRemember(context: Pick<IExecuteFunctions, 'getWorkflow'>): boolean {
  const { id } = context.getWorkflow();
  return id !== undefined && id !== '';
}

function isInLoop(context: IExecuteFunctions): boolean {
  const { name } = context.getNode();
  const before = new Set(context.getParentNodes(name).map((node) => node.name));
  return context.getChildNodes(name).some((node) => before.has(node.name));
}

function followsWait(context: IExecuteFunctions): boolean {
  return context
    .getParentNodes(context.getNode().name, { includeNodeParameters: true })
    .some(({ type, parameters }) => WAITING.has(type) || parameters?.operation === SEND_AND_WAIT_OPERATION);
}
