import { Accounts } from './accounts';
import { FaultPlan } from './faultPlan';
import { MessageStore } from './messages';
import type { SandboxOptions } from './options';
import { RequestLog } from './requests';

/** Everything a running sandbox knows. */
export class SandboxState {
  readonly accounts: Accounts;
  readonly messages = new MessageStore();
  readonly requests = new RequestLog();
  readonly faults: FaultPlan;
  /** Counts the resets, so that a page that shows the state notices one. */
  resets = 0;

  constructor(readonly options: SandboxOptions) {
    this.accounts = new Accounts(options);
    this.faults = new FaultPlan(options.faultSeed);
    this.faults.set(options.faults);
  }

  /** As at the start: nothing sent, credits and limits full, the faults of the options, ids and numbers from the first. */
  reset(): void {
    this.accounts.reset();
    this.messages.clear();
    this.requests.clear();
    this.faults.set(this.options.faults);
    this.resets += 1;
  }

  /** The time of the sandbox's clock as ISO 8601, UTC. */
  timestamp(): string {
    return new Date(this.options.now()).toISOString();
  }
}
