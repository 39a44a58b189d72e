/** A campaign in production that is killed and retried as often as a test wants, and its outcome. */
import type { INodeExecutionData } from 'n8n-workflow';

import type { Sandbox } from '../../../sandbox/server';
import { Lifetime } from '../../../tools/engine/lifetime';
import { detailsOf, outcomeOf, textOf } from '../outputs';
import { arrived, type Attempt, attempt } from './restart';
import type { Execution, Setup } from './workflow';

/** What the items of one message report, and how often the message reached the service. */
export interface Fate {
  readonly phone: string;
  readonly outcome: unknown;
  /** For a message that was sent. */
  readonly id: unknown;
  readonly arrivals: number;
}

export function outcomes(fates: readonly Fate[]): unknown[] {
  return fates.map(({ outcome }) => outcome);
}

export function arrivals(fates: readonly Fate[]): number[] {
  return fates.map(({ arrivals: count }) => count);
}

/** How a campaign is started or retried. */
interface Start {
  readonly lifetime: Lifetime;
  /** The execution that is retried, if it is not the latest one. */
  readonly earlier: Execution;
  /** What the user changes in the workflow before a "Retry with currently saved workflow". */
  readonly changes: Partial<Setup>;
  /** Whether n8n's event log still exists when n8n starts after the kill. */
  readonly eventLog: 'kept' | 'gone';
}

export class Campaign {
  /** The latest execution, as n8n lists it: as it ended, or as it was when n8n was killed. */
  private latest: Execution | undefined;

  constructor(
    private readonly sandbox: Sandbox,
    readonly setup: Setup,
  ) {}

  /** The execution that a Retry repeats. */
  get execution(): Execution {
    if (this.latest === undefined) throw new Error('it has not started');
    return this.latest;
  }

  /**
   * Starts the execution, or retries it, until it ends or n8n is killed. One that was successful stays as it is, because
   * n8n does not retry it.
   */
  async run({ lifetime = new Lifetime(), earlier, changes, eventLog }: Partial<Start> = {}): Promise<Execution> {
    const retried = earlier ?? this.latest;
    if (retried !== undefined && isSuccessful(retried)) return retried;
    const { ended, afterRestart } = await this.attempt(lifetime, retried, changes);
    this.latest = ended ?? afterRestart(eventLog);
    return this.latest;
  }

  /** Runs it to its end, and makes n8n forget that it got this far. */
  async runAndForget(eventLog: 'kept' | 'gone'): Promise<void> {
    const { afterRestart } = await this.attempt(new Lifetime(), this.latest);
    this.latest = afterRestart(eventLog);
  }

  /** Retries it until it has an item for each message. */
  async finish(changes?: Partial<Setup>): Promise<Fate[]> {
    await this.run(changes && { changes });
    if (!isSuccessful(this.execution)) await this.run({ changes: { ...changes, onError: 'continueRegularOutput' } });
    if (!isSuccessful(this.execution)) throw new Error(`it does not end: ${this.execution.error?.message}`);
    return this.fates();
  }

  private async attempt(lifetime: Lifetime, earlier?: Execution, changes?: Partial<Setup>): Promise<Attempt> {
    const before = this.sandbox.requests().length;
    const made = await attempt({ ...this.setup, ...changes }, lifetime, earlier, changes !== undefined);
    await arrived(this.sandbox, () => before + lifetime.requests);
    return made;
  }

  /** No two messages of the campaign may have the same number. */
  fates(): Fate[] {
    const arrivals = new Map<string, number>();
    for (const { phone } of this.sandbox.messages()) arrivals.set(phone, (arrivals.get(phone) ?? 0) + 1);
    return itemsOf(this.execution)
      .map((item) => {
        const phone = phoneOf(item);
        return { phone, outcome: outcomeOf(item), id: item.json.message_id, arrivals: arrivals.get(phone) ?? 0 };
      })
      .sort((one, other) => one.phone.localeCompare(other.phone));
  }
}

function isSuccessful({ run, error }: Execution): boolean {
  return run.status !== 'crashed' && error === undefined;
}

/** The items of all runs of the node, without those that replace outputs that n8n has lost. */
function itemsOf({ run }: Execution): INodeExecutionData[] {
  return (run.data.resultData.runData.Send ?? [])
    .flatMap(({ data }) => (data?.main ?? []).flatMap((items) => items ?? []))
    .filter(({ json }) => json.isArtificialRecoveredEventItem !== true);
}

function phoneOf(item: INodeExecutionData): string {
  return textOf(item.json.error === undefined ? item.json.phone : detailsOf(item).phone);
}
