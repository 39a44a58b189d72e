import type { Post } from '../api/request';
import type { RequestOptions } from '../api/requestOptions';
import { compose } from './compose';
import { dispatch } from './dispatch';
import type { Draft, Unsendable } from './message';
import type { SendOperation } from './operation';
import type { Receipt } from './outcome';
import { pack } from './pack';
import { wait } from './wait';

/** Everything one delivery needs to know. */
export interface Delivery {
  readonly operation: SendOperation;
  readonly drafts: ReadonlyArray<Draft | Unsendable>;
  readonly post: Post;
  readonly requestOptions: RequestOptions;
  /** Whether the first failure ends the run; then nothing is sent if one draft can't be. */
  readonly stopOnFailure: boolean;
  /** The Stop button. */
  readonly signal: AbortSignal | undefined;
}

/** What a delivery came to: each draft is either unsendable or in one receipt, once. */
export interface Delivered {
  readonly unsendable: readonly Unsendable[];
  /** Empty where an unsendable draft kept the run from starting. */
  readonly receipts: readonly Receipt[];
}

/**
 * The way of the data: drafts are composed into messages, packed into batches and dispatched.
 * @throws the signal's reason when the run is stopped while it waits
 */
export async function deliver(delivery: Delivery): Promise<Delivered> {
  const { operation, drafts, post, requestOptions, stopOnFailure, signal } = delivery;
  const { messages, unsendable } = compose(drafts, operation.longestText);
  if (stopOnFailure && unsendable.length > 0) return { unsendable, receipts: [] };

  const size = Math.min(requestOptions.batchSize ?? operation.largestBatch, operation.largestBatch);
  const receipts = await dispatch(pack(messages, size), {
    send: async (batch) => await post(operation.path, operation.body(batch)),
    outcomes: operation.outcomes,
    interval: requestOptions.interval,
    stopOnFailure,
    now: Date.now,
    wait: async (milliseconds) => await wait(milliseconds, signal),
  });
  return { unsendable, receipts };
}
