import { hash, randomUUID } from 'node:crypto';

import type { IExecuteFunctions } from 'n8n-workflow';

import { type Account, accountId } from '../../api/account';
import type { SendOperation } from '../../delivery/operation';
import { nameOf, RunLedger, type RunName } from '../../journal/crash/runLedger';
import { Ledger } from '../../journal/list/ledger';
import type { DeliveryRecord } from '../../journal/record/deliveryRecord';
import { Reservations } from '../../journal/sendOnce/reservations';
import { isTool } from '../tool';
import { ledgerQueueOf, ledgerStorageOf } from './ledgerStorage';
import { runDataOf } from './runData';

/** The ledger of the latest run of each node of an execution, by what n8n keeps of the node: for Retry On Fail. */
const latest = new WeakMap<object, { readonly ordinal: number; readonly ledger: RunLedger }>();

/**
 * The ledger of a run in a workflow; null where it would be of no use, or cost more than it is worth.
 * @param ordinal of the run within its execution
 * @param rememberLast how many messages, at least, n8n's database remembers for the node
 */
export function ledgerOfRun(
  context: IExecuteFunctions,
  operation: SendOperation,
  ordinal: number,
  record: DeliveryRecord,
  rememberLast: number,
): RunLedger | null {
  const { id: workflow } = context.getWorkflow();
  if (workflow === undefined || !canRemember(context) || !isWorthIt(context, operation, ordinal)) return null;

  const kept = context.getContext('node');
  const previous = latest.get(kept);
  if (previous?.ordinal === ordinal) return previous.ledger;
  previous?.ledger.leaveBehind();
  const storage = ledgerStorageOf(context, rememberLast);
  const ledger = new Ledger(ledgerQueueOf(context), storage, workflow, randomUUID);
  const name: RunName = { ...lineageOf(context), ordinal, record: record.digest };
  const run = new RunLedger(ledger, name, record.previousRun, previous?.ledger.isOwn);
  record.noteRun(nameOf(name));
  latest.set(kept, { ordinal, ledger: run });
  return run;
}

/** Whether n8n keeps anything for the node: not for a workflow that was never saved. */
export function canRemember(context: Pick<IExecuteFunctions, 'getWorkflow'>): boolean {
  const { id } = context.getWorkflow();
  return id !== undefined && id !== '';
}

/**
 * What the node has sent from an account in all executions. What is stored can't be guessed without the API key.
 * @param rememberLast how many messages, at least, are remembered
 */
export function reservationsOf(context: IExecuteFunctions, account: Account, rememberLast: number): Reservations {
  const secret = JSON.stringify([context.getWorkflow().id, accountId(account)]);
  const storage = ledgerStorageOf(context, rememberLast);
  return new Reservations(new Ledger(ledgerQueueOf(context), storage, secret, randomUUID));
}

/**
 * n8n retries no execution that was started by hand if it was killed, and begins anew with each call of a tool. A single
 * request is in flight for nearly all of its run, and to note it would take as long as n8n itself does; but a loop may
 * make any number of them. If the first run of an execution is noted, all are: see `RunLedger`.
 */
function isWorthIt(context: IExecuteFunctions, { maxBatchSize }: SendOperation, ordinal: number): boolean {
  const mode = context.getMode();
  if (mode === 'manual' || isTool(context.getNode())) return false;
  if (mode === 'retry' || ordinal > 0) return true;
  return maxBatchSize > 1 || context.getInputData().length > 1 || isInLoop(context);
}

function isInLoop(context: IExecuteFunctions): boolean {
  const { name } = context.getNode();
  const before = new Set(context.getParentNodes(name).map((node) => node.name));
  return context.getChildNodes(name).some((node) => before.has(node.name));
}

/**
 * n8n gives each execution a random token, which its Retries keep. n8n 2.0 does not: then it is known by what its
 * triggers put out, which a Retry has from n8n's database, too.
 */
function lineageOf(context: IExecuteFunctions): Pick<RunName, 'lineage' | 'isUnique'> {
  const resumeUrl = runDataOf(context).$execution?.resumeUrl;
  const isUrl = typeof resumeUrl === 'string' && URL.canParse(resumeUrl);
  const token = isUrl ? new URL(resumeUrl).searchParams.get('signature') : null;
  if (token !== null) return { lineage: token, isUnique: true };
  const lineage = hash('sha256', JSON.stringify(triggerItems(context)), 'base64');
  return { lineage, isUnique: false };
}

function triggerItems(context: IExecuteFunctions): unknown[] {
  const { $ } = runDataOf(context);
  return context
    .getParentNodes(context.getNode().name)
    .filter(({ name }) => context.getParentNodes(name).length === 0 && $(name).isExecuted)
    .map(({ name }) =>
      $(name)
        .all()
        .map(({ json }) => json),
    );
}
