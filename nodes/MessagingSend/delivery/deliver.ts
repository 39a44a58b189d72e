import { GET_BALANCE } from '../api/endpoints';
import { type Failure, failure } from '../failures/failure';
import type { AccountJournal, Journal } from '../journal/journal';
import { type Batch, countMessages, type Drafts, type Message, type Unsendable } from '../messages/message';
import { addTo } from '../messages/order';
import { type Receipt, receiptOf, type Result } from '../messages/outcome';
import type { Requests } from '../requests/requests';
import { composeAll } from './compose';
import { creditsFailure } from './credits';
import { dispatch, type DispatchConfig } from './dispatch';
import { type Duplicate, separateDuplicates } from './duplicates';
import type { KeepBack } from './keepBack';
import type { SendOperation } from './operation';
import type { DeliveryOptions } from './options';
import type { OutageRecord } from './outageRecord';
import { countTexts, pack, repeatedPhones } from './pack';
import { divertToTester } from './testRun';

export interface Delivery extends Pick<DispatchConfig, 'pause'> {
  readonly operation: SendOperation;
  /** Read once, before anything is sent. */
  readonly drafts: Drafts;
  readonly options: DeliveryOptions;
  /** The largest batch that the user wants; null for the operation's own. */
  readonly batchSize: number | null;
  /** Whether the first failure ends the run; then nothing is sent if one draft can't be. */
  readonly stopOnFailure: boolean;
  /** The account of an item's messages: the same object for the same account. */
  readonly senderOf: (item: number) => Sender;
  /** Which messages the user does not want to be sent; null if all may be. */
  readonly keepBack: KeepBack | null;
  readonly journal: Journal;
  /** The Stop button. */
  readonly signal: AbortSignal | undefined;
  readonly onProgress: (progress: Progress) => void;
}

/** The way to one account. */
export interface Sender {
  /** Identifies the account without being a secret. */
  readonly account: string;
  readonly requests: Requests;
  readonly outages: OutageRecord;
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

/**
 * From drafts to outcomes: composes messages, leaves out what earlier attempts have sent and what the user keeps back, sends
 * the rest from each account, and puts the outcomes together.
 */
export async function deliver(delivery: Delivery): Promise<Delivered> {
  const { operation, options, stopOnFailure, keepBack, journal, pause } = delivery;
  const { dryRun, duplicateMessages, longMessages, numberCheck, testRun } = options;
  const rules = { dryRun, longMessages, numberCheck, maxCharacters: operation.maxCharacters };
  const composed = await composeAll(delivery.drafts, rules, pause);
  const mayBeSent = (message: Message) => (keepBack?.(message) ?? null) === null;
  const { unique, duplicates } =
    duplicateMessages === 'send'
      ? { unique: composed.messages, duplicates: [] }
      : separateDuplicates(composed.messages, mayBeSent);
  const { messages, untested } = divertToTester(unique, testRun, mayBeSent);
  const repeated = repeatedPhones(messages);
  await pause();

  const batchSize = Math.min(delivery.batchSize ?? operation.maxBatchSize, operation.maxBatchSize);
  const earlier = await journal.recall({
    messages,
    unsendable: composed.unsendable,
    repeated,
    batchSize,
    sendUncertainAgain: options.uncertain === 'sendAgain',
    willSend: !dryRun,
    isSingle: operation.maxBatchSize === 1,
  });
  const { unsendable, receipts: known, pending } = earlier;
  const recalled = { unsendable, repeated, recalled: known.length, planned: [] };
  if (stopOnFailure && unsendable.length > 0) {
    return conclude({ ...recalled, receipts: known, duplicates: [], heldUp: pending.length }, delivery);
  }
  await pause();

  const { willSend, keptBack } = separateKeptBack(pending, keepBack);
  const skipped = [...receiptsOf(untested), ...receiptsOf(keptBack).map((receipt) => journal.skip(receipt))];
  const shares = await sharesOf(willSend, delivery, batchSize, earlier.lastBatch);
  const before = [...known, ...skipped, ...shares.flatMap(({ sentBefore }) => sentBefore)];
  await pause();
  const sent = dryRun ? [] : await send(shares, before, repeated, delivery);
  const planned = dryRun ? shares.flatMap(({ batches }) => batches) : [];
  return conclude({ ...recalled, receipts: [...before, ...sent.flat()], duplicates, heldUp: 0, planned }, delivery);
}

/** Decides anew in each attempt which of the messages that have no outcome are kept back. */
function separateKeptBack(
  messages: readonly Message[],
  keepBack: KeepBack | null,
): { readonly willSend: readonly Message[]; readonly keptBack: readonly Result[] } {
  if (keepBack === null) return { willSend: messages, keptBack: [] };
  const willSend: Message[] = [];
  const keptBack: Result[] = [];
  for (const message of messages) {
    const outcome = keepBack(message);
    if (outcome === null) willSend.push(message);
    else keptBack.push({ message, outcome });
  }
  return { willSend, keptBack };
}

/** Of messages that no request carries. */
function receiptsOf(results: readonly Result[]): Receipt[] {
  return results.length === 0 ? [] : [{ batch: null, results, data: null }];
}

/** What is sent from one account. */
interface Share extends Sender {
  readonly journal: AccountJournal;
  /** Of messages that other executions have sent, or may have. */
  readonly sentBefore: readonly Receipt[];
  readonly batches: readonly Batch[];
}

/** Divides messages by their account. Batches are numbered in the order in which the input first names the accounts. */
async function sharesOf(
  messages: readonly Message[],
  { senderOf, journal, options }: Delivery,
  batchSize: number,
  lastBatch: number,
): Promise<Share[]> {
  const bySender = new Map<Sender, Message[]>();
  for (const message of messages) addTo(bySender, senderOf(message.item), message);
  const isCounted = options.dryRun || options.checkCreditsFirst;
  const shares: Share[] = [];
  let last = lastBatch;
  for (const [sender, own] of bySender) {
    const account = journal.of(sender.account);
    // A single request is left to its own reservation.
    const { receipts, pending } =
      own.length > batchSize || isCounted ? await account.recall(own) : { receipts: [], pending: own };
    const batches = pack(pending, batchSize, last);
    shares.push({ ...sender, journal: account, sentBefore: receipts, batches });
    last += batches.length;
  }
  return shares;
}

/** Sends from all accounts at the same time, and gives the receipts of each. */
async function send(
  shares: readonly Share[],
  before: readonly Receipt[],
  repeated: ReadonlySet<string>,
  { operation, options, keepBack, stopOnFailure, pause, journal, signal, onProgress }: Delivery,
): Promise<ReadonlyArray<readonly Receipt[]>> {
  const total = shares.reduce((sum, { batches }) => sum + countMessages(batches), 0);
  const uncertainBefore = countUncertain(before);
  let done = 0;
  const onSettled = (messages: number) => onProgress({ done: (done += messages), total });
  const sendShare = async ({ requests, outages, journal: own, batches }: Share): Promise<readonly Receipt[]> => {
    const why = options.checkCreditsFirst ? await whyNotCovered(requests, batches) : null;
    if (why !== null) return batches.map((batch) => own.settle(receiptOf(batch, { kind: 'not_sent', failure: why })));
    const { parallelRequests } = options;
    const run = { operation, stopOnFailure, parallelRequests, pause, repeated, keepBack, uncertainBefore, onSettled };
    return await dispatch(batches, { ...run, requests, outages, journal: own });
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
  return receipts.flatMap(({ results }) => results).filter(({ outcome }) => outcome.kind === 'uncertain').length;
}

async function whyNotCovered(requests: Requests, batches: readonly Batch[]): Promise<Failure | null> {
  if (batches.length === 0) return null;
  try {
    return creditsFailure(await requests.make({ endpoint: GET_BALANCE }), countTexts(batches));
  } catch {
    // Only the Stop button ends a wait for the balance.
    return failure('stopped');
  }
}

function conclude(delivered: Delivered, { options, journal }: Delivery): Delivered {
  const { receipts, unsendable } = delivered;
  const hasFailure = receipts.some(({ results }) => results.some(({ outcome }) => 'failure' in outcome));
  if (!options.dryRun) journal.conclude(!hasFailure && unsendable.length === 0);
  return delivered;
}
