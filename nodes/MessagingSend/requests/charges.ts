import { GET_BALANCE } from '../api/endpoints';
import { creditsOf, isNumber } from '../api/objects';
import type { ApiRequest, Reply } from '../api/reply';

/** How many of the texts whose requests had no answer were charged. */
export type Charged = Readonly<Record<'charged' | 'of', number>>;

/** What the answers of a run say about the credits of its account. */
export class Charges {
  /** Before the run: the most that an answer has used and left. NaN, for good, once an answer leaves that open. */
  private before = -Infinity;
  private used = 0;
  /** Texts whose requests had no answer. */
  unanswered = 0;

  /** Called when a request leaves. @returns what to call with its reply */
  watch({ endpoint, body }: ApiRequest): (reply: Reply) => void {
    const isBalance = endpoint === GET_BALANCE;
    const isFirst = this.before === -Infinity;
    return (reply) => {
      if (reply.kind === 'accepted') {
        const { data } = reply;
        const [used, left] = isBalance ? [0, creditsOf(data)] : [data.credits_used, data.credits_remaining];
        const isClear = isNumber(used) && isNumber(left);
        this.before = Math.max(this.before, isClear ? left + used : NaN);
        this.used += isClear ? used : 0;
      } else if (reply.kind === 'uncertain' && !isBalance) {
        this.unanswered += Array.isArray(body?.messages) ? body.messages.length : 1;
        // It may have been charged before the first answer, which then doesn't say what the account had.
        if (isFirst) this.before = NaN;
      }
    };
  }

  /** @param credits of the account now @returns null if the figures don't tell */
  chargedBy(credits: number): Charged | null {
    const charged = this.before - this.used - credits;
    const of = this.unanswered;
    return Number.isInteger(charged) && charged >= 0 && charged <= of ? { charged, of } : null;
  }
}
