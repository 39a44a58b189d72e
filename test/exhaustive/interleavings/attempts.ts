/** The journal of a node in an n8n that can be killed, used by one attempt after the other. */
import type { JsonObject } from '../../../nodes/MessagingSend/api/objects';
import { pack } from '../../../nodes/MessagingSend/delivery/dispatch';
import { type Failure, failure } from '../../../nodes/MessagingSend/failures/failure';
import { CrashLedger } from '../../../nodes/MessagingSend/journal/crash/crashLedger';
import type { DeliveryRecord } from '../../../nodes/MessagingSend/journal/deliveryRecord';
import { Journal } from '../../../nodes/MessagingSend/journal/journal';
import { FactList } from '../../../nodes/MessagingSend/journal/list/factList';
import type { Facts } from '../../../nodes/MessagingSend/journal/list/facts';
import { Reservations } from '../../../nodes/MessagingSend/journal/reservations';
import {
  type Batch,
  failed,
  isOpen,
  markSeveral,
  type Outcome,
  type Row,
  settle,
} from '../../../nodes/MessagingSend/messages/row';
import { intentOf, noPause, SENT } from '../../unit/samples';

/** What the service does with a request; `partly` sends only the first half of its messages, `limit` asks to wait. */
export type Answer = 'accept' | 'partly' | 'lost' | 'limit' | 'refuse';

/** What one attempt sends, and with which settings. */
export interface Order {
  readonly messages: readonly Row[];
  /** Messages that are kept back in this attempt. */
  readonly others?: readonly Row[];
  readonly batchSize: number;
  readonly parallel?: number;
  readonly sendOnce?: boolean;
  /** Whether n8n's database keeps nothing about the attempt, as for a manual run. */
  readonly isUnnoted?: boolean;
  /** What the service does with each request of the attempt, in turn; it accepts all others. */
  readonly answers?: readonly Answer[];
}

/** The step in which n8n stores an attempt that has ended. */
export const STORES = 'stores the execution';

/** A process of n8n. */
export class Process {
  readonly list = new FactList(() => 0);
  isDead = false;
}

/** An execution, or a Retry of one. */
export interface Execution {
  readonly lineage: string;
  /** What n8n has stored of the node. */
  stored: JsonObject;
  readonly isRetry: boolean;
  /** If this is a Retry, whether n8n's event log shows that its execution was killed. */
  readonly followsKill: boolean;
}

/** The place where attempts happen. */
export interface Surroundings {
  /** Resolves when the process may take this step, if ever. */
  readonly step: (process: Process, name: string) => Promise<void>;
  readonly arrive: (execution: Execution, messages: readonly Row[]) => void;
  readonly factsOf: (attempt: Attempt, secret: string) => Facts;
  readonly recordOf: (context: JsonObject) => DeliveryRecord;
}

export class Attempt {
  private readonly context: JsonObject;
  /** No request leaves after one that was rejected. */
  private whyEnded: Failure | null = null;

  constructor(
    private readonly around: Surroundings,
    readonly process: Process,
    readonly execution: Execution,
  ) {
    this.context = copyOf(execution.stored);
  }

  /** n8n stores the execution some time after the node has ended. @returns all messages */
  async send(order: Order): Promise<readonly Row[]> {
    const { around, context, execution } = this;
    const record = around.recordOf(context);
    record.open();
    const run = { lineage: execution.lineage, ordinal: 0 };
    const isNoted = order.isUnnoted !== true;
    const crash = isNoted ? new CrashLedger(around.factsOf(this, 'workflow'), run, record, execution) : null;
    const open = (account: string) => new Reservations(around.factsOf(this, account), 1);
    const journal = new Journal(record, crash, order.sendOnce === true ? { open, isAsked: true } : null);
    const rows = await this.dispatch(order, journal);
    await journal.finish(rows, () => ({ account: 'account' }));
    await around.step(this.process, STORES);
    execution.stored = copyOf(context);
    return rows;
  }

  private async dispatch({ messages, others = [], ...order }: Order, journal: Journal): Promise<Row[]> {
    // Copies: other attempts settle the same messages.
    const rows = inOrder([...messages, ...others]);
    const items = new Set(others.map(({ item }) => item));
    const keptBack = new Set(rows.filter(({ item }) => items.has(item)));
    const intent = { ...intentOf(rows), keptBack: async () => await Promise.resolve(keptBack) };
    await journal.recall(intent, noPause);
    const kept = [...keptBack].filter(isOpen);
    for (const row of kept) settle(row, { kind: 'skipped', reason: 'opted_out' });
    journal.note(kept, null);
    const batches = pack(rows.filter(isOpen), order.batchSize).values();
    const reservations = journal.reservationsOf('account');
    const answers = [...(order.answers ?? [])];
    const worker = async () => {
      for (const batch of batches) {
        for (let left = batch; left.length > 0; left = left.filter(isOpen)) {
          await this.request(left, journal, reservations, answers);
        }
      }
    };
    await Promise.all(Array.from({ length: order.parallel ?? 1 }, worker));
    return rows;
  }

  /** Messages that get no outcome must be requested again. */
  private async request(
    batch: Batch,
    journal: Journal,
    reservations: Reservations | null,
    answers: Answer[],
  ): Promise<void> {
    const settleAll = (outcomeOf: (index: number) => Outcome) => {
      for (const [index, row] of batch.entries()) settle(row, outcomeOf(index));
      journal.note(batch, reservations);
    };
    const permission = this.whyEnded ?? (await journal.beforeRequest(batch, reservations));
    if (permission === 'wait') await this.around.step(this.process, 'asks again');
    if (permission === 'wait' || permission === 'changed') return;
    if (permission !== 'leave') {
      this.whyEnded = permission;
      settleAll(() => failed(permission));
      return;
    }
    await this.around.step(this.process, 'leaves');
    const answer = answers.shift() ?? 'accept';
    if (answer === 'limit') {
      journal.afterFlight(batch);
      await this.around.step(this.process, 'asks again');
      return;
    }
    const half = answer === 'partly' ? Math.ceil(batch.length / 2) : batch.length;
    const hasAccepted = answer !== 'lost' && answer !== 'refuse';
    if (hasAccepted) this.around.arrive(this.execution, batch.slice(0, half));
    journal.afterFlight(batch);
    settleAll((index) => (hasAccepted && index < half ? SENT : failed(answer === 'lost' ? UNSAFE : SAFE)));
  }
}

/** Copies, in the order of their places. */
export function inOrder(messages: readonly Row[]): Row[] {
  const rows = messages.toSorted((one, other) => one.item - other.item).map((row) => ({ ...row }));
  markSeveral(rows);
  return rows;
}

const UNSAFE = failure('outcomeUnknown');
const SAFE = failure('stopped');

/** As n8n stores it. */
function copyOf(context: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(context)) as JsonObject;
}
