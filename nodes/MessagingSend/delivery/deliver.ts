import { GET_BALANCE } from '../api/endpoints';
import { failure } from '../failures/catalogue';
import type { Failure } from '../failures/failure';
import type { DeliveryRecord } from '../journal/deliveryRecord';
import { type Batch, countMessages, type Message, type Unsendable } from '../messages/message';
import { type Outcome, type Receipt, receiptOf } from '../messages/outcome';
import { creditsFailure } from './credits';
import { dispatch, type DispatchConfig } from './dispatch';
import type { Duplicate } from './duplicates';
import type { DeliveryOptions } from './options';
import type { Plan } from './plan';

/** Everything that carrying out a plan takes. */
export interface Delivery extends Omit<DispatchConfig, keyof DeliveryOptions | 'record' | 'uncertainBefore'> {
  readonly options: DeliveryOptions;
  readonly record: DeliveryRecord;
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
  /** Messages that an earlier attempt of the run had sent. */
  readonly resumed: number;
}

/** Sends the batches of a plan, and puts their outcomes with those of earlier attempts. */
export async function deliver(plan: Plan, delivery: Delivery): Promise<Delivered> {
  const { unsendable, duplicates, known, again, planned } = plan;
  const receipts = [...known, ...stillUncertain(await sendBatches(plan, delivery), again)];
  const isSent = ({ results }: Receipt) => results.every(({ outcome }) => outcome.kind === 'sent');
  if (!delivery.options.dryRun && unsendable.length === 0 && receipts.every(isSent)) delivery.record.clear();
  return { unsendable, receipts, duplicates, planned, resumed: count(known, 'sent') };
}

async function sendBatches({ batches, known }: Plan, delivery: Delivery): Promise<readonly Receipt[]> {
  const { options, record, signal, ...config } = delivery;
  const total = countMessages(batches);
  if (options.checkCreditsFirst && total > 0) {
    const why = await whyNotCovered(delivery, total);
    if (why !== null) return batches.map((batch) => receiptOf(batch, { kind: 'not_sent', failure: why }));
  }
  const noteInFlight = () => record.noteInFlight();
  signal?.addEventListener('abort', noteInFlight, { once: true });
  try {
    return await dispatch(batches, { ...options, ...config, record, uncertainBefore: count(known, 'uncertain') });
  } finally {
    signal?.removeEventListener('abort', noteInFlight);
  }
}

function count(receipts: readonly Receipt[], kind: Outcome['kind']): number {
  return receipts.flatMap(({ results }) => results).filter(({ outcome }) => outcome.kind === kind).length;
}

async function whyNotCovered({ requests }: Delivery, messages: number): Promise<Failure | null> {
  try {
    return creditsFailure(await requests.make({ endpoint: GET_BALANCE }), messages);
  } catch {
    // Only the Stop button ends a wait for the balance.
    return failure('stopped');
  }
}

/** A message that may have been sent before is not "not sent" because a new attempt was rejected. */
function stillUncertain(receipts: readonly Receipt[], again: ReadonlyMap<Message, Failure>): readonly Receipt[] {
  if (again.size === 0) return receipts;
  return receipts.map((receipt) => ({
    ...receipt,
    results: receipt.results.map(({ message, outcome }) => {
      const earlier = outcome.kind === 'not_sent' ? again.get(message) : undefined;
      return { message, outcome: earlier === undefined ? outcome : { kind: 'uncertain', failure: earlier } };
    }),
  }));
}
