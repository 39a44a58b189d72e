/** The journal of a node in an n8n that can be killed, used by one attempt after the other. */
import type { JsonRecord } from '../../../nodes/MessagingSend/api/records';
import { rejected, type Reply } from '../../../nodes/MessagingSend/api/reply';
import { type Failure, failure } from '../../../nodes/MessagingSend/failures/failure';
import type { CrashLedger } from '../../../nodes/MessagingSend/journal/crash/crashLedger';
import { Journal, type Permission } from '../../../nodes/MessagingSend/journal/journal';
import { FactList } from '../../../nodes/MessagingSend/journal/list/factList';
import type { Facts } from '../../../nodes/MessagingSend/journal/list/facts';
import type { DeliveryRecord } from '../../../nodes/MessagingSend/journal/record/deliveryRecord';
import { Reservations } from '../../../nodes/MessagingSend/journal/sendOnce/reservations';
import { type Batch, byOrigin, type Message } from '../../../nodes/MessagingSend/messages/message';
import { type Outcome, type Receipt, receiptOf } from '../../../nodes/MessagingSend/messages/outcome';
import { intentOf } from '../../unit/samples';

/** What the service does with a request; `partly` sends only the first half of its messages, `limit` asks to wait. */
export type Answer = 'accept' | 'partly' | 'lost' | 'limit';

/** What one attempt sends, and with which settings. */
export interface Order {
  readonly messages: readonly Message[];
  /** Messages that are kept back in this attempt. */
  readonly others?: readonly Message[];
  readonly batchSize: number;
  readonly parallel?: number;
  readonly sendOnce?: boolean;
  /** Whether n8n's database keeps nothing about the attempt, as for a manual run. */
  readonly isUnnoted?: boolean;
  /** What the service does with each request of the attempt, in turn; it accepts all others. */
  readonly answers?: readonly Answer[];
}

/** The kinds of each message's outcomes, by its text. */
export type Outcomes = ReadonlyMap<string, ReadonlyArray<Outcome['kind']>>;

/** A process of n8n. */
export class Process {
  readonly list = new FactList(() => 0);
  isDead = false;
}

/** An execution, or a Retry of one. */
export interface Execution {
  readonly lineage: string;
  /** What n8n has stored of the node. */
  stored: JsonRecord;
  readonly isRetry: boolean;
  /** If this is a Retry, whether n8n's event log shows that its execution was killed. */
  readonly followsKill: boolean;
}

/** The place where attempts happen. */
export interface Surroundings {
  /** Resolves when the process may take this step, if ever. */
  readonly step: (process: Process, name: string) => Promise<void>;
  readonly arrive: (lineage: string, messages: readonly Message[]) => void;
  readonly factsOf: (attempt: Attempt, secret: string) => Facts;
  readonly recordOf: (context: JsonRecord) => DeliveryRecord;
  readonly ledgerOf: (...given: ConstructorParameters<typeof CrashLedger>) => CrashLedger;
}

export class Attempt {
  private readonly context: JsonRecord;
  /** No request leaves after one that was rejected. */
  private whyEnded: Permission | null = null;

  constructor(
    private readonly around: Surroundings,
    readonly process: Process,
    readonly execution: Execution,
  ) {
    this.context = copyOf(execution.stored);
  }

  /** n8n stores the execution when the node has ended. */
  async send(order: Order): Promise<Outcomes> {
    const { around, context, execution } = this;
    const record = around.recordOf(context);
    const wasOpen = record.isOpen;
    record.open();
    const { isRetry, followsKill, lineage } = execution;
    const start = { isRetry, followsKill: followsKill && !wasOpen };
    const crash =
      order.isUnnoted === true
        ? null
        : around.ledgerOf(around.factsOf(this, 'workflow'), { lineage, ordinal: 0 }, record, start);
    if (crash === null ? start.followsKill : isRetry && (await crash.hasGap())) record.markInterrupted();
    const reservationsOf = (account: string, earlier: Pick<ReadonlySet<Message>, 'has'>) =>
      new Reservations(around.factsOf(this, account), 1, earlier);
    const journal = new Journal(record, crash, order.sendOnce === true ? reservationsOf : undefined);
    const receipts = await this.dispatch(order, journal);
    journal.conclude(receipts.every(({ results }) => results.every(({ outcome }) => !('failure' in outcome))));
    await journal.end();
    execution.stored = copyOf(context);
    const outcomes = new Map<string, Array<Outcome['kind']>>();
    for (const { message, outcome } of receipts.flatMap(({ results }) => results)) {
      outcomes.set(message.text, [...(outcomes.get(message.text) ?? []), outcome.kind]);
    }
    return outcomes;
  }

  private async dispatch({ messages, others = [], ...order }: Order, journal: Journal): Promise<Receipt[]> {
    const earlier = await journal.recall(intentOf([...messages, ...others].sort(byOrigin)));
    const receipts = [...earlier.receipts];
    const pending = new Set(earlier.pending);
    for (const message of others.filter((each) => pending.has(each))) {
      receipts.push(receiptOf({ number: 0, messages: [message] }, { kind: 'not_sent', failure: SAFE }));
    }
    const left = messages.filter((message) => pending.has(message));
    const batches: Batch[] = [];
    for (let start = 0; start < left.length; start += order.batchSize) {
      batches.push({ number: batches.length + 1, messages: left.slice(start, start + order.batchSize) });
    }
    const account = journal.of('account');
    const answers = [...(order.answers ?? [])];
    const worker = async () => {
      for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) {
        receipts.push(...(await this.request(batch, account, answers)));
      }
    };
    await Promise.all(Array.from({ length: order.parallel ?? 1 }, worker));
    return receipts;
  }

  private async request(batch: Batch, account: ReturnType<Journal['of']>, answers: Answer[]): Promise<Receipt[]> {
    const { messages } = batch;
    if (messages.length === 0) return [];
    const permission: Permission = this.whyEnded ?? (await account.beforeRequest(batch));
    switch (permission.kind) {
      case 'wait':
        await this.around.step(this.process, 'asks again');
        return await this.request(batch, account, answers);
      case 'refused':
        this.whyEnded = permission;
        return [account.settle(receiptOf(batch, notRequested(permission.failure)))];
      case 'taken': {
        const taken = new Set(permission.receipt.results.map(({ message }) => message));
        const left = { ...batch, messages: messages.filter((message) => !taken.has(message)) };
        return [permission.receipt, ...(await this.request(left, account, answers))];
      }
      default:
    }
    await this.around.step(this.process, 'leaves');
    const answer = answers.shift() ?? 'accept';
    if (answer === 'limit') {
      account.afterReply(batch, rejected(SAFE));
      await this.around.step(this.process, 'asks again');
      return await this.request(batch, account, answers);
    }
    const half = answer === 'partly' ? Math.ceil(messages.length / 2) : messages.length;
    if (answer !== 'lost') this.around.arrive(this.execution.lineage, messages.slice(0, half));
    const reply: Reply = answer === 'lost' ? { kind: 'uncertain', failure: UNSAFE } : { kind: 'accepted', data: {} };
    account.afterReply(batch, reply);
    const results = messages.map((message, index) => ({ message, outcome: outcomeOf(answer, index < half) }));
    return [account.settle({ batch: batch.number, results, data: null })];
  }
}

const UNSAFE = failure('outcomeUnknown');
const SAFE = failure('stopped');

function notRequested(why: Failure): Outcome {
  return { kind: why.sendAgain === 'checkFirst' ? 'uncertain' : 'not_sent', failure: why };
}

function outcomeOf(answer: Answer, isInFirstHalf: boolean): Outcome {
  if (answer === 'lost') return { kind: 'uncertain', failure: UNSAFE };
  return isInFirstHalf ? { kind: 'sent', messageId: 1, status: 'sent' } : { kind: 'not_sent', failure: SAFE };
}

/** As n8n stores it. */
function copyOf(context: JsonRecord): JsonRecord {
  return JSON.parse(JSON.stringify(context)) as JsonRecord;
}
