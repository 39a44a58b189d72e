/**
 * What an execution does, one after the other, and where n8n can be killed:
 * - `leaving`, `left`: a request is about to leave; it has left, and reaches the service whatever happens to n8n.
 * - `writing`, `written`: n8n's storage of processed data is about to be changed; it has been changed.
 * - `ended`, `saved`: a node has ended; n8n has saved the execution's progress after it, if it does.
 */
export type Moment = 'leaving' | 'left' | 'writing' | 'written' | 'ended' | 'saved';

/** n8n from a start until it is killed. Nothing that it would have done after that happens. */
export class Lifetime {
  readonly moments: Moment[] = [];
  /** Settles when n8n is killed. */
  readonly over: Promise<void>;
  private end: () => void = () => undefined;
  private isEnded = false;

  /** @param isLast whether n8n is killed at the latest of the moments so far */
  constructor(private readonly isLast: (moments: readonly Moment[]) => boolean = () => false) {
    this.over = new Promise((resolve) => {
      this.end = resolve;
    });
  }

  get isOver(): boolean {
    return this.isEnded;
  }

  /** Requests that have left. */
  get requests(): number {
    return this.moments.filter((moment) => moment === 'left').length;
  }

  kill(): void {
    this.isEnded = true;
    this.end();
  }

  /** Never settles if n8n is killed by then. */
  async reach(moment: Moment): Promise<void> {
    this.note(moment);
    await this.survive();
  }

  /** Lets a request leave, which then reaches the service, or never settles. */
  async leave(): Promise<void> {
    await this.reach('leaving');
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

/** A lifetime in which n8n is killed at the moment with this number, from 1. */
export function killedAt(number: number): Lifetime {
  return new Lifetime(({ length }) => length === number);
}

/** A lifetime in which n8n is killed at the nth moment of a kind, from 1. */
export function killedAtNth(kind: Moment, nth: number): Lifetime {
  return new Lifetime((moments) => moments.filter((moment) => moment === kind).length === nth);
}
