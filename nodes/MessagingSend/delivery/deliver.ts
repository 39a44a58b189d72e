import type { JsonRecord } from '../api/records';
import type { Reply } from '../api/reply';
import type { Failure } from '../failures/failure';
import type { DeliveryRecord } from '../journal/deliveryRecord';
import type { Batch, Draft, Message, Unsendable } from '../messages/message';
import type { Outcome, Receipt } from '../messages/outcome';
import { inSlices } from '../n8n/slices';
import { compose } from './compose';
import { creditsFailure } from './credits';
import { dispatch, STOPPED } from './dispatch';
import { type Duplicate, setDuplicatesAside } from './duplicates';
import { mayHaveGoneOut } from './match';
import type { SendOperation } from './operation';
import type { DeliveryOptions } from './options';
import { pack } from './pack';

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
  /** The Stop button. */
  readonly signal: AbortSignal | undefined;
  /** Ends what still waits for its turn, when no further request may start. */
  readonly onHalt: () => void;
  /** The outcomes of earlier tries. */
  readonly record: DeliveryRecord;
  readonly onReceipt: (receipt: Receipt, progress: Progress) => void;
}

/** The requests a delivery can make; they wait for their slot, and throw only when the run is stopped. */
export interface Wire {
  /** @param underWay is called as a request leaves, and what it returns when the reply is there */
  readonly send: (messages: readonly Message[], underWay: () => () => void) => Promise<Reply>;
  readonly balance: () => Promise<Reply>;
}

/** How far a delivery is, in messages. */
export interface Progress {
  readonly done: number;
  readonly total: number;
}

/** What a delivery came to; unless an unsendable draft kept it from starting, each message is in one list, once. */
export interface Delivered {
  readonly unsendable: readonly Unsendable[];
  /** Those of earlier tries alone where an unsendable draft kept the run from starting. */
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
  const { messages, unsendable } = await inSlices(compose(drafts, { ...options, longestText: operation.longestText }));
  const { unique, duplicates } =
    options.duplicateMessages === 'sendOnce'
      ? await inSlices(setDuplicatesAside(messages))
      : { unique: messages, duplicates: [] };
  const size = Math.min(delivery.batchSize ?? operation.largestBatch, operation.largestBatch);
  const nothing: Delivered = { unsendable, receipts: [], duplicates: [], planned: [], resumed: 0 };
  if (options.dryRun && !(stopOnFailure && unsendable.length > 0)) {
    return { ...nothing, duplicates, planned: pack(unique, size) };
  }

  const rules = {
    sendUncertainAgain: options.uncertain === 'sendAgain',
    anyOrigin: options.duplicateMessages === 'sendOnce',
    isSingle: operation.largestBatch === 1,
  };
  const known = await inSlices(record.recall(unique, rules));
  const { pending } = known;
  const recalled = known.receipts.flatMap(({ results }) => results);
  const resumed = recalled.filter(({ outcome }) => outcome.kind === 'sent').length;
  if (stopOnFailure && unsendable.length > 0) return { ...nothing, receipts: known.receipts, resumed };

  const fresh = await send(delivery, pack(pending, size, known.lastBatch), pending.length);
  const receipts = [...known.receipts, ...stillUncertain(fresh, known.again)];
  const allSent = receipts.every(({ results }) => results.every(({ outcome }) => outcome.kind === 'sent'));
  if (allSent && unsendable.length === 0) record.clear();
  return { unsendable, receipts, duplicates, planned: [], resumed };
}

async function send(delivery: Delivery, batches: readonly Batch[], total: number): Promise<Receipt[]> {
  const { operation, options, wholeAnswers, stopOnFailure, wire, signal, record, onHalt, onReceipt } = delivery;
  if (options.checkCreditsFirst && total > 0) {
    const failure = await wire.balance().then(
      (reply) => creditsFailure(reply, total),
      () => STOPPED,
    );
    if (failure !== null) return batches.map((batch) => receiptFor(batch, { kind: 'not_sent', failure }));
  }

  const underWay = new Set<Batch>();
  // n8n stores the execution as soon as Stop is pressed, so what is on its way is noted before its reply.
  const noteUnderWay = () => underWay.forEach((batch) => record.note(receiptFor(batch, STOPPED_UNDER_WAY)));
  signal?.addEventListener('abort', noteUnderWay, { once: true });
  let done = 0;
  try {
    return await dispatch(batches, {
      ...options,
      request: async (messages, number, mayStart) =>
        await wire.send(messages, () => {
          if (!mayStart()) throw new Error('the run has ended');
          const batch = { number, messages };
          underWay.add(batch);
          return () => underWay.delete(batch);
        }),
      onHalt,
      outcomes: operation.outcomes,
      kept: wholeAnswers ? (data) => data : withoutEntries,
      stopOnFailure,
      onReceipt: (receipt) => {
        record.note(receipt);
        done += receipt.results.length;
        onReceipt(receipt, { done, total });
      },
    });
  } finally {
    signal?.removeEventListener('abort', noteUnderWay);
  }
}

function receiptFor({ number, messages }: Batch, outcome: Outcome): Receipt {
  return { batch: number, results: messages.map((message) => ({ message, outcome })), data: null };
}

const STOPPED_UNDER_WAY: Outcome = {
  kind: 'uncertain',
  failure: mayHaveGoneOut({
    code: 'STOPPED',
    httpStatus: null,
    message: 'The run was stopped while the request was on its way',
    description: '',
    scope: 'run',
  }),
};

/** A message that may have gone out before is not "not sent" because a new try was refused. */
function stillUncertain(receipts: Receipt[], again: ReadonlyMap<Message, Failure>): Receipt[] {
  if (again.size === 0) return receipts;
  return receipts.map((receipt) => ({
    ...receipt,
    results: receipt.results.map(({ message, outcome }) => {
      const failure = outcome.kind === 'not_sent' ? again.get(message) : undefined;
      return { message, outcome: failure === undefined ? outcome : { kind: 'uncertain', failure } };
    }),
  }));
}

/** The outcomes hold all that is needed of the entries. */
function withoutEntries(data: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(data).filter(([name]) => name !== 'messages'));
}
