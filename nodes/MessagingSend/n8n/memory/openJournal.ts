import type { IExecuteFunctions } from 'n8n-workflow';

import type { JsonObject } from '../../api/objects';
import type { SendOperation } from '../../delivery/operation';
import type { DeliveryOptions } from '../../delivery/select';
import { CrashLedger } from '../../journal/crash/crashLedger';
import { DeliveryRecord } from '../../journal/deliveryRecord';
import { Journal } from '../../journal/journal';
import { Facts } from '../../journal/list/facts';
import { Reservations } from '../../journal/reservations';
import { lineageOf, mayRunAgain, positionOf } from '../execution';
import { factListOf, listStorageOf } from './listStorage';

/**
 * Opens the journal of a run that sends, in a workflow. The delivery record is opened before anything in the run can
 * fail: if the node has run before and a re-run finds no record, n8n knows nothing of that run. Of a dry run or a test
 * run, other runs need to know only that it began.
 */
export async function openJournal(
  context: IExecuteFunctions,
  operation: SendOperation,
  { testRun, duplicateMessages }: DeliveryOptions,
  maxWait: number,
): Promise<Journal> {
  const { index, ordinal, followsKill } = positionOf(context);
  // n8n keeps this through Retry On Fail and Retry.
  const kept = context.getContext('node');
  const record = new DeliveryRecord(kept, index);
  record.open();
  // Empty if the workflow was never saved: then n8n keeps nothing for the node beyond the execution.
  const { id: workflow = '' } = context.getWorkflow();
  const lineage = lineageOf(context);
  const storage = listStorageOf(context, maxWait);
  const factsWith = (secret: string, isShared: boolean) => new Facts(factListOf(context), storage, secret, isShared);
  const isList = operation.maxBatchSize > 1 || context.getInputData().length > 1;
  const isNoted = lineage !== null && workflow !== '' && mayRunAgain(context, isList, ordinal);
  const isRetry = context.getMode() === 'retry';
  const crash = isNoted
    ? new CrashLedger(factsWith(workflow, false), { lineage, ordinal }, record, { isRetry, followsKill })
    : null;
  // Without a token, a run in which n8n was killed looks like one that never began.
  const followsUnknown = followsKill || (isRetry && lineage === null);
  if (crash === null && followsUnknown && !record.isOpen) record.markInterrupted();
  if (testRun !== null) {
    // All that a run without 'Test Run' must know is that this one began, and sent nothing.
    await crash?.finish();
    // Only for Retry On Fail: in other runs, test messages don't count as sent.
    kept.test ??= {};
    return new Journal(new DeliveryRecord(kept.test as JsonObject, index));
  }
  const isAsked = duplicateMessages === 'sendOnceEver';
  if (workflow === '' || !(isAsked || isList)) return new Journal(record, crash);
  const open = (account: string) => {
    // Includes the account, so that nobody can guess values without the API key.
    return new Reservations(factsWith(JSON.stringify([workflow, account]), true), maxWait);
  };
  return new Journal(record, crash, { open, isAsked });
}

/** A journal that is nothing but this record: n8n's database notes nothing of it. */
export function journalIn(kept: JsonObject): Journal {
  return new Journal(new DeliveryRecord(kept, 0));
}
