/**
 * The moments of an execution, in order, at which n8n can be killed:
 * - `leaving`, `left`: a request is about to leave; it has left, and reaches the service even if n8n is killed.
 * - `writing`, `written`: n8n's storage of processed data is about to be changed; it has been changed.
 * - `ended`, `saved`: a node has ended; n8n has saved the execution's progress after it, if it does.
 */
export type Moment = 'leaving' | 'left' | 'writing' | 'written' | 'ended' | 'saved';

/** n8n from its start until it is killed: after that, nothing more happens. */
export class Lifetime {
  readonly moments: Moment[] = [];
  /** Settles when n8n is killed. */
  readonly over: Promise<void>;
  private end: () => void = () => undefined;
  private isEnded = false;
  private readonly allBegun: Promise<void>;
  private begin: () => void = () => undefined;

  /**
   * @param isLast whether n8n is killed at the latest of these moments
   * @param executions how many run, with one request at a time each: their first requests leave together, so that none
   * is killed before it has begun
   */
  constructor(
    private readonly isLast: (moments: readonly Moment[]) => boolean = () => false,
    private readonly executions = 1,
  ) {
    this.over = new Promise((resolve) => {
      this.end = resolve;
    });
    this.allBegun = new Promise((resolve) => {
      this.begin = resolve;
    });
  }

  get isOver(): boolean {
    return this.isEnded;
  }

  get requests(): number {
    return countOf(this.moments, 'left');
  }

  kill(): void {
    this.isEnded = true;
    this.end();
  }

  /** Never settles if n8n has been killed by then. */
  async reach(moment: Moment): Promise<void> {
    this.note(moment);
    await this.survive();
  }

  /** Lets a request leave for the service. Never settles if n8n is killed before that. */
  async leave(): Promise<void> {
    await this.reach('leaving');
    if (countOf(this.moments, 'leaving') >= this.executions) this.begin();
    await this.allBegun;
    if (this.isEnded) await this.survive();
    this.note('left');
  }

  /** Never settles once n8n is killed. */
  async survive(): Promise<void> {
    if (this.isEnded) await new Promise(() => undefined);
  }

  private note(moment: Moment): void {
    if (this.isEnded) return;
    this.moments.push(moment);
    if (this.isLast(this.moments)) this.kill();
  }
}

function countOf(moments: readonly Moment[], kind: Moment): number {
  return moments.filter((moment) => moment === kind).length;
}

/** A lifetime in which n8n is killed at the moment with this number, from 1. */
export function killedAt(number: number): Lifetime {
  return new Lifetime(({ length }) => length === number);
}

/** A lifetime of one or several executions in which n8n is killed at the nth moment of a kind, from 1. */
export function killedAtNth(kind: Moment, nth: number, executions?: number): Lifetime {
  return new Lifetime((moments) => countOf(moments, kind) === nth, executions);
}

/** With one request at a time: killed while this one (from 1) is in flight; earlier answers are noted. */
export function inFlight(request: number): { readonly lifetime: Lifetime } {
  return { lifetime: killedAtNth('left', request) };
}
