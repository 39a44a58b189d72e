import { InvalidInput } from './check';
import { FaultPlan } from './faultPlan';
import type { Endpoint, FaultKind } from './faults';
import { Limiter } from './limiter';
import { MessageStore } from './messages';
import type { SandboxOptions } from './options';

/** The balance and the request limit of one API key. */
export interface Account {
  /** `key 1`, `key 2`, …: shown in place of the key everywhere. */
  label: string;
  credits: number;
  /** Null for no limit. */
  limiter: Limiter | null;
}

/** One request to the API or to an unknown path. Never contains a key. */
export interface LoggedRequest {
  /** From 1, in order of arrival. */
  number: number;
  method: string;
  path: string;
  /** Null for a path or method that the API doesn't have. */
  endpoint: Endpoint | null;
  /** Label of the key; null without a valid one. */
  key: string | null;
  /** Null until answered; stays null if the connection was cut before a status line. */
  status: number | null;
  /** Messages in the body; 0 when the request was not admitted. */
  messages: number;
  sent: number;
  fault: FaultKind | null;
  /** ISO 8601, UTC. */
  started_at: string;
  /** From arrival to the start of the answer, or to the cut; null while in flight. */
  duration_ms: number | null;
}

/** Everything a running sandbox knows. */
export class SandboxState {
  readonly accounts: ReadonlyMap<string, Account>;
  readonly faults = new FaultPlan();
  messages = new MessageStore();
  /** In order of arrival. A request is completed in place, because the list includes requests in flight. */
  requests: LoggedRequest[] = [];

  constructor(readonly options: SandboxOptions) {
    this.accounts = new Map(
      options.keys.map((key, index) => [key, { label: `key ${index + 1}`, credits: 0, limiter: null }]),
    );
    this.reset();
  }

  /** Back to the start: nothing sent, credits and limits full, the options' faults, IDs and numbers from the first. */
  reset(): void {
    const { credits, faults, limit, windowSeconds } = this.options;
    for (const account of this.accounts.values()) {
      account.credits = credits;
      account.limiter = limit === 0 ? null : new Limiter(limit, windowSeconds * 1000);
    }
    this.messages = new MessageStore();
    this.requests = [];
    this.faults.set(faults);
  }

  account(label = 'key 1'): Account {
    const account = [...this.accounts.values()].find((candidate) => candidate.label === label);
    if (account === undefined) throw new InvalidInput(`No key is labelled ${label}`);
    return account;
  }

  /** Sets the balance of the account with this label, or of every account. */
  setCredits(credits: number, label?: string): void {
    for (const account of label === undefined ? this.accounts.values() : [this.account(label)])
      account.credits = credits;
  }

  /** The sandbox's time as ISO 8601, UTC. */
  timestamp(): string {
    return new Date(this.options.now()).toISOString();
  }
}
