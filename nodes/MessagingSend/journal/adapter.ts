import { failure } from '../failures/failure';
import type { Batch, Message } from '../messages/message';
import type { Outcome, Receipt } from '../messages/outcome';
import type { RunLedger } from './crash/runLedger';
import type { AccountJournal, Permission } from './journal';
import type { DeliveryRecord } from './record/deliveryRecord';
import type { Reservations, Taken } from './sendOnce/reservations';

interface Memories {
  readonly record: Pick<DeliveryRecord, 'leave' | 'land' | 'note'>;
  readonly ledger: Pick<RunLedger, 'leave' | 'land' | 'settle'> | null;
  readonly reservations: Pick<Reservations, 'reserve' | 'release' | 'settle'> | null;
}

/** Temporary: the door of the journal over the three memories behind it, until they are one. */
export function accountJournal({ record, ledger, reservations }: Memories): AccountJournal {
  return {
    beforeRequest: async (batch) => {
      const permission = await reserve(batch, reservations);
      if (permission.kind !== 'leave') return permission;
      record.leave(batch);
      await ledger?.leave(batch);
      return permission;
    },
    afterReply: (batch, reply) => {
      record.land(batch);
      ledger?.land(batch, reply);
      if (reply === null) reservations?.release(batch.messages);
    },
    settle: (receipt) => {
      const { batch: number, results, data } = receipt;
      record.note(receipt);
      reservations?.settle(results);
      const isAccepted = data !== null && number !== null;
      if (isAccepted) ledger?.settle({ number, messages: results.map(({ message }) => message) }, results);
      return receipt;
    },
  };
}

async function reserve({ messages }: Batch, reservations: Memories['reservations']): Promise<Permission> {
  if (reservations === null) return { kind: 'leave' };
  const taken = await reservations.reserve(messages).catch(() => null);
  if (taken === null) return { kind: 'refused', failure: failure('notReserved') };
  return taken.size === 0 ? { kind: 'leave' } : { kind: 'taken', receipt: receiptOfTaken(taken) };
}

function receiptOfTaken(taken: Taken): Receipt {
  const outcomeOf = (message: Message): Outcome =>
    taken.get(message) === 'noted' ? { kind: 'sent_before' } : { kind: 'uncertain', failure: failure('reserved') };
  const results = [...taken.keys()].map((message) => ({ message, outcome: outcomeOf(message) }));
  return { batch: null, results, data: null };
}
