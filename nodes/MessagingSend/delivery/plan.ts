import type { Failure } from '../failures/failure';
import type { DeliveryRecord } from '../journal/deliveryRecord';
import {
  type Batch,
  type Draft,
  type Interruptible,
  type Message,
  type Unsendable,
  unsendable,
} from '../messages/message';
import type { Receipt } from '../messages/outcome';
import type { Requests } from '../requests/requests';
import { compose } from './compose';
import { type Duplicate, separateDuplicates } from './duplicates';
import type { SendOperation } from './operation';
import type { DeliveryOptions } from './options';
import { pack } from './pack';

/** What a plan is made from. */
export interface Order {
  readonly operation: SendOperation;
  /** Read once, before anything is sent. */
  readonly drafts: Iterable<Draft | Unsendable>;
  readonly options: DeliveryOptions;
  /** The largest batch that the user wants; null for the operation's own. */
  readonly batchSize: number | null;
  /** Whether the first failure ends the run; then nothing is sent if one draft can't be. */
  readonly stopOnFailure: boolean;
  /** The outcomes of earlier attempts. */
  readonly record: DeliveryRecord;
  /** The requests to the account of an item, the same object for the same account, or why there is none. */
  readonly requestsOf: (item: number) => Requests | Failure;
  /** Why nothing at all can be sent now, if so. */
  readonly broken: Failure | null;
}

/** The batches of one account. */
export interface Share {
  readonly requests: Requests;
  readonly batches: readonly Batch[];
}

/** What a run is going to do. Unless an unsendable draft keeps it from starting, each message is in one list, once. */
export interface Plan {
  readonly unsendable: readonly Unsendable[];
  readonly duplicates: readonly Duplicate[];
  /** Outcomes of earlier attempts; they stay as they are. */
  readonly known: readonly Receipt[];
  /** What is sent now. */
  readonly shares: readonly Share[];
  /** Of those messages, the ones that an earlier attempt may have sent, with the reason. */
  readonly again: ReadonlyMap<Message, Failure>;
  /** What would be sent, in a dry run. */
  readonly planned: readonly Batch[];
}

/**
 * Plans a run: drafts are composed into messages; those that have an outcome from an earlier attempt keep it, whatever
 * keeps the others from being sent; the others are packed into batches for each account.
 */
export function* plan(order: Order): Interruptible<Plan> {
  const { operation, drafts, options, stopOnFailure, record, requestsOf, broken } = order;
  const composed = yield* compose(drafts, { ...options, maxCharacters: operation.maxCharacters });
  const { messages } = composed;
  const sendOnce = options.duplicateMessages === 'sendOnce';
  const { unique, duplicates } = sendOnce ? yield* separateDuplicates(messages) : { unique: messages, duplicates: [] };
  const isSingle = operation.maxBatchSize === 1;
  const { pending, again, lastBatch, receipts } = yield* record.recall(unique, {
    sendUncertainAgain: options.uncertain === 'sendAgain',
    anyOrigin: sendOnce,
    isSingle,
  });
  const left = yield* record.recallUnsendable(composed.unsendable, receipts, isSingle);

  const { byAccount, refused } = yield* divide(pending, broken === null ? requestsOf : () => broken);
  const unsendable = yield* allUnsendable(left.unsendable, refused, again, duplicates, broken);
  const known = [...receipts, ...left.receipts];
  const nothing: Plan = { unsendable, duplicates: [], known, shares: [], again, planned: [] };
  if (stopOnFailure && unsendable.length > 0) return nothing;

  const size = Math.min(order.batchSize ?? operation.maxBatchSize, operation.maxBatchSize);
  const shares = yield* packShares(byAccount, size, lastBatch);
  const sendable = duplicates.filter(({ original }) => !refused.has(original));
  const planned = { ...nothing, duplicates: sendable };
  if (options.dryRun) return { ...planned, planned: shares.flatMap(({ batches }) => batches) };
  return { ...planned, shares };
}

/** Divides messages by the account that they are sent from, in their order. */
function* divide(
  messages: readonly Message[],
  requestsOf: Order['requestsOf'],
): Interruptible<{ byAccount: Map<Requests, Message[]>; refused: Map<Message, Failure> }> {
  const byAccount = new Map<Requests, Message[]>();
  const refused = new Map<Message, Failure>();
  for (const message of messages) {
    const requests = requestsOf(message.item);
    if ('code' in requests) {
      refused.set(message, requests);
    } else {
      const share = byAccount.get(requests) ?? [];
      if (share.push(message) === 1) byAccount.set(requests, share);
    }
    yield;
  }
  return { byAccount, refused };
}

/** The drafts that can't be composed and the messages that have no account, with their duplicates, in their order. */
function* allUnsendable(
  drafts: readonly Unsendable[],
  refused: ReadonlyMap<Message, Failure>,
  again: ReadonlyMap<Message, Failure>,
  duplicates: readonly Duplicate[],
  broken: Failure | null,
): Interruptible<readonly Unsendable[]> {
  if (refused.size === 0 && broken === null) return drafts;
  const all: Unsendable[] = [];
  for (const draft of drafts) {
    all.push(broken === null ? draft : unsendable(draft, broken, draft.outcome));
    yield;
  }
  const outcomeOf = (message: Message) => (again.has(message) ? 'uncertain' : 'not_sent');
  for (const [message, why] of refused) {
    all.push(unsendable(message, why, outcomeOf(message)));
    yield;
  }
  for (const { message, original } of duplicates) {
    const why = refused.get(original);
    if (why !== undefined) all.push(unsendable(message, why, outcomeOf(original)));
    yield;
  }
  return all.sort((a, b) => a.item - b.item || (a.entry ?? 0) - (b.entry ?? 0));
}

function* packShares(
  byAccount: ReadonlyMap<Requests, readonly Message[]>,
  size: number,
  lastBatch: number,
): Interruptible<readonly Share[]> {
  const shares: Share[] = [];
  let last = lastBatch;
  for (const [requests, messages] of byAccount) {
    const batches = pack(messages, size, last);
    shares.push({ requests, batches });
    last += batches.length;
    yield;
  }
  return shares;
}
