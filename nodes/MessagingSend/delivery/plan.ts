import { type Failure, isFailure } from '../failures/failure';
import type { OutageRecord } from '../journal/outageRecord';
import type { DeliveryRecord } from '../journal/record/deliveryRecord';
import type { Reservations } from '../journal/sendOnce/reservations';
import { type Interruptible, withEach } from '../messages/interruptible';
import { type Batch, type Drafts, type Message, type Unsendable, unsendable } from '../messages/message';
import { addTo, byOrigin, sorted } from '../messages/order';
import type { Receipt } from '../messages/outcome';
import type { Requests } from '../requests/requests';
import { compose } from './compose';
import { type Duplicate, repeatedPhones, separateDuplicates } from './duplicates';
import type { SendOperation } from './operation';
import type { DeliveryOptions } from './options';
import { pack } from './pack';

/** What a plan is made from. */
export interface Order {
  readonly operation: SendOperation;
  /** Read once, before anything is sent. */
  readonly drafts: Drafts;
  readonly options: DeliveryOptions;
  /** The largest batch that the user wants; null for the operation's own. */
  readonly batchSize: number | null;
  /** Whether the first failure ends the run; then nothing is sent if one draft can't be. */
  readonly stopOnFailure: boolean;
  /** The outcomes of earlier attempts. */
  readonly record: DeliveryRecord;
  /** The channel of all items; or that of an item, the same object for the same account, or why there is none. */
  readonly channel: Channel | ((item: number) => Channel | Failure);
  /** Why nothing at all can be sent now, if so. */
  readonly broken: Failure | null;
}

/** The way to one account. */
export interface Channel {
  readonly requests: Requests;
  readonly outages: OutageRecord;
  /** With `sendOnceEver`: what has been sent from the account in all executions. */
  readonly reservations: Reservations | null;
}

/** The batches of one account. */
export interface Share extends Channel {
  readonly batches: readonly Batch[];
}

/** What a run is going to do. Unless an unsendable draft keeps it from starting, each message is in one list, once. */
export interface Plan {
  readonly unsendable: readonly Unsendable[];
  readonly duplicates: readonly Duplicate[];
  /** Outcomes of earlier attempts; they stay as they are. */
  readonly known: readonly Receipt[];
  /** What is sent now, or would be, in a dry run. */
  readonly shares: readonly Share[];
  /** Of those messages, the ones that an earlier attempt may have sent, with the reason. */
  readonly again: ReadonlyMap<Message, Failure>;
  /** The phones that more than one message of the run goes to. */
  readonly repeated: ReadonlySet<string>;
}

/**
 * Plans a run: drafts are composed into messages; those that have an outcome from an earlier attempt keep it, whatever
 * keeps the others from being sent; the others are packed into batches for each account.
 */
export function* plan(order: Order): Interruptible<Plan> {
  const { operation, drafts, options, stopOnFailure, record, channel, broken } = order;
  const { dryRun, longMessages, numberCheck } = options;
  // No spread: an object of a new shape each time would slow down what reads it for each message.
  const rules = { dryRun, longMessages, numberCheck, maxCharacters: operation.maxCharacters };
  const composed = yield* compose(drafts, rules);
  const { messages } = composed;
  const sendOnce = options.duplicateMessages !== 'send';
  const { unique, duplicates } = sendOnce ? yield* separateDuplicates(messages) : { unique: messages, duplicates: [] };
  const repeated = yield* repeatedPhones(unique);
  const {
    pending,
    again,
    lastBatch,
    receipts: known,
    unsendable: left,
  } = yield* record.recall(unique, composed.unsendable, {
    sendUncertainAgain: options.uncertain === 'sendAgain',
    willSend: !options.dryRun && broken === null,
    isSingle: operation.maxBatchSize === 1,
    repeated,
  });

  const { byAccount, refused } = yield* divide(pending, broken === null ? channel : () => broken);
  const { sendable, unsendable } = yield* withRefused(left, refused, again, duplicates, broken);
  const nothing: Plan = { unsendable, duplicates: [], known, shares: [], again, repeated };
  if (stopOnFailure && unsendable.length > 0) return nothing;

  const size = Math.min(order.batchSize ?? operation.maxBatchSize, operation.maxBatchSize);
  const shares = yield* packShares(byAccount, size, lastBatch);
  return { ...nothing, duplicates: sendable, shares };
}

/** A message that has no account. */
interface Refused {
  readonly message: Message;
  readonly why: Failure;
}

/** Divides messages by the account that they are sent from, in their order. */
function* divide(
  messages: readonly Message[],
  channel: Order['channel'],
): Interruptible<{ byAccount: ReadonlyMap<Channel, readonly Message[]>; refused: readonly Refused[] }> {
  if (typeof channel !== 'function') {
    return { byAccount: new Map(messages.length === 0 ? [] : [[channel, messages]]), refused: [] };
  }
  const byAccount = new Map<Channel, Message[]>();
  const refused: Refused[] = [];
  yield* withEach(messages, (message) => {
    const own = channel(message.item);
    if (isFailure(own)) refused.push({ message, why: own });
    else addTo(byAccount, own, message);
  });
  return { byAccount, refused };
}

/** Adds the messages that have no account, with their duplicates, to the drafts that can't be composed. */
function* withRefused(
  drafts: readonly Unsendable[],
  refused: readonly Refused[],
  again: ReadonlyMap<Message, Failure>,
  duplicates: readonly Duplicate[],
  broken: Failure | null,
): Interruptible<{ unsendable: readonly Unsendable[]; sendable: readonly Duplicate[] }> {
  if (refused.length === 0 && broken === null) return { unsendable: drafts, sendable: duplicates };
  const all: Unsendable[] = [];
  yield* withEach(drafts, (draft) => {
    all.push(broken === null ? draft : unsendable(draft, broken, draft.outcome));
  });
  const outcomeOf = (message: Message) => (again.has(message) ? 'uncertain' : 'not_sent');
  const reasons = new Map<Message, Failure>();
  yield* withEach(refused, ({ message, why }) => {
    all.push(unsendable(message, why, outcomeOf(message)));
    if (duplicates.length > 0) reasons.set(message, why);
  });
  const sendable: Duplicate[] = [];
  yield* withEach(duplicates, (duplicate) => {
    const why = reasons.get(duplicate.original);
    if (why === undefined) sendable.push(duplicate);
    else all.push(unsendable(duplicate.message, why, outcomeOf(duplicate.original)));
  });
  return { unsendable: yield* sorted(all, byOrigin), sendable };
}

function* packShares(
  byAccount: ReadonlyMap<Channel, readonly Message[]>,
  size: number,
  lastBatch: number,
): Interruptible<readonly Share[]> {
  const shares: Share[] = [];
  let last = lastBatch;
  for (const [channel, messages] of byAccount) {
    const batches = yield* pack(messages, size, last);
    shares.push({ ...channel, batches });
    last += batches.length;
  }
  return shares;
}
