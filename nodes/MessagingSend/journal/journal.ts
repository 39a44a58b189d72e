import type { Reply } from '../api/reply';
import type { Failure } from '../failures/failure';
import type { Batch } from '../messages/message';
import type { Receipt } from '../messages/outcome';

/** Whether the request of a batch may leave. */
export type Permission =
  | { readonly kind: 'leave' }
  /** Some of its messages are settled without this request: other executions sent them, or may have. */
  | { readonly kind: 'taken'; readonly receipt: Receipt }
  /** Another run of this process has some of its messages in flight. Ask again once `until` resolves; it never rejects. */
  | { readonly kind: 'wait'; readonly until: Promise<void> }
  /** It can't be known whether its messages were sent before: none of them may leave. */
  | { readonly kind: 'refused'; readonly failure: Failure };

/** What the requests to one account note before and after they leave; all that dispatching knows of the journal. */
export interface AccountJournal {
  /**
   * Resolves once what a re-run must know is stored. A request that is repeated asks again.
   * Never rejects. After `leave`, call {@link afterReply} exactly once.
   */
  readonly beforeRequest: (batch: Batch) => Promise<Permission>;
  /** @param reply null where the request did not leave after all */
  readonly afterReply: (batch: Batch, reply: Reply | null) => void;
  /**
   * Notes the outcomes of messages, each of which is settled once.
   * @returns the receipt with what is true of each: what an earlier attempt may have sent stays uncertain until it is sent
   */
  readonly settle: (receipt: Receipt) => Receipt;
}
