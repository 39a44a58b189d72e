import type { Failure } from '../failures/failure';
import type { DeliveryRecord } from '../journal/deliveryRecord';
import type { Batch, Draft, Interruptible, Message, Unsendable } from '../messages/message';
import type { Receipt } from '../messages/outcome';
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
}

/** What a run is going to do. Unless an unsendable draft keeps it from starting, each message is in one list, once. */
export interface Plan {
  readonly unsendable: readonly Unsendable[];
  readonly duplicates: readonly Duplicate[];
  /** Outcomes of earlier attempts; they stay as they are. */
  readonly known: readonly Receipt[];
  /** What is sent now. */
  readonly batches: readonly Batch[];
  /** Of those messages, the ones that an earlier attempt may have sent, with the reason. */
  readonly again: ReadonlyMap<Message, Failure>;
  /** What would be sent, in a dry run. */
  readonly planned: readonly Batch[];
}

/**
 * Plans a run: drafts are composed into messages; those that have an outcome from an earlier attempt keep it; the others
 * are packed into batches.
 */
export function* plan({ operation, drafts, options, batchSize, stopOnFailure, record }: Order): Interruptible<Plan> {
  const { messages, unsendable } = yield* compose(drafts, { ...options, maxCharacters: operation.maxCharacters });
  const sendOnce = options.duplicateMessages === 'sendOnce';
  const { unique, duplicates } = sendOnce ? yield* separateDuplicates(messages) : { unique: messages, duplicates: [] };
  const size = Math.min(batchSize ?? operation.maxBatchSize, operation.maxBatchSize);
  const nothing: Plan = { unsendable, duplicates: [], known: [], batches: [], again: new Map(), planned: [] };
  const cannotStart = stopOnFailure && unsendable.length > 0;
  if (options.dryRun && !cannotStart) return { ...nothing, duplicates, planned: pack(unique, size) };

  const recalled = yield* record.recall(unique, {
    sendUncertainAgain: options.uncertain === 'sendAgain',
    isSingle: operation.maxBatchSize === 1,
  });
  const known = recalled.receipts;
  if (cannotStart) return { ...nothing, known };
  const batches = pack(recalled.pending, size, recalled.lastBatch);
  return { ...nothing, duplicates, known, batches, again: recalled.again };
}
