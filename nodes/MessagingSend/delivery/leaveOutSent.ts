import { failure } from '../failures/failure';
import type { Taken } from '../journal/sendOnce/reservations';
import type { Interruptible } from '../messages/interruptible';
import type { Message } from '../messages/message';
import { type Outcome, type Receipt, receiptOf } from '../messages/outcome';
import { pack } from './pack';
import type { Plan, Share } from './plan';
import { stillUncertain } from './stillUncertain';

/**
 * Removes from a plan what other executions have sent, or may have, and packs the rest into as few requests as possible.
 * Where n8n's database does not answer, everything is removed, because it is unknown what was sent before.
 * @param isCounted whether it must be known before the first request what is left; else, a single request is left to its
 * reservation
 */
export async function leaveOutSent(
  plan: Plan,
  isCounted: boolean,
  work: <Result>(work: Interruptible<Result>) => Promise<Result>,
): Promise<Plan> {
  const known = [...plan.known];
  const shares: Share[] = [];
  for (const share of plan.shares) {
    const { reservations, batches } = share;
    if (reservations === null) return plan;
    reservations.takeOver(plan.again.keys());
    if (batches.length <= 1 && !isCounted) {
      shares.push(share);
      continue;
    }
    const messages = batches.flatMap((batch) => batch.messages);
    try {
      const taken = await reservations.find(messages);
      if (taken.size > 0) known.push(receiptOfTaken(taken));
      const size = Math.max(1, ...batches.map((batch) => batch.messages.length));
      const left = messages.filter((message) => !taken.has(message));
      shares.push({ ...share, batches: await work(pack(left, size, (batches[0]?.number ?? 1) - 1)) });
    } catch {
      const unsent: Outcome = { kind: 'not_sent', failure: failure('notReserved') };
      known.push(...batches.map((batch) => stillUncertain(receiptOf(batch, unsent), plan.again)));
    }
  }
  return { ...plan, known, shares };
}

export function receiptOfTaken(taken: Taken): Receipt {
  const outcomeOf = (message: Message): Outcome =>
    taken.get(message) === 'noted' ? { kind: 'sent_before' } : { kind: 'uncertain', failure: failure('reserved') };
  return {
    batch: null,
    results: [...taken.keys()].map((message) => ({ message, outcome: outcomeOf(message) })),
    data: null,
  };
}
