import type { Reply } from '../api/reply';
import type { Failure } from '../failures/failure';
import type { OutageRecord } from '../journal/outageRecord';

/** After so many uncertain replies in a row the run ends, even if the service answers other requests. */
const MAX_UNCERTAIN = 3;

export interface CircuitBreakerConfig {
  /**
   * Waits until the service has shown that it works.
   * @returns null once it has, else the reason why it has not
   * @throws when the run is stopped meanwhile
   */
  readonly probe: () => Promise<Failure | null>;
  /** Called when the service is down, with the last sign of it; null where that was in an earlier attempt. */
  readonly end: (reason: Failure | null) => void;
  readonly hasEnded: () => boolean;
  readonly outages: Pick<OutageRecord, 'uncertainInARow' | 'note'>;
}

/** Permission to make one request. */
export interface Pass {
  /** Whether the request may still leave: while it waited, another may have had an uncertain reply. */
  readonly isValid: () => boolean;
  /** Must be called once, with the reply; with null if the request was not made. */
  readonly settle: (reply: Reply | null) => void;
}

/**
 * Keeps an outage from making a whole campaign uncertain. Half-open: one request at a time, until one is accepted.
 * Closed: any number. Open, after an uncertain reply: none, until a probe has shown that the service works.
 *
 * Requests in flight at the same time share an outage, so their uncertain replies count as one.
 */
export class CircuitBreaker {
  private state: 'halfOpen' | 'closed' | 'open';
  /** Whether the one request that may be made while half-open, or the probe while open, is under way. */
  private isBusy = false;
  /** Tells requests that left before the last opening from those after it. */
  private openings = 0;
  private uncertainInARow: number;
  private reason: Failure | null = null;
  private readonly waiting: Array<() => void> = [];

  constructor(private readonly config: CircuitBreakerConfig) {
    const { uncertainInARow } = config.outages;
    this.state = uncertainInARow === null ? 'halfOpen' : 'open';
    this.uncertainInARow = uncertainInARow ?? 0;
  }

  /**
   * Waits until a request may be risked.
   * @returns null when the run has ended
   * @throws what the probe throws
   */
  async admit(): Promise<Pass | null> {
    while (!this.config.hasEnded()) {
      if (this.state === 'closed') return this.pass();
      if (this.isBusy) await new Promise<void>((resolve) => this.waiting.push(resolve));
      else if (this.state === 'halfOpen') return this.pass();
      else await this.probe();
    }
    return null;
  }

  /** Lets everyone who waits look again, because the run has ended. */
  wake(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  private pass(): Pass {
    const isTrial = this.state === 'halfOpen';
    const { openings } = this;
    if (isTrial) this.isBusy = true;
    const isValid = () => openings === this.openings;
    return {
      isValid,
      settle: (reply) => {
        if (isTrial) this.isBusy = false;
        if (isValid() && reply !== null) this.learnFrom(reply);
        this.wake();
      },
    };
  }

  private learnFrom(reply: Reply): void {
    if (reply.kind === 'accepted' && this.state !== 'closed') {
      this.state = 'closed';
      this.count(0);
    } else if (reply.kind === 'uncertain') {
      this.state = 'open';
      this.openings += 1;
      this.reason = reply.failure;
      this.count(this.uncertainInARow + 1);
    }
  }

  private count(uncertainInARow: number): void {
    this.uncertainInARow = uncertainInARow;
    this.config.outages.note(uncertainInARow);
  }

  private async probe(): Promise<void> {
    if (this.uncertainInARow >= MAX_UNCERTAIN) {
      this.config.end(this.reason);
      return;
    }
    this.isBusy = true;
    try {
      const reason = await this.config.probe();
      if (reason === null) this.state = 'halfOpen';
      else this.config.end(reason);
    } finally {
      this.isBusy = false;
      this.wake();
    }
  }
}
