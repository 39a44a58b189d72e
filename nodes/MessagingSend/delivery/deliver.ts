import { creditsTooLow } from '../api/answerFailure';
import { GET_BALANCE } from '../api/endpoints';
import { creditsOf } from '../api/records';
import { type Failure, failure, isFailure } from '../failures/failure';
import type { AccountJournal, Journal } from '../journal/journal';
import type { Recalled } from '../journal/recall';
import {
  addTo,
  type Batch,
  byOrigin,
  countMessages,
  type Drafts,
  type Message,
  textsOf,
  type Unsendable,
  unsendable,
} from '../messages/message';
import { type Receipt, receiptOf } from '../messages/outcome';
import type { Requests } from '../requests/requests';
import { pack } from './batches';
import type { Outages } from './circuitBreaker';
import { composeAll } from './compose';
import { dispatch, type DispatchConfig } from './dispatch';
import type { SendOperation } from './operation';
import type { DeliveryOptions } from './options';
import { divertToTester, type Duplicate, type KeepBack, phonesOfSeveral, select } from './selection';

export interface Delivery extends Pick<DispatchConfig, 'pause'> {
  readonly operation: SendOperation;
  /** Read once, before anything is sent. */
  readonly drafts: Drafts;
  readonly options: DeliveryOptions;
  /** The largest batch that the user wants; null for the operation's own. */
  readonly batchSize: number | null;
  /** Whether the first failure ends the run; then nothing is sent if one draft can't be. */
  readonly stopOnFailure: boolean;
  /** The account of an item's messages, or why there is none. The same account is always the same object. */
  readonly senderOf: (item: number) => Sender | Failure;
  /** Why nothing can be sent now; null if messages can. */
  readonly broken: Failure | null;
  /** Decides which messages the user doesn't want sent; null if all may be sent. */
  readonly keepBack: KeepBack | null;
  readonly journal: Journal;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: (progress: Progress) => void;
}

export interface Sender {
  /** Identifies the account without being a secret. */
  readonly account: string;
  readonly requests: Requests;
  readonly outages: Outages;
}

export interface Progress {
  readonly done: number;
  readonly total: number;
}

/** Unless an unsendable draft kept the run from starting, each message is in exactly one of these lists. */
export interface Delivered {
  readonly unsendable: readonly Unsendable[];
  /** Includes earlier attempts' receipts; only those if an unsendable draft kept the run from starting. */
  readonly receipts: readonly Receipt[];
  readonly duplicates: readonly Duplicate[];
  /** How many messages an unsendable draft kept from being sent. */
  readonly heldUp: number;
  /** Phones that get more than one message of the run; may contain others. */
  readonly repeated: ReadonlySet<string>;
  readonly planned: readonly Batch[];
  /** How many receipts, from the first on, are of earlier attempts. */
  readonly recalled: number;
}

/**
 * From drafts to outcomes: composes messages, leaves out those that earlier attempts have sent or the user keeps back,
 * and sends the rest from each account.
 */
export async function deliver(delivery: Delivery): Promise<Delivered> {
  const { operation, options, stopOnFailure, keepBack, journal, pause } = delivery;
  const { dryRun, duplicateMessages, testRun } = options;
  const rules = { ...options, maxCharacters: operation.maxCharacters };
  const composed = await composeAll(delivery.drafts, rules, pause);
  await pause();
  const isOnce = duplicateMessages !== 'send';
  const rest = { isOnce, keepBack };
  // The journal of a test knows the tester's number, so messages are diverted before it is asked.
  const tested =
    testRun === null || delivery.broken !== null
      ? null
      : divertToTester(select(composed.messages, [], phonesOfSeveral(composed.messages), rest), testRun);
  const messages = tested?.willSend ?? composed.messages;
  const repeated = phonesOfSeveral(messages);
  const earlier = await journal.recall({
    messages,
    unsendable: composed.unsendable,
    repeated,
    sendUncertainAgain: false,
  });
  const { receipts: known } = earlier;
  const broken = delivery.broken ?? whyTooMany(earlier.pending, options);
  const { unsendable: refused, pending } = withoutRefused(earlier, { ...delivery, broken });
  const recalled = { unsendable: refused, repeated, recalled: known.length, planned: [] };
  const { willSend, keptBack, duplicates } =
    tested === null ? select(pending, known, repeated, rest, earlier.again) : { ...tested, willSend: pending };
  if (stopOnFailure && refused.length > 0) {
    return conclude({ ...recalled, receipts: known, duplicates: [], heldUp: willSend.length }, delivery);
  }
  await pause();

  const batchSize = Math.min(delivery.batchSize ?? operation.maxBatchSize, operation.maxBatchSize);
  const skipped = journal.skip({ batch: null, results: keptBack, data: null });
  const shares = await sharesOf(willSend, delivery, batchSize, earlier.lastBatch);
  const before = [...known, skipped, ...shares.flatMap(({ sentBefore }) => sentBefore)];
  await pause();
  const sent = dryRun ? [] : await send(shares, repeated, delivery);
  const planned = dryRun ? shares.flatMap(({ batches }) => batches) : [];
  return conclude({ ...recalled, receipts: [...before, ...sent.flat()], duplicates, heldUp: 0, planned }, delivery);
}

/** What n8n's database remembers for 'Send Once, Also in Later Runs': a longer run would push out its first. */
const MAX_SENT_ONCE = 50_000;

function whyTooMany({ length: count }: readonly Message[], { duplicateMessages }: DeliveryOptions): Failure | null {
  if (duplicateMessages !== 'sendOnceEver' || count <= MAX_SENT_ONCE) return null;
  return failure('sendOnceTooMany', { count: count.toLocaleString('en'), limit: MAX_SENT_ONCE.toLocaleString('en') });
}

/** Adds the messages that have no account to the drafts that can't be sent. */
function withoutRefused(
  { unsendable: drafts, pending, again }: Recalled,
  { broken, senderOf }: Pick<Delivery, 'broken' | 'senderOf'>,
): Pick<Recalled, 'unsendable' | 'pending'> {
  const why = new Map<Message, Failure>();
  for (const message of pending) {
    const sender = broken ?? senderOf(message.item);
    if (isFailure(sender)) why.set(message, sender);
  }
  const refused = Array.from(why, ([message, failed]) => {
    const mayBeSent = again.has(message) || failed.sendAgain === 'checkFirst';
    const { phone, testFor = phone } = message;
    return unsendable({ ...message, phone: testFor }, failed, mayBeSent ? 'uncertain' : 'not_sent');
  });
  const others = drafts.map((draft) => (broken === null ? draft : unsendable(draft, broken, draft.outcome)));
  return {
    unsendable: [...others, ...refused].sort(byOrigin),
    pending: pending.filter((message) => !why.has(message)),
  };
}

interface Share extends Sender {
  readonly journal: AccountJournal;
  /** Receipts of messages that other executions have sent, or may have. */
  readonly sentBefore: readonly Receipt[];
  readonly batches: readonly Batch[];
}

/** Divides messages by account. Batches are numbered in the order in which the input first names the accounts. */
async function sharesOf(
  messages: readonly Message[],
  { senderOf, journal, options }: Delivery,
  batchSize: number,
  lastBatch: number,
): Promise<Share[]> {
  const bySender = new Map<Sender, Message[]>();
  for (const message of messages) {
    const sender = senderOf(message.item);
    if (!isFailure(sender)) addTo(bySender, sender, message);
  }
  const isCounted = options.dryRun || options.checkCreditsFirst;
  const shares: Share[] = [];
  let last = lastBatch;
  for (const [sender, own] of bySender) {
    const account = journal.of(sender.account);
    // A single request is checked when it is reserved.
    const { receipts, pending } =
      own.length > batchSize || isCounted ? await account.recall(own) : { receipts: [], pending: own };
    const batches = pack(pending, batchSize, last);
    shares.push({ ...sender, journal: account, sentBefore: receipts, batches });
    last += batches.length;
  }
  return shares;
}

/** Sends from all accounts at the same time. @returns the receipts of each */
async function send(
  shares: readonly Share[],
  repeated: ReadonlySet<string>,
  { operation, options, keepBack, stopOnFailure, pause, journal, signal, onProgress }: Delivery,
): Promise<ReadonlyArray<readonly Receipt[]>> {
  const total = shares.reduce((sum, { batches }) => sum + countMessages(batches), 0);
  let done = 0;
  const onSettled = (messages: number) => onProgress({ done: (done += messages), total });
  const sendShare = async ({ requests, outages, journal: own, batches }: Share): Promise<readonly Receipt[]> => {
    const why = options.checkCreditsFirst ? await whyNotCovered(requests, batches) : null;
    if (why !== null) return batches.map((batch) => own.settle(receiptOf(batch, { kind: 'not_sent', failure: why })));
    const { parallelRequests } = options;
    const run = { operation, stopOnFailure, parallelRequests, pause, repeated, keepBack, onSettled };
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

/** Reads the balance. @returns why the run must not start; null if the credits cover it */
async function whyNotCovered(requests: Requests, batches: readonly Batch[]): Promise<Failure | null> {
  if (batches.length === 0) return null;
  // Only the Stop button ends a wait for the balance.
  const reply = await requests.make({ endpoint: GET_BALANCE }).catch(() => null);
  if (reply === null) return failure('stopped');
  const available = reply.kind === 'accepted' ? creditsOf(reply.data) : null;
  if (available === null) {
    const why = reply.kind === 'accepted' ? failure('balanceNotReported') : reply.failure;
    const { message: reason, advice, ...details } = why;
    return failure('creditsNotRead', { reason, advice }, { ...details, scope: 'run', sendAgain: 'safe' });
  }
  // Each text uses a credit.
  const required = batches.flatMap(({ messages }) => messages.flatMap(textsOf)).length;
  return available >= required ? null : creditsTooLow({ required, available });
}

function conclude(delivered: Delivered, { options, journal }: Delivery): Delivered {
  const { receipts, unsendable: refused } = delivered;
  const hasFailure = receipts.some(({ results }) => results.some(({ outcome }) => 'failure' in outcome));
  if (!options.dryRun) journal.conclude(!hasFailure && refused.length === 0);
  return delivered;
}
