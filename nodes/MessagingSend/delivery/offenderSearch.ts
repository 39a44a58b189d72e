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

/** A part to search: one that was rejected, or one that waits for the part before it. */
interface Suspect extends RejectedPart {
  readonly state: 'rejected' | 'waiting';
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
  async search(batch: RejectedPart, request: RequestPart): Promise<void> {
    const open: Suspect[] = [{ ...batch, state: 'rejected' }];
    for (let next = open.shift(); next !== undefined; next = open.shift()) {
      const { part, why, state } = next;
      const isFound = state === 'rejected' && part.messages.length === 1;
      if (isFound || this.rejectionsInARow >= MAX_REJECTIONS) {
        this.reject(part, concerningTheseAlone(why));
      } else if (state === 'waiting') {
        open.unshift(...(await this.rejectedOf(part, request)));
      } else {
        // The first half gets the extra message.
        const [first, second] = splitBatch(part, Math.ceil(part.messages.length / 2));
        const rejected = await this.rejectedOf(first, request);
        const waits = rejected.length > 0 && haveNumberInCommon(first, second);
        const left: Suspect[] = waits
          ? [{ part: second, why, state: 'waiting' }]
          : await this.rejectedOf(second, request);
        open.unshift(...rejected, ...left);
      }
    }
  }

  /** Requests a part; empty once its messages have their outcomes. */
  private async rejectedOf(part: Batch, request: RequestPart): Promise<Suspect[]> {
    const rejected = await request(part);
    if (rejected === null) return [];
    this.rejectionsInARow += 1;
    return [{ ...rejected, state: 'rejected' }];
  }
}

function haveNumberInCommon(one: Batch, other: Batch): boolean {
  const phones = new Set(one.messages.map(({ phone }) => phone));
  return other.messages.some(({ phone }) => phones.has(phone));
}
