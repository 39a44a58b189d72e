import { type Failure, isFailure } from '../failures/failure';
import type { Journal } from '../journal/journal';
import type { OutageRecord } from '../journal/outageRecord';
import type { Recalled } from '../journal/question';
import { type Batch, type Drafts, type Message, type Unsendable, unsendable } from '../messages/message';
import { addTo, byOrigin } from '../messages/order';
import type { Receipt, Result } from '../messages/outcome';
import type { Requests } from '../requests/requests';
import { compose } from './compose';
import { type Duplicate, separateDuplicates } from './duplicates';
import type { KeepBack } from './keepBack';
import type { SendOperation } from './operation';
import type { DeliveryOptions } from './options';
import { divertToTester } from './testRun';

export interface Order {
  readonly operation: SendOperation;
  /** Read once, before anything is sent. */
  readonly drafts: Drafts;
  readonly options: DeliveryOptions;
  /** The largest batch that the user wants; null for the operation's own. */
  readonly batchSize: number | null;
  /** Whether the first failure ends the run; then nothing is sent if one draft can't be. */
  readonly stopOnFailure: boolean;
  /** The channel of all items; or that of an item, the same object for the same account, or why there is none. */
  readonly channel: Channel | ((item: number) => Channel | Failure);
  /** Which messages the user does not want to be sent; null if all may be. */
  readonly keepBack: KeepBack | null;
  /** Why nothing at all can be sent now, if so. */
  readonly broken: Failure | null;
}

/** The way to one account. */
export interface Channel {
  /** Identifies the account without being a secret. */
  readonly account: string;
  readonly requests: Requests;
  readonly outages: OutageRecord;
}

export interface Share extends Channel {
  readonly batches: readonly Batch[];
}

/** What a run is going to do. Unless an unsendable draft keeps it from starting, each message is in one list, once. */
export interface Plan {
  readonly unsendable: readonly Unsendable[];
  readonly duplicates: readonly Duplicate[];
  /** Of messages that are not sent on purpose. */
  readonly skipped: readonly Receipt[];
  /** Outcomes of earlier attempts; they stay as they are. */
  readonly known: readonly Receipt[];
  /** How many messages an unsendable draft keeps from being sent, because the first failure ends the run. */
  readonly heldUp: number;
  /** What is sent now, or would be, in a dry run. */
  readonly shares: readonly Share[];
  /** The phones that more than one message of the run goes to. */
  readonly repeated: ReadonlySet<string>;
}

/**
 * Plans a run: drafts are composed into messages; those that have an outcome from an earlier attempt keep it, whatever
 * keeps the others from being sent; the others are packed into batches for each account.
 */
export async function plan(order: Order, journal: Pick<Journal, 'recall' | 'of'>): Promise<Plan> {
  const { operation, options, broken, stopOnFailure, keepBack } = order;
  const asked = addressed(order);
  const { accounts, refused, repeated } = asked;
  const batchSize = Math.min(order.batchSize ?? operation.maxBatchSize, operation.maxBatchSize);
  const earlier = await journal.recall({
    accounts: accounts.map(({ channel, messages }) => ({ account: channel.account, messages })),
    others: refused.map(({ message }) => message),
    unsendable: asked.unsendable,
    repeated: asked.ambiguous,
    batchSize,
    sendUncertainAgain: options.uncertain === 'sendAgain',
    willSend: !options.dryRun && broken === null,
    isCounted: options.dryRun || options.checkCreditsFirst,
    isSingle: operation.maxBatchSize === 1,
  });

  const refusedNow = leftOf(refused, earlier.others);
  const { sendable, unsendable } = withRefused(earlier, refusedNow, asked.duplicates, broken);
  const plan: Plan = {
    unsendable,
    duplicates: [],
    skipped: [],
    known: earlier.receipts,
    heldUp: 0,
    shares: [],
    repeated,
  };
  if (stopOnFailure && unsendable.length > 0) {
    return { ...plan, heldUp: earlier.pending.reduce((sum, { length }) => sum + length, 0) };
  }

  const skipped = [...skippedReceipts(asked.untested)];
  const shares: Share[] = [];
  let last = earlier.lastBatch;
  for (const [index, { channel }] of accounts.entries()) {
    const pending = earlier.pending[index] ?? [];
    const { willSend, keptBack } = separateKeptBack(pending, keepBack);
    const own = journal.of(channel.account);
    for (const receipt of skippedReceipts(keptBack)) skipped.push(own.skip(receipt));
    const batches = pack(willSend, batchSize, last);
    shares.push({ ...channel, batches });
    last += batches.length;
  }
  return { ...plan, duplicates: sendable, skipped, shares };
}

/** The messages of a run, divided by the account that they are sent from. */
interface Addressed {
  readonly accounts: ReadonlyArray<{ readonly channel: Channel; readonly messages: readonly Message[] }>;
  readonly refused: readonly Refused[];
  readonly duplicates: readonly Duplicate[];
  /** Messages that a test run sends to nobody. */
  readonly untested: readonly Result[];
  readonly unsendable: readonly Unsendable[];
  readonly repeated: ReadonlySet<string>;
  /** The phones that more than one text goes to; one text may go in several parts. */
  readonly ambiguous: ReadonlySet<string>;
}

/** A message that has no account. */
interface Refused {
  readonly message: Message;
  readonly why: Failure;
}

function addressed({ operation, drafts, options, channel, broken, keepBack }: Order): Addressed {
  const { dryRun, longMessages, numberCheck } = options;
  // No spread: an object of a new shape each time would slow down what reads it for each message.
  const rules = { dryRun, longMessages, numberCheck, maxCharacters: operation.maxCharacters };
  const { messages, unsendable } = compose(drafts, rules);
  const sendOnce = options.duplicateMessages !== 'send';
  const isSent = (message: Message) => (keepBack?.(message) ?? null) === null;
  const { unique: each, duplicates } = sendOnce
    ? separateDuplicates(messages, isSent)
    : { unique: messages, duplicates: [] };
  const { messages: unique, untested } = divertToTester(each, broken === null ? options.testRun : null, isSent);
  const repeated = repeatedPhones(unique);
  const isSplit = unique.some(({ part }) => part !== null);
  const ambiguous = isSplit ? repeatedPhones(unique.filter(({ part }) => part === null || part === 0)) : repeated;
  const divided = divide(unique, broken === null ? channel : () => broken);
  return { ...divided, duplicates, untested, unsendable, repeated, ambiguous };
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

function skippedReceipts(results: readonly Result[]): readonly Receipt[] {
  return results.length === 0 ? [] : [{ batch: null, results, data: null }];
}

export function repeatedPhones(messages: Iterable<Message>): ReadonlySet<string> {
  const phones = new Set<string>();
  const repeated = new Set<string>();
  for (const { phone } of messages) {
    const { size } = phones;
    if (phones.add(phone).size === size) repeated.add(phone);
  }
  return repeated;
}

function divide(messages: readonly Message[], channel: Order['channel']): Pick<Addressed, 'accounts' | 'refused'> {
  if (typeof channel !== 'function') return { accounts: [{ channel, messages }], refused: [] };
  const byAccount = new Map<Channel, Message[]>();
  const refused: Refused[] = [];
  for (const message of messages) {
    const own = channel(message.item);
    if (isFailure(own)) refused.push({ message, why: own });
    else addTo(byAccount, own, message);
  }
  return { accounts: Array.from(byAccount, ([own, list]) => ({ channel: own, messages: list })), refused };
}

/** Those of the refused messages that have no outcome yet. */
function leftOf(refused: readonly Refused[], left: readonly Message[]): readonly Refused[] {
  if (left.length === refused.length) return refused;
  const messages = new Set(left);
  const found: Refused[] = [];
  for (const each of refused) {
    if (messages.has(each.message)) found.push(each);
  }
  return found;
}

/** Adds the messages that have no account, with their duplicates, to the drafts that can't be composed. */
function withRefused(
  { unsendable: drafts, again, mayHaveSentOthers }: Recalled,
  refused: readonly Refused[],
  duplicates: readonly Duplicate[],
  broken: Failure | null,
): { unsendable: readonly Unsendable[]; sendable: readonly Duplicate[] } {
  if (refused.length === 0 && broken === null) return { unsendable: drafts, sendable: duplicates };
  const all: Unsendable[] = [];
  for (const draft of drafts) {
    all.push(broken === null ? draft : unsendable(draft, broken, draft.outcome));
  }
  const outcomeOf = (message: Message, why: Failure) =>
    mayHaveSentOthers || again.has(message) || why.sendAgain === 'checkFirst' ? 'uncertain' : 'not_sent';
  const reasons = new Map<Message, Failure>();
  for (const { message, why } of refused) {
    const { testFor: phone = message.phone } = message;
    all.push(unsendable({ ...message, phone }, why, outcomeOf(message, why)));
    if (duplicates.length > 0) reasons.set(message, why);
  }
  const sendable: Duplicate[] = [];
  for (const duplicate of duplicates) {
    const why = reasons.get(duplicate.original);
    if (why === undefined) sendable.push(duplicate);
    else all.push(unsendable(duplicate.message, why, outcomeOf(duplicate.original, why)));
  }
  return { unsendable: all.sort(byOrigin), sendable };
}

/** @param lastNumber the number of the batch before the first one */
export function pack(messages: readonly Message[], size: number, lastNumber = 0): Batch[] {
  const batches: Batch[] = [];
  for (let start = 0; start < messages.length; start += size) {
    batches.push({ number: lastNumber + batches.length + 1, messages: messages.slice(start, start + size) });
  }
  return batches;
}
