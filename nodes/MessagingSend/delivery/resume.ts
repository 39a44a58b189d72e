import { digestOf, type Recollection, type RunLedger } from '../journal/crash/runLedger';
import type { DeliveryRecord } from '../journal/record/deliveryRecord';
import type { Interruptible } from '../messages/interruptible';
import { unsendable } from '../messages/message';
import { type Receipt, receiptOf } from '../messages/outcome';
import type { DeliveryOptions } from './options';
import type { Plan, Share } from './plan';

/** What a plan is resumed with. */
export interface Resumption {
  readonly options: Pick<DeliveryOptions, 'dryRun' | 'uncertain'>;
  readonly record: DeliveryRecord;
  readonly ledger: RunLedger;
  /** Does long work without blocking. */
  readonly work: <Result>(work: Interruptible<Result>) => Promise<Result>;
}

/**
 * Takes out of a plan what n8n's database knows of an attempt during which n8n was killed. It becomes part of the
 * delivery record, so that n8n stores it with this execution.
 */
export async function resume(plan: Plan, { options, record, ledger, work }: Resumption): Promise<Plan> {
  const batches = plan.shares.flatMap((share) => share.batches);
  const digest = await work(digestOf(batches));
  const isNoted = !options.dryRun;
  const recalled = await ledger.recall(batches, digest, {
    sendUncertainAgain: options.uncertain === 'sendAgain',
    isNoted,
  });
  if (isNoted) await work(noteAll([...recalled.receipts, ...receiptsOfAgain(recalled)], record));
  const left = new Map(recalled.batches.map((batch) => [batch.number, batch]));
  const leftOf = ({ batches: own }: Share) => own.flatMap(({ number }) => left.get(number) ?? []);
  return {
    ...plan,
    unsendable: recalled.mayHaveSentOthers
      ? plan.unsendable.map((draft) => unsendable(draft, draft.failure, 'uncertain'))
      : plan.unsendable,
    known: [...plan.known, ...recalled.receipts],
    shares: plan.shares.map((share) => ({ ...share, batches: leftOf(share) })),
    again: new Map([...plan.again, ...recalled.again]),
  };
}

/** What is sent again stays uncertain until it is known to be sent. */
function receiptsOfAgain({ batches, again }: Recollection): Receipt[] {
  if (again.size === 0) return [];
  return batches.flatMap((batch) => {
    const messages = batch.messages.filter((message) => again.has(message));
    const [failure] = messages.flatMap((message) => again.get(message) ?? []);
    return failure === undefined ? [] : [receiptOf({ ...batch, messages }, { kind: 'uncertain', failure })];
  });
}

function* noteAll(receipts: readonly Receipt[], record: DeliveryRecord): Interruptible<void> {
  for (const receipt of receipts) {
    record.note(receipt);
    yield;
  }
}
