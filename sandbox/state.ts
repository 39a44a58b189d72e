import { failure, Refusal } from './answers';
import { FaultPlan } from './faultPlan';
import { Limiter } from './limiter';
import { MessageStore } from './messages';
import type { SandboxOptions } from './options';
import { RequestLog } from './requests';

/** The balance and the request limit of one API key. */
export interface Account {
  /** `key 1`, `key 2`, …: shown in place of the key everywhere. */
  label: string;
  credits: number;
  /** Null for no limit. */
  limiter: Limiter | null;
}

/** Everything a running sandbox knows. */
export class SandboxState {
  readonly accounts: ReadonlyMap<string, Account>;
  readonly messages = new MessageStore();
  readonly requests = new RequestLog();
  readonly faults = new FaultPlan();

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
    this.messages.clear();
    this.requests.clear();
    this.faults.set(faults);
  }

  /** The account with this label; throws a {@link Refusal} if there is none. */
  account(label = 'key 1'): Account {
    const account = [...this.accounts.values()].find((candidate) => candidate.label === label);
    if (account !== undefined) return account;
    throw new Refusal(failure(404, { code: 'NOT_FOUND', message: `No key is labelled ${label}` }));
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
