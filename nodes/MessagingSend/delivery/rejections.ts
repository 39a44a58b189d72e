/** Who is to blame when the service rejects a request: single messages, the request, or the run. */
import { type Complaint, readComplaints } from '../api/complaints';
import type { JsonRecord } from '../api/records';
import type { Rejected } from '../api/reply';
import type { Failure } from '../failures/failure';
import { addTo, type Batch, type Message, textsOf } from '../messages/message';
import type { Requests } from '../requests/requests';
import type { Settlement } from './settlement';

/** After this many unclear rejections in a row, they concern the run. */
const MAX_UNCLEAR = 3;

/** After this many rejections in a row, stop searching: they are not caused by single messages. */
const MAX_REJECTED = 20;

/** These concern the address, not the messages. */
const WRONG_ADDRESS: ReadonlySet<string> = new Set(['REDIRECTED', 'NOT_FOUND']);

export type Offenders = ReadonlyMap<Message, readonly Complaint[]>;

/** Divides a batch by whether the error of its rejection names a message as `messages[N]`, counted from 0. */
export function separateOffenders(batch: Batch, error: JsonRecord): { offenders: Offenders; others: Batch } {
  const offenders = new Map<Message, Complaint[]>();
  // The service counts each part of a split text as a message.
  const messages = batch.messages.flatMap((message) => textsOf(message).map(() => message));
  for (const complaint of readComplaints(error)) {
    const message = complaint.index === null ? undefined : messages[complaint.index];
    if (message !== undefined) addTo(offenders, message, complaint);
  }
  return { offenders, others: { ...batch, messages: batch.messages.filter((message) => !offenders.has(message)) } };
}

/** Whether some messages of a batch may have caused a rejection, and others not. */
export function mayConcernSome({ failure: { scope, code } }: Rejected): boolean {
  return scope !== 'run' && !WRONG_ADDRESS.has(code);
}

/** The failure of messages that are rejected while the service accepts others. */
export function concerningTheseAlone(why: Failure): Failure {
  if (why.scope !== 'unclear' || WRONG_ADDRESS.has(why.code)) return why;
  return { ...why, scope: 'request' };
}

/** Messages that were rejected together, perhaps because of some of them. None has an outcome yet. */
export interface Suspects {
  readonly batch: Batch;
  readonly why: Failure;
}

/** Remembers the rejections of a run, because several in a row mean something else than one. */
export class Rejections {
  private unclearInARow = 0;
  private inARow = 0;
  private latest: Promise<void> = Promise.resolve();

  /** @param request returns null once the messages of a batch have their outcomes, else why they were rejected */
  constructor(
    private readonly requests: Pick<Requests, 'readBalance'>,
    private readonly settlement: Pick<Settlement, 'reject'>,
    private readonly request: (batch: Batch) => Promise<Suspects | null>,
  ) {}

  /** A request was accepted: single messages caused the earlier rejections, and none of those concerned the run. */
  accepted(): void {
    this.inARow = 0;
    this.unclearInARow = 0;
  }

  /**
   * The first unclear rejection, such as a 403, concerns the run if the balance is rejected as well. The third in a row
   * always does.
   * @returns the reply, with the scope `run` if it concerns the run
   */
  async clarify(reply: Rejected): Promise<Rejected> {
    if (reply.failure.scope !== 'unclear') return reply;
    this.unclearInARow += 1;
    const concernsRun =
      this.unclearInARow >= MAX_UNCLEAR || (this.unclearInARow === 1 && !(await this.isBalanceReported()));
    return concernsRun ? { ...reply, failure: { ...reply.failure, scope: 'run' } } : reply;
  }

  private async isBalanceReported(): Promise<boolean> {
    // Throws if the run has ended for another reason.
    const reply = await this.requests.readBalance().catch(() => null);
    return reply === null || reply.kind === 'accepted';
  }

  /** Finds the messages that cause a rejection, one batch at a time, so that rejections in a row mean something. */
  async search(suspects: Suspects): Promise<void> {
    this.latest = this.latest.then(async () => await this.halve(suspects));
    await this.latest;
  }

  /** The second half waits until the first is done: its messages must not overtake those to the same number. */
  private async halve({ batch, why }: Suspects): Promise<void> {
    const { messages } = batch;
    if (messages.length === 1 || this.inARow >= MAX_REJECTED) {
      this.settlement.reject(batch, concerningTheseAlone(why));
      return;
    }
    const middle = Math.ceil(messages.length / 2);
    for (const part of [messages.slice(0, middle), messages.slice(middle)]) {
      const half = { ...batch, messages: part };
      const rejected = this.inARow < MAX_REJECTED ? await this.request(half) : { batch: half, why };
      if (rejected === null) continue;
      this.inARow += 1;
      await this.halve(rejected);
    }
  }
}
