import { GET_BALANCE } from '../api/endpoints';
import { type Failure, failure } from '../failures/failure';
import type { Journal } from '../journal/journal';
import type { Interruptible, Work } from '../messages/interruptible';
import { type Batch, countMessages, type Unsendable } from '../messages/message';
import { type Receipt, receiptOf } from '../messages/outcome';
import { creditsFailure, withCreditsOfRun } from './credits';
import { dispatch, type DispatchConfig } from './dispatch';
import type { Duplicate } from './duplicates';
import { type Order, type Plan, plan, type Share } from './plan';

export interface Delivery extends Order, Pick<DispatchConfig, 'wholeAnswers' | 'pause'> {
  readonly journal: Journal;
  readonly work: Work;
  /** The Stop button. */
  readonly signal: AbortSignal | undefined;
  readonly onProgress: (progress: Progress) => void;
}

/** How far a delivery is, in messages. */
export interface Progress {
  readonly done: number;
  readonly total: number;
}

/** The result of a delivery; unless an unsendable draft kept it from starting, each message is in one list, once. */
export interface Delivered {
  readonly unsendable: readonly Unsendable[];
  /** Those of earlier attempts among them; those alone where an unsendable draft kept the run from starting. */
  readonly receipts: readonly Receipt[];
  readonly duplicates: readonly Duplicate[];
  /** How many messages an unsendable draft kept from being sent. */
  readonly heldUp: number;
  /** The phones that more than one message of the run goes to; may contain others. */
  readonly repeated: ReadonlySet<string>;
  /** What would have been sent, in a dry run. */
  readonly planned: readonly Batch[];
  /** How many of the receipts, the first ones, are of earlier attempts. */
  readonly recalled: number;
}

/** From drafts to outcomes: plans, sends what is left to send, and puts the outcomes with those of earlier attempts. */
export async function deliver(delivery: Delivery): Promise<Delivered> {
  const { options, journal, work } = delivery;
  const planned = await plan(delivery, journal, work);
  const receipts = options.dryRun ? [] : await send(planned, delivery);
  return await work(gather(planned, receipts, delivery));
}

/** Sends the batches of all accounts at the same time; gives a list of receipts for each account. */
async function send(
  { shares, known, skipped, repeated }: Plan,
  delivery: Delivery,
): Promise<Array<readonly Receipt[]>> {
  const { operation, options, journal, keepBack, stopOnFailure, wholeAnswers, pause, signal, work } = delivery;
  const whyNot = options.checkCreditsFirst ? await Promise.all(shares.map(whyNotCovered)) : [];
  const isOver = stopOnFailure && whyNot.some((why) => why !== null);
  const total = shares.reduce((sum, { batches }) => sum + countMessages(batches), 0);
  let done = 0;

  const run = {
    operation,
    stopOnFailure,
    wholeAnswers,
    pause,
    repeated,
    keepBack,
    parallelRequests: options.parallelRequests,
    whenCreditsRunOut: options.whenCreditsRunOut,
    uncertainBefore: countUncertain([...known, ...skipped]),
    runEnd: new AbortController(),
    onSettled: (messages: number) => delivery.onProgress({ done: (done += messages), total }),
  };
  const sendShare = async ({ account, batches, requests, outages }: Share, index: number) => {
    const own = journal.of(account);
    const why = whyNot[index] ?? (isOver ? failure('notStarted') : null);
    if (why !== null) return batches.map((batch) => own.settle(receiptOf(batch, { kind: 'not_sent', failure: why })));
    return await work(withCreditsOfRun(await dispatch(batches, { ...run, requests, outages, journal: own })));
  };
  const noteInFlight = () => journal.noteInFlight();
  signal?.addEventListener('abort', noteInFlight, { once: true });
  try {
    return await Promise.all(shares.map(sendShare));
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

function* gather(
  { unsendable, duplicates, skipped, known, heldUp, shares, repeated }: Plan,
  receiptsOfShares: ReadonlyArray<readonly Receipt[]>,
  { options, journal }: Delivery,
): Interruptible<Delivered> {
  const receipts: Receipt[] = [];
  let withUnsent = 0;
  for (const list of [known, skipped, ...receiptsOfShares]) {
    for (const receipt of list) {
      if (receipt.results.some(({ outcome }) => 'failure' in outcome)) withUnsent += 1;
      receipts.push(receipt);
      yield;
    }
  }
  if (!options.dryRun) yield* journal.conclude(withUnsent === 0 && unsendable.length === 0);
  const planned = options.dryRun ? shares.flatMap(({ batches }) => batches) : [];
  return { unsendable, receipts, duplicates, heldUp, repeated, planned, recalled: known.length };
}
