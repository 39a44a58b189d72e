import type { Failure } from '../failures/failure';
import type { Message } from '../messages/message';
import type { Receipt, Result } from '../messages/outcome';

/** A message that may have been sent before is not "not sent" because a new attempt was rejected. */
export function stillUncertain(receipt: Receipt, again: ReadonlyMap<Message, Failure>): Receipt {
  if (again.size === 0) return receipt;
  return {
    ...receipt,
    results: receipt.results.map(({ message, outcome }): Result => {
      const earlier = outcome.kind === 'not_sent' ? again.get(message) : undefined;
      return { message, outcome: earlier === undefined ? outcome : { kind: 'uncertain', failure: earlier } };
    }),
  };
}
