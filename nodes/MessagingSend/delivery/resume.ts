import type { DeliveryRecord } from '../journal/deliveryRecord';
import { digestOf, type RunLedger } from '../journal/runLedger';
import type { Interruptible } from '../messages/interruptible';
import { unsendable } from '../messages/message';
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
  const batches = plan.shares.flatMap((share) => share.batches);
  const digest = await work(digestOf(batches));
  const recalled = await ledger.recall(batches, digest, options.uncertain === 'sendAgain');
  if (!options.dryRun) await work(noteAll(recalled.receipts, record));
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

function* noteAll(receipts: readonly Receipt[], record: DeliveryRecord): Interruptible<void> {
  for (const receipt of receipts) {
    record.note(receipt);
    yield;
  }
}
