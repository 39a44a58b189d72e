import type { Rejected, Reply } from '../api/reply';
import { type Failure, failure, type FailureCode } from '../failures/failure';

/** After this many unclear rejections in a row, they concern the run. */
const MAX_UNCLEAR = 3;

/** These concern the address, not the messages. */
const WRONG_ADDRESS: ReadonlySet<FailureCode> = new Set(['REDIRECTED', 'NOT_FOUND']);

/** Decides whether an unclear rejection, such as a 403, concerns the whole run or only its own request. */
export class Verdict {
  private unclearInARow = 0;

  /** @param readBalance throws if the run is stopped or ends first */
  constructor(private readonly readBalance: () => Promise<Reply>) {}

  /** A request was accepted: the rejections before it did not concern the run. */
  accepted(): void {
    this.unclearInARow = 0;
  }

  /**
   * The first unclear rejection concerns the run if the balance is refused as well. The third in a row always does.
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
}

/** Whether a rejection may be caused by some messages of a batch and not by others. */
export function mayConcernSome({ failure: { scope, code } }: Rejected): boolean {
  return scope !== 'run' && !WRONG_ADDRESS.has(code);
}

/** The failure of messages that are rejected while the service accepts others. */
export function concerningTheseAlone(why: Failure): Failure {
  if (why.scope !== 'unclear' || WRONG_ADDRESS.has(why.code)) return why;
  const { code, httpStatus, serviceSays } = why;
  return failure('messageBlocked', { status: httpStatus ?? 403 }, { code, httpStatus, serviceSays });
}
