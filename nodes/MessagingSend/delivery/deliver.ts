import type { JsonRecord } from '../api/records';
import type { Reply } from '../api/reply';
import { compose } from './compose';
import { creditsFailure } from './credits';
import { dispatch } from './dispatch';
import { setDuplicatesAside, type Duplicate } from './duplicates';
import type { Batch, Draft, Message, Unsendable } from './message';
import type { SendOperation } from './operation';
import type { DeliveryOptions } from './options';
import type { Receipt } from './outcome';
import { pack } from './pack';
import type { DeliveryRecord } from './record';

/** Everything one delivery needs to know. */
export interface Delivery {
  readonly operation: SendOperation;
  /** Read once, before anything is sent. */
  readonly drafts: Iterable<Draft | Unsendable>;
  readonly options: DeliveryOptions;
  /** Largest batch the user wants; null for the operation's own. */
  readonly batchSize: number | null;
  /** Whether the output needs the service's whole answers; a large run is smaller without. */
  readonly wholeAnswers: boolean;
  /** Whether the first failure ends the run; then nothing is sent if one draft can't be. */
  readonly stopOnFailure: boolean;
  readonly wire: Wire;
  /** The outcomes of earlier tries; null where no re-run can come. */
  readonly record: DeliveryRecord | null;
  readonly onReceipt: (receipt: Receipt, progress: Progress) => void;
}

/** The requests a delivery can make; they wait for their slot, and throw only when the run is stopped. */
export interface Wire {
  readonly send: (messages: readonly Message[]) => Promise<Reply>;
  readonly balance: () => Promise<Reply>;
}

/** How far a delivery is, in messages. */
export interface Progress {
  readonly done: number;
  readonly total: number;
}

/** What a delivery came to: each message is in exactly one of the lists, once. */
export interface Delivered {
  readonly unsendable: readonly Unsendable[];
  /** Empty where an unsendable draft kept the run from starting. */
  readonly receipts: readonly Receipt[];
  readonly duplicates: readonly Duplicate[];
  /** What would have been sent, in a dry run. */
  readonly planned: readonly Batch[];
  /** Messages that an earlier try of the run had sent. */
  readonly resumed: number;
}

/**
 * The way of the data: drafts are composed into messages; those that have an outcome from an earlier
 * try keep it; the others are packed into batches and dispatched.
 */
export async function deliver(delivery: Delivery): Promise<Delivered> {
  const { operation, drafts, options, stopOnFailure, record } = delivery;
  const { messages, unsendable } = compose(drafts, { ...options, longestText: operation.longestText });
  const nothing: Delivered = { unsendable, receipts: [], duplicates: [], planned: [], resumed: 0 };
  if (stopOnFailure && unsendable.length > 0) return nothing;

  const { unique, duplicates } =
    options.duplicateMessages === 'sendOnce' ? setDuplicatesAside(messages) : { unique: messages, duplicates: [] };
  const size = Math.min(delivery.batchSize ?? operation.largestBatch, operation.largestBatch);
  if (options.dryRun) return { ...nothing, duplicates, planned: pack(unique, size) };

  const known = record?.recall(unique, options.uncertain === 'sendAgain', operation.largestBatch === 1);
  const pending = known?.pending ?? unique;
  const batches = pack(pending, size, known?.lastBatch);
  const receipts = [...(known?.receipts ?? []), ...(await send(delivery, batches, pending))];

  const allSent = receipts.every(({ results }) => results.every(({ outcome }) => outcome.kind === 'sent'));
  if (allSent && unsendable.length === 0) record?.clear();
  return { unsendable, receipts, duplicates, planned: [], resumed: unique.length - pending.length };
}

async function send(delivery: Delivery, batches: readonly Batch[], pending: readonly Message[]): Promise<Receipt[]> {
  const { operation, options, wholeAnswers, stopOnFailure, wire, record, onReceipt } = delivery;
  if (options.checkCreditsFirst && pending.length > 0) {
    const failure = creditsFailure(await wire.balance(), pending.length);
    if (failure !== null) {
      return batches.map(({ number, messages }) => ({
        batch: number,
        results: messages.map((message) => ({ message, outcome: { kind: 'not_sent', failure } })),
        data: null,
      }));
    }
  }
  let done = 0;
  return await dispatch(batches, {
    ...options,
    request: wire.send,
    outcomes: operation.outcomes,
    kept: wholeAnswers ? (data) => data : withoutEntries,
    stopOnFailure,
    onReceipt: (receipt) => {
      record?.note(receipt);
      done += receipt.results.length;
      onReceipt(receipt, { done, total: pending.length });
    },
  });
}

/** The outcomes hold all that is needed of the entries. */
function withoutEntries(data: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(data).filter(([name]) => name !== 'messages'));
}
