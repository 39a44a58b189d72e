import { isNumber, isObject, type JsonObject } from '../api/objects';
import type { Reply } from '../api/reply';
import { type Failure, failure } from '../failures/failure';
import type { Failed } from '../messages/row';
import type { Requests } from '../requests/requests';

/** After this many uncertain replies in a row the run ends, even if the service answers other requests. */
const MAX_UNCERTAIN = 3;

/** Permission to make one request: tells whether it is still valid, as another reply may have tripped the breaker since. */
export type Pass = () => boolean;

/**
 * - `closed`: any number of requests.
 * - `tripped`, after an uncertain reply: none, until a probe has shown that the service works.
 * - `trial`: one request. If it is accepted, the breaker closes.
 * - `busy`: that probe, or that request, is under way.
 */
type State = 'closed' | 'tripped' | 'trial' | 'busy';

/**
 * Keeps an outage from making a whole campaign uncertain: after an uncertain reply, no request is risked before the
 * service works again. Requests in flight at the same time share an outage, so their uncertain replies count as one.
 */
export class CircuitBreaker {
  private state: State;
  /** Tells requests that left before the breaker last tripped from later ones. */
  private trips = 0;
  private uncertainInARow: number;
  private reason: Failure | null = null;
  private readonly waiting: Array<() => void> = [];

  constructor(
    private readonly requests: Pick<Requests, 'probe' | 'halt' | 'whyHalted' | 'wait'>,
    private readonly outages: Outages,
  ) {
    this.state = outages.uncertainInARow === null ? 'trial' : 'tripped';
    this.uncertainInARow = outages.uncertainInARow ?? 0;
  }

  /** Waits until a request may be risked. @throws if the run has ended, or ends or is stopped meanwhile */
  async admit(): Promise<Pass> {
    while (this.requests.whyHalted === null) {
      const { state, trips } = this;
      if (state === 'tripped') await this.probe();
      else if (state === 'busy') await this.requests.wait(new Promise<void>((resolve) => this.waiting.push(resolve)));
      else {
        if (state === 'trial') this.state = 'busy';
        return () => trips === this.trips;
      }
    }
    throw new Error('the run has ended');
  }

  /** Must be called once for each pass: with the reply, or with null if the request was not made. */
  end(isValid: Pass, reply: Reply | Failed | null): void {
    if (isValid() && reply?.kind === 'uncertain') {
      this.trips += 1;
      this.state = 'tripped';
      this.reason = reply.failure;
      this.outages.note((this.uncertainInARow += 1));
    } else if (isValid() && reply?.kind === 'accepted' && this.state !== 'closed') {
      this.state = 'closed';
      this.outages.note((this.uncertainInARow = 0));
    } else if (isValid() && this.state === 'busy') {
      // Only the request on trial is valid then; the next one is on trial in its place.
      this.state = 'trial';
    }
    this.wake();
  }

  private async probe(): Promise<void> {
    this.state = 'busy';
    const isTooOften = this.uncertainInARow >= MAX_UNCERTAIN;
    let next: State = 'tripped';
    try {
      const reason = isTooOften ? this.reason : await this.requests.probe();
      if (isTooOften || reason !== null) this.requests.halt(serviceDown(reason));
      else next = 'trial';
    } finally {
      this.state = next;
      this.wake();
    }
  }

  /** Lets every waiting request check again. */
  private wake(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}

/** @param sign the last sign of the outage; null if only an earlier attempt saw it */
function serviceDown(sign: Failure | null): Failure {
  const { httpStatus = null, serviceSays = '', message } = sign ?? {};
  return failure('serviceDown', { sign: message === undefined ? '' : `${message}. ` }, { httpStatus, serviceSays });
}

/**
 * How long uncertain replies count for a later attempt of their execution, in milliseconds. Retry On Fail repeats a
 * node within seconds, but in a loop with a Wait, the service may have recovered long before the next round.
 */
const COUNTS_FOR = 60_000;

/**
 * Whether the last reply to an account was uncertain, kept in the execution for all runs of the node: a re-run, or the
 * next round of a loop, then risks no message before the service has shown that it works.
 */
export interface Outages {
  /**
   * How many uncertain replies in a row count for this attempt; null if the last reply was not uncertain. Those of
   * another execution, or of long ago, count as 0, so one more does not end the run.
   */
  readonly uncertainInARow: number | null;
  readonly note: (uncertainInARow: number) => void;
}

/**
 * @param kept the node's context, which n8n keeps in the execution
 * @param account a hash of the account
 * @param execution the ID of the execution; a Retry in n8n's list has its own
 * @param now in milliseconds since 1970
 */
export function outagesIn(kept: JsonObject, account: string, execution: string, now: () => number): Outages {
  // Enough of the hash to tell a run's few accounts apart, and too little to guess a key from.
  const name = `outage ${account.slice(0, 4)}`;
  const own = kept[name];
  const { execution: keptExecution, at, uncertainInARow } = isObject(own) ? own : {};
  const counts = keptExecution === execution && isNumber(at) && Math.abs(now() - at) < COUNTS_FOR;
  return {
    uncertainInARow: !isObject(own) ? null : counts && isNumber(uncertainInARow) ? uncertainInARow : 0,
    note: (count) => {
      if (count > 0) kept[name] = { execution, at: now(), uncertainInARow: count };
      else Reflect.deleteProperty(kept, name);
    },
  };
}
