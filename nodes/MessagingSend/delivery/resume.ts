import type { DeliveryRecord } from '../journal/deliveryRecord';
import { digestOf, type RunLedger } from '../journal/runLedger';
import { type Batch, type Interruptible, unsendable } from '../messages/message';
import type { Receipt } from '../messages/outcome';
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
  const batches = plan.planned.length > 0 ? plan.planned : plan.shares.flatMap((share) => share.batches);
  const digest = await work(digestOf(batches));
  const recalled = await ledger.recall(batches, digest, options.uncertain === 'sendAgain');
  if (!options.dryRun) await work(noteAll(recalled.receipts, record));
  const left = new Map(recalled.batches.map((batch) => [batch.number, batch]));
  const leftOf = (own: readonly Batch[]) => own.flatMap(({ number }) => left.get(number) ?? []);
  return {
    ...plan,
    unsendable: recalled.mayHaveSentOthers
      ? plan.unsendable.map((draft) => unsendable(draft, draft.failure, 'uncertain'))
      : plan.unsendable,
    known: [...plan.known, ...recalled.receipts],
    shares: plan.shares.map((share): Share => ({ ...share, batches: leftOf(share.batches) })),
    again: new Map([...plan.again, ...recalled.again]),
    planned: leftOf(plan.planned),
  };
}

function* noteAll(receipts: readonly Receipt[], record: DeliveryRecord): Interruptible<void> {
  for (const receipt of receipts) {
    record.note(receipt);
    yield;
  }
}
