import { isNumber, isRecord, type JsonRecord } from '../api/records';

/**
 * How long uncertain replies count for a later attempt of their execution, in milliseconds. Retry On Fail repeats a node
 * within seconds; a loop with a Wait in it comes back when the service may long work again.
 */
const COUNTS_FOR = 60_000;

/**
 * That the last reply to an account was uncertain, kept in the execution for all runs of the node, so that a re-run, or
 * the next round of a loop, risks no message before the service has shown that it works.
 */
export class OutageRecord {
  /**
   * How many uncertain replies in a row count for this attempt: 0 if they are of another execution or long ago, so one
   * more does not end the run; null if the last reply was not uncertain.
   */
  readonly uncertainInARow: number | null;

  /**
   * @param context what n8n keeps of the node in the execution
   * @param account tells the accounts of a run apart
   * @param execution the id of the execution; a Retry in n8n's list has its own
   * @param now milliseconds since 1970
   */
  constructor(
    private readonly context: JsonRecord,
    private readonly account: string,
    private readonly execution: string,
    private readonly now: () => number,
  ) {
    const kept = this.all()[account];
    if (!isRecord(kept)) {
      this.uncertainInARow = null;
      return;
    }
    const { execution: keptExecution, at, uncertainInARow } = kept;
    const counts = keptExecution === execution && isNumber(at) && Math.abs(now() - at) < COUNTS_FOR;
    this.uncertainInARow = counts && isNumber(uncertainInARow) ? uncertainInARow : 0;
  }

  note(uncertainInARow: number): void {
    const { [this.account]: _, ...others } = this.all();
    const own = { execution: this.execution, at: this.now(), uncertainInARow };
    const all = uncertainInARow === 0 ? others : { ...others, [this.account]: own };
    if (Object.keys(all).length === 0) delete this.context.outages;
    else this.context.outages = all;
  }

  private all(): JsonRecord {
    return isRecord(this.context.outages) ? this.context.outages : {};
  }
}
