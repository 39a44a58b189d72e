import { GET_BALANCE } from '../api/endpoints';
import { type Failure, failure } from '../failures/failure';
import type { Journal } from '../journal/journal';
import type { Interruptible } from '../messages/interruptible';
import { type Batch, countMessages, type Unsendable } from '../messages/message';
import { type Receipt, receiptOf } from '../messages/outcome';
import { creditsFailure } from './credits';
import { dispatch, type DispatchConfig, type Progress } from './dispatch';
import type { Duplicate } from './duplicates';
import type { DeliveryOptions } from './options';
import type { Channel, Plan, Share } from './plan';

/** Everything that carrying out a plan takes. */
export interface Delivery extends Omit<
  DispatchConfig,
  keyof DeliveryOptions | keyof Channel | 'journal' | 'repeated' | 'uncertainBefore' | 'runEnd'
> {
  readonly options: DeliveryOptions;
  readonly journal: Journal;
  /** The Stop button. */
  readonly signal: AbortSignal | undefined;
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

/**
 * Sends the batches of a plan, those of all accounts at the same time.
 * @returns a list of receipts for each account
 */
export async function deliver(
  { shares, known, repeated }: Plan,
  delivery: Delivery,
): Promise<ReadonlyArray<readonly Receipt[]>> {
  const { options, journal, signal, onProgress, ...config } = delivery;
  if (options.dryRun) return [];
  const whyNot = options.checkCreditsFirst ? await Promise.all(shares.map(whyNotCovered)) : [];
  const isOver = config.stopOnFailure && whyNot.some((why) => why !== null);
  const total = shares.reduce((sum, { batches }) => sum + countMessages(batches), 0);
  let done = 0;

  const uncertainBefore = countUncertain(known);
  const runEnd = new AbortController();
  const noteInFlight = () => journal.noteInFlight();
  signal?.addEventListener('abort', noteInFlight, { once: true });
  const deliverShare = async ({ account, batches, ...channel }: Share, index: number): Promise<readonly Receipt[]> => {
    const own = journal.of(account);
    const why = whyNot[index] ?? (isOver ? failure('notStarted') : null);
    if (why !== null) return batches.map((batch) => own.settle(receiptOf(batch, { kind: 'not_sent', failure: why })));
    let ownDone = 0;
    const addProgress = (progress: Progress) => {
      done += progress.done - ownDone;
      ownDone = progress.done;
      onProgress({ done, total });
    };
    const run = { ...channel, journal: own, repeated, uncertainBefore, runEnd, onProgress: addProgress };
    return await dispatch(batches, { ...options, ...config, ...run });
  };
  try {
    return await Promise.all(shares.map(deliverShare));
  } finally {
    signal?.removeEventListener('abort', noteInFlight);
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
  { unsendable, duplicates, known, shares }: Plan,
  delivered: ReadonlyArray<readonly Receipt[]>,
  { options, journal }: Pick<Delivery, 'options' | 'journal'>,
): Interruptible<Delivered> {
  const receipts: Receipt[] = [];
  let withUnsent = 0;
  for (const list of [known, ...delivered]) {
    for (const receipt of list) {
      if (receipt.results.some(({ outcome }) => 'failure' in outcome)) withUnsent += 1;
      receipts.push(receipt);
      yield;
    }
  }
  if (!options.dryRun) yield* journal.conclude(withUnsent === 0 && unsendable.length === 0);
  const planned = options.dryRun ? shares.flatMap(({ batches }) => batches) : [];
  return { unsendable, receipts, duplicates, planned, recalled: known.length };
}
