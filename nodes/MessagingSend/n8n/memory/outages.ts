import type { IExecuteFunctions, IExecuteSingleFunctions } from 'n8n-workflow';

import { type Account, accountId } from '../../api/account';
import type { JsonRecord } from '../../api/records';
import { OutageRecord } from '../../delivery/outageRecord';
import { keptOf, keptOfCall } from './kept';

/** What is known of the outages of an account's service from earlier attempts. */
export type Outages = (account: Account) => OutageRecord;

/** Those of a run in a workflow. */
export function outagesOfRun(
  context: Pick<IExecuteFunctions, 'getContext' | 'getExecutionId' | 'getNode' | 'getWorkflow'>,
): Outages {
  return (account) => outagesOf(account, keptOf(context), context.getExecutionId());
}

/** Those of one call through the routing; its attempts are all of one execution. */
export function outagesOfCall(context: Pick<IExecuteSingleFunctions, 'getInputData'>): Outages {
  return (account) => outagesOf(account, keptOfCall(context), '');
}

/** Enough of an account's hash to tell the few of a run apart, and too little to guess a key by. */
const MARK_LENGTH = 4;

function outagesOf(account: Account, kept: JsonRecord, execution: string): OutageRecord {
  return new OutageRecord(kept, accountId(account).slice(0, MARK_LENGTH), execution, Date.now);
}
