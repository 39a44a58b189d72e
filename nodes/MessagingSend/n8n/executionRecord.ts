import type { IExecuteFunctions } from 'n8n-workflow';

import { isRecord } from '../api/records';
import { DeliveryRecord } from '../journal/deliveryRecord';
import { isTool } from './nodeErrors';

/**
 * The delivery record of a run in a workflow. It is opened before anything of the run can fail: so a re-run that finds
 * none, though the node has run before, follows one that n8n knows nothing of.
 */
export function recordOfRun(context: IExecuteFunctions): DeliveryRecord {
  const runIndex = Number(context.evaluateExpression('{{ $runIndex }}', 0));
  const record = new DeliveryRecord(context.getContext('node'), runIndex);
  if (!record.isOpen && followsKilledRun(context, runIndex)) record.markInterrupted();
  record.open();
  return record;
}

/**
 * Whether this is a Retry of an execution in whose middle n8n was killed. n8n has stored nothing of what the node did
 * then; at its next start it enters from its event log that the node ran: with an error, which a Retry takes out again
 * (an empty list of runs is left), or with an item of its own in place of the output.
 */
function followsKilledRun(context: IExecuteFunctions, runIndex: number): boolean {
  const node = context.getNode();
  // As a tool it has a run on n8n's list as soon as it is called.
  if (context.getMode() !== 'retry' || isTool(node)) return false;
  const own = context.getWorkflowDataProxy(0).$(node.name, WHOLE_ITEMS) as OwnRuns;
  if (runIndex === 0) return own.isExecuted;
  // A later round of a loop, or the first one after a run that n8n has no true output of.
  try {
    const first = own.first(0, 0)?.json;
    return isRecord(first) && first.isArtificialRecoveredEventItem === true;
  } catch {
    return true;
  }
}

/** Else, with the workflow setting `binaryMode: combined`, n8n gives the fields of an item in place of the item. */
const WHOLE_ITEMS = true;

/** What n8n's `$('<name>')` gives of a node's runs in this execution. */
interface OwnRuns {
  readonly isExecuted: boolean;
  /** @throws if the run has no output */
  readonly first: (branch: number, run: number) => { readonly json: unknown } | undefined;
}
