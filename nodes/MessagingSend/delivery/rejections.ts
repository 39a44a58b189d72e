/** Who is to blame when the service rejects a request: single messages, the request, or the run. */
import { type Complaint, readComplaints } from '../api/complaints';
import type { JsonRecord } from '../api/records';
import type { Rejected, Reply } from '../api/reply';
import type { Failure } from '../failures/failure';
import { addTo, type Batch, type Message, splitBatch, textsOf } from '../messages/message';

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
  // The service counts the parts of a long text one by one.
  const messages = batch.messages.flatMap((message) => textsOf(message).map(() => message));
  for (const complaint of readComplaints(error)) {
    const message = complaint.index === null ? undefined : messages[complaint.index];
    if (message !== undefined) addTo(offenders, message, complaint);
  }
  return { offenders, others: { ...batch, messages: batch.messages.filter((message) => !offenders.has(message)) } };
}

/** Whether a rejection may be caused by some messages of a batch and not by others. */
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

/** Requests a batch. Returns null once its messages have their outcomes, else why it was rejected. */
export type RequestSuspects = (batch: Batch) => Promise<Suspects | null>;

/** Remembers the rejections of a run, because several in a row mean something else than one. */
export class Rejections {
  private unclearInARow = 0;
  private inARow = 0;
  private latest: Promise<void> = Promise.resolve();

  /**
   * @param readBalance throws if the run is stopped or ends first
   * @param reject settles messages as not sent
   */
  constructor(
    private readonly readBalance: () => Promise<Reply>,
    private readonly reject: (batch: Batch, why: Failure) => void,
  ) {}

  /** A request was accepted: the rejections before it were caused by single messages, and none concerned the run. */
  accepted(): void {
    this.inARow = 0;
    this.unclearInARow = 0;
  }

  /**
   * The first unclear rejection, such as a 403, concerns the run if the balance is refused as well. The third in a row
   * always does.
   * @returns the reply, with the scope `run` where it concerns the run
   */
  async clarify(reply: Rejected): Promise<Rejected> {
    if (reply.failure.scope !== 'unclear') return reply;
    this.unclearInARow += 1;
    const concernsRun =
      this.unclearInARow >= MAX_UNCLEAR || (this.unclearInARow === 1 && !(await this.isBalanceReported()));
    return concernsRun ? { ...reply, failure: { ...reply.failure, scope: 'run' } } : reply;
  }

  private async isBalanceReported(): Promise<boolean> {
    try {
      return (await this.readBalance()).kind === 'accepted';
    } catch {
      // The run has ended for a reason of its own.
      return true;
    }
  }

  /** Finds those that cause a rejection, one batch at a time, so that rejections in a row mean something. */
  async searchInTurn(suspects: Suspects, request: RequestSuspects): Promise<void> {
    this.latest = this.latest.then(async () => await this.search(suspects, request));
    await this.latest;
  }

  /**
   * Requests both halves before it searches either, so that most messages are sent soon. If the first half is rejected
   * and has a number in common with the second, the second waits: its messages must not overtake.
   */
  async search({ batch, why }: Suspects, request: RequestSuspects): Promise<void> {
    if (batch.messages.length === 1 || this.inARow >= MAX_REJECTED) {
      this.reject(batch, concerningTheseAlone(why));
      return;
    }
    const rejectedOf = async (half: Batch): Promise<Suspects | null> => {
      const rejected = await request(half);
      if (rejected !== null) this.inARow += 1;
      return rejected;
    };
    // The first half gets the extra message.
    const [first, second] = splitBatch(batch, Math.ceil(batch.messages.length / 2));
    const rejected = await rejectedOf(first);
    const waits = rejected !== null && haveNumberInCommon(first, second);
    if (waits) await this.search(rejected, request);
    const alsoRejected = await rejectedOf(second);
    if (rejected !== null && !waits) await this.search(rejected, request);
    if (alsoRejected !== null) await this.search(alsoRejected, request);
  }
}

function haveNumberInCommon(one: Batch, other: Batch): boolean {
  const phones = new Set(one.messages.map(({ phone }) => phone));
  return other.messages.some(({ phone }) => phones.has(phone));
}
