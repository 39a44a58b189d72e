import type { Failure } from '../failures/failure';
import { type Batch, splitBatch } from '../messages/message';
import { concerningTheseAlone } from './verdict';

/** After this many rejections in a row, stop searching: they are not caused by single messages. */
const MAX_REJECTIONS = 20;

/** Messages that were rejected together, perhaps because of some of them. None has an outcome yet. */
export interface RejectedPart {
  readonly part: Batch;
  readonly why: Failure;
}

/** Requests a part. Returns null once its messages have their outcomes, else why it was rejected. */
export type RequestPart = (part: Batch) => Promise<RejectedPart | null>;

/** Finds the messages that cause the rejection of a batch, by halving it. */
export class OffenderSearch {
  private rejectionsInARow = 0;
  private latest: Promise<void> = Promise.resolve();

  /** @param reject settles messages as not sent */
  constructor(private readonly reject: (part: Batch, why: Failure) => void) {}

  /** A request was accepted: the rejections before it were caused by single messages. */
  accepted(): void {
    this.rejectionsInARow = 0;
  }

  /** Searches one batch at a time, so that rejections in a row mean something. */
  async searchInTurn(batch: RejectedPart, request: RequestPart): Promise<void> {
    this.latest = this.latest.then(async () => await this.search(batch, request));
    await this.latest;
  }

  /**
   * Requests both halves before it searches either, so that most messages are sent soon. If the first half is rejected
   * and has a number in common with the second, the second waits: its messages must not overtake.
   */
  async search({ part, why }: RejectedPart, request: RequestPart): Promise<void> {
    if (part.messages.length === 1 || this.rejectionsInARow >= MAX_REJECTIONS) {
      this.reject(part, concerningTheseAlone(why));
      return;
    }
    // The first half gets the extra message.
    const [first, second] = splitBatch(part, Math.ceil(part.messages.length / 2));
    const rejected = await this.rejectedOf(first, request);
    const waits = rejected !== null && haveNumberInCommon(first, second);
    if (waits) await this.search(rejected, request);
    const alsoRejected = await this.rejectedOf(second, request);
    if (rejected !== null && !waits) await this.search(rejected, request);
    if (alsoRejected !== null) await this.search(alsoRejected, request);
  }

  private async rejectedOf(part: Batch, request: RequestPart): Promise<RejectedPart | null> {
    const rejected = await request(part);
    if (rejected !== null) this.rejectionsInARow += 1;
    return rejected;
  }
}

function haveNumberInCommon(one: Batch, other: Batch): boolean {
  const phones = new Set(one.messages.map(({ phone }) => phone));
  return other.messages.some(({ phone }) => phones.has(phone));
}
