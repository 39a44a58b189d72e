import { GET_BALANCE } from '../api/endpoints';
import { type Failure, failure } from '../failures/failure';
import { accountJournal } from '../journal/adapter';
import type { RunLedger } from '../journal/crash/runLedger';
import type { DeliveryRecord } from '../journal/record/deliveryRecord';
import type { Interruptible } from '../messages/interruptible';
import { type Batch, countMessages, type Unsendable } from '../messages/message';
import { type Receipt, receiptOf } from '../messages/outcome';
import { creditsFailure } from './credits';
import { dispatch, type DispatchConfig, type Progress } from './dispatch';
import type { Duplicate } from './duplicates';
import type { DeliveryOptions } from './options';
import type { Channel, Plan, Share } from './plan';
import { stillUncertain } from './stillUncertain';

/** Everything that carrying out a plan takes. */
export interface Delivery extends Omit<
  DispatchConfig,
  keyof DeliveryOptions | keyof Channel | 'journal' | 'repeated' | 'uncertainBefore' | 'runEnd'
> {
  readonly options: DeliveryOptions;
  readonly record: DeliveryRecord;
  readonly ledger: RunLedger | null;
  /** The Stop button. */
  readonly signal: AbortSignal | undefined;
}

/** The outcomes of the batches of a plan. */
export interface Dispatched {
  readonly receipts: ReadonlyArray<readonly Receipt[]>;
  /** Those that were not begun, because of their account's credits. */
  readonly unsent: ReadonlyArray<{ readonly batches: readonly Batch[]; readonly why: Failure }>;
}

/** The result of a delivery; unless an unsendable draft kept it from starting, each message is in one list, once. */
export interface Delivered {
  readonly unsendable: readonly Unsendable[];
  /** Those of earlier attempts among them; those alone where an unsendable draft kept the run from starting. */
  readonly receipts: readonly Receipt[];
  readonly duplicates: readonly Duplicate[];
  /** What would have been sent, in a dry run. */
  readonly planned: readonly Batch[];
  /** How many of the receipts, the first ones, are of earlier attempts. */
  readonly recalled: number;
}

/** Sends the batches of a plan, those of all accounts at the same time. */
export async function deliver({ shares, known, repeated }: Plan, delivery: Delivery): Promise<Dispatched> {
  const { options, record, ledger, signal, onProgress, ...config } = delivery;
  if (options.dryRun) return { receipts: [], unsent: [] };
  const whyNot = options.checkCreditsFirst ? await Promise.all(shares.map(whyNotCovered)) : [];
  const isOver = config.stopOnFailure && whyNot.some((why) => why !== null);
  const total = shares.reduce((sum, { batches }) => sum + countMessages(batches), 0);
  let done = 0;

  const uncertainBefore = countUncertain(known);
  const runEnd = new AbortController();
  const receipts: Array<Promise<readonly Receipt[]>> = [];
  const unsent: Array<Dispatched['unsent'][number]> = [];
  const noteInFlight = () => record.noteInFlight();
  signal?.addEventListener('abort', noteInFlight, { once: true });
  for (const [index, { batches, ...channel }] of shares.entries()) {
    const why = whyNot[index] ?? (isOver ? failure('notStarted') : null);
    let ownDone = 0;
    const addProgress = (progress: Progress) => {
      done += progress.done - ownDone;
      ownDone = progress.done;
      onProgress({ done, total });
    };
    const journal = accountJournal({ record, ledger, reservations: channel.reservations });
    const own = { ...channel, journal, repeated, uncertainBefore, runEnd, onProgress: addProgress };
    if (why !== null) unsent.push({ batches, why });
    else receipts.push(dispatch(batches, { ...options, ...config, ...own }));
  }
  try {
    return { receipts: await Promise.all(receipts), unsent };
  } finally {
    signal?.removeEventListener('abort', noteInFlight);
    await Promise.all(shares.map(async ({ reservations }) => await reservations?.end()));
  }
}

function countUncertain(receipts: readonly Receipt[]): number {
  return receipts.reduce(
    (sum, { results }) => sum + results.filter(({ outcome }) => outcome.kind === 'uncertain').length,
    0,
  );
}

async function whyNotCovered({ requests, batches }: Share): Promise<Failure | null> {
  if (batches.length === 0) return null;
  try {
    return creditsFailure(await requests.make({ endpoint: GET_BALANCE }), countMessages(batches));
  } catch {
    // Only the Stop button ends a wait for the balance.
    return failure('stopped');
  }
}

/** Puts the outcomes of a run with those of earlier attempts. */
export function* gather(
  { unsendable, duplicates, known, again, shares }: Plan,
  dispatched: Dispatched,
  { options, record }: Pick<Delivery, 'options' | 'record'>,
): Interruptible<Delivered> {
  const receipts: Receipt[] = [];
  let withUnsent = 0;
  const add = (receipt: Receipt) => {
    if (receipt.results.some(({ outcome }) => 'failure' in outcome)) withUnsent += 1;
    receipts.push(receipt);
  };
  for (const receipt of known) {
    add(receipt);
    yield;
  }
  for (const own of dispatched.receipts) {
    for (const receipt of own) {
      add(stillUncertain(receipt, again));
      yield;
    }
  }
  for (const { batches, why } of dispatched.unsent) {
    for (const batch of batches) {
      add(stillUncertain(receiptOf(batch, { kind: 'not_sent', failure: why }), again));
      yield;
    }
  }
  if (!options.dryRun && withUnsent === 0 && unsendable.length === 0) record.clear();
  else if (!options.dryRun) yield* record.endAttempt();
  const planned = options.dryRun ? shares.flatMap(({ batches }) => batches) : [];
  return { unsendable, receipts, duplicates, planned, recalled: known.length };
}
