/** The journal of a node that n8n can kill at any step, over a list that several processes write, with a service beside it. */
import type { JsonRecord } from '../../nodes/MessagingSend/api/records';
import type { Reply } from '../../nodes/MessagingSend/api/reply';
import { phonesOfSeveral } from '../../nodes/MessagingSend/delivery/selection';
import { type Failure, failure } from '../../nodes/MessagingSend/failures/failure';
import { CrashLedger } from '../../nodes/MessagingSend/journal/crash/crashLedger';
import { Journal } from '../../nodes/MessagingSend/journal/journal';
import { FactList, type ListStorage } from '../../nodes/MessagingSend/journal/list/factList';
import { Facts } from '../../nodes/MessagingSend/journal/list/facts';
import type { Intent } from '../../nodes/MessagingSend/journal/recall';
import { DeliveryRecord } from '../../nodes/MessagingSend/journal/record/deliveryRecord';
import { Reservations } from '../../nodes/MessagingSend/journal/sendOnce/reservations';
import { type Batch, byOrigin, type Message } from '../../nodes/MessagingSend/messages/message';
import { type Outcome, type Receipt, receiptOf } from '../../nodes/MessagingSend/messages/outcome';

/** What the service does with a request; `partly` sends only the first half of its messages and says so. */
export type Answer = 'accept' | 'partly' | 'reject' | 'tryLater' | 'lost' | 'lostReply';

/** What one attempt is to send, and with which settings. */
export interface Order {
  /** From one account after the other. */
  readonly accounts: ReadonlyArray<readonly Message[]>;
  /** Messages that have no account in this attempt. */
  readonly others?: readonly Message[];
  readonly batchSize: number;
  readonly parallel?: number;
  readonly sendOnce?: boolean;
  readonly sendUncertainAgain?: boolean;
  readonly isCounted?: boolean;
  /** Whether n8n's database keeps nothing of the attempt, as of a run by hand. */
  readonly isUnnoted?: boolean;
  /** What the service does with each request of the attempt, in turn; it accepts all others. */
  readonly answers?: readonly Answer[];
}

/** The kind of each message's outcome, by the message as {@link World.identify} knows it. */
export type Outcomes = ReadonlyMap<string, ReadonlyArray<Outcome['kind']>>;

/** A process of n8n, with the number of steps until it is killed. */
export class Process {
  readonly list: FactList;
  /** The steps that it has taken so far. */
  readonly steps: string[] = [];
  readonly killed: Promise<void>;
  /** Called before each step, with how many there were. */
  onStep: (count: number) => void = () => undefined;
  private die: () => void = () => undefined;
  private left: number;

  constructor(now: () => number, killAt = Infinity) {
    this.list = new FactList(now);
    this.left = killAt;
    this.killed = new Promise((resolve) => (this.die = resolve));
  }

  get isDead(): boolean {
    return this.left <= 0;
  }

  /** From now on, nothing of the process happens any more. */
  kill(): void {
    this.left = 0;
    this.die();
  }

  /** Counts a step; after the last one, nothing of the process happens any more. */
  step(name: string): void {
    this.onStep(this.steps.length);
    this.steps.push(name);
    this.left -= 1;
    if (this.isDead) this.kill();
  }
}

/** An execution, or a Retry of one. */
export interface Execution {
  readonly lineage: string;
  /** What n8n has stored of the node. */
  stored: JsonRecord;
  readonly isRetry: boolean;
  /** Whether n8n's event log shows that the execution that this is a Retry of was killed. */
  readonly followsKill: boolean;
}

/** What happens at the same time, one step after the other. */
export class World {
  /** Whether the database refuses every write. */
  isLocked = false;
  protected list: ReadonlySet<string> = new Set();
  readonly arrivals = new Map<string, number>();
  /** What each execution with its Retries has sent. */
  readonly arrivalsOf = new Map<string, Map<string, number>>();
  /** The steps that can come next. */
  readonly waiting: Array<{ readonly process: Process; readonly name: string; readonly go: () => void }> = [];
  private driving: Promise<void> | null = null;
  private time = 0;

  /**
   * @param identify what a message is, however its text or place changes
   * @param choose which of several steps comes next; the oldest by default
   */
  constructor(
    readonly identify: (message: Message) => string,
    private readonly choose: (count: number) => number = () => 0,
  ) {}

  process(killAt?: number): Process {
    return new Process(() => this.time, killAt);
  }

  /** Lets everything happen until the work is done, or killed, and nothing is left to happen. */
  async run<Done>(work: Promise<Done>): Promise<Done> {
    this.driving ??= this.drive();
    const done = await work;
    await this.driving;
    return done;
  }

  private async drive(): Promise<void> {
    for (;;) {
      await new Promise(setImmediate);
      const [next] = this.waiting.splice(this.choose(this.waiting.length), 1);
      if (next === undefined) break;
      this.time += 1;
      if (!next.process.isDead) next.go();
    }
    this.driving = null;
  }

  /** A moment at which the process can be killed. */
  async step(process: Process, name: string): Promise<void> {
    process.step(name);
    await new Promise<void>((go) => this.waiting.push({ process, name, go }));
  }

  /** How the process changes the list, at one moment between two steps. */
  protected async change(process: Process, name: string, entries: readonly string[]): Promise<ReadonlySet<string>> {
    await this.step(process, `${name} begins`);
    if (this.isLocked) throw new Error('locked');
    const present = this.changeNow(this.list, name, entries);
    await this.step(process, `${name} has written`);
    return present;
  }

  /** @returns the entries that were in the list before */
  protected changeNow(before: ReadonlySet<string>, name: string, entries: readonly string[]): ReadonlySet<string> {
    const changed = new Set(before);
    for (const entry of entries) {
      if (name === 'record') changed.add(entry);
      else changed.delete(entry);
    }
    this.list = changed;
    return new Set(entries.filter((entry) => before.has(entry)));
  }

  /** The parts of an attempt's journal. */
  factsOf({ process }: Attempt, secret: string): Facts {
    return new Facts(process.list, this.storage(process), secret, secret !== 'workflow');
  }

  recordOf(context: JsonRecord): DeliveryRecord {
    return new DeliveryRecord(context, 0);
  }

  ledgerOf(...given: ConstructorParameters<typeof CrashLedger>): CrashLedger {
    return new CrashLedger(...given);
  }

  storage(process: Process): ListStorage {
    return {
      record: async (entries) => await this.change(process, 'record', entries),
      remove: async (entries) => void (await this.change(process, 'remove', entries)),
      shorten: async () => await this.step(process, 'shorten'),
      waitForOthers: async () => await this.step(process, 'wait'),
    };
  }

  /** An attempt that n8n makes in a process. What it stores of the execution is stored when it ends, if it does. */
  attempt(process: Process, execution: Execution): Attempt {
    return new Attempt(this, process, execution);
  }

  arrive(lineage: string, messages: readonly Message[]): void {
    const own = this.arrivalsOf.get(lineage) ?? new Map<string, number>();
    this.arrivalsOf.set(lineage, own);
    for (const id of messages.map(this.identify)) {
      for (const counts of [own, this.arrivals]) counts.set(id, (counts.get(id) ?? 0) + 1);
    }
  }
}

/** Runs of the node in one execution, of which each but the first is one of Retry On Fail. */
export class Attempt {
  private readonly context: JsonRecord;

  constructor(
    private readonly world: World,
    readonly process: Process,
    readonly execution: Execution,
  ) {
    this.context = copyOf(execution.stored);
  }

  /** @returns null where the process is killed */
  async send(order: Order): Promise<Outcomes | null> {
    return await Promise.race([this.process.killed.then(() => null), this.sendUntilEnd(order)]);
  }

  private async sendUntilEnd(order: Order): Promise<Outcomes> {
    const { world, process, context, execution } = this;
    const record = world.recordOf(context);
    const wasOpen = record.isOpen;
    record.open();
    const { isRetry, followsKill } = execution;
    const start = { isRetry, followsKill: followsKill && !wasOpen };
    const name = { lineage: execution.lineage, ordinal: 0 };
    const ledger =
      order.isUnnoted === true ? null : world.ledgerOf(world.factsOf(this, 'workflow'), name, record, start);
    const hasGap = ledger === null ? start.followsKill : isRetry && (await ledger.hasGap());
    if (hasGap) record.markInterrupted();
    const journal = new Journal({
      record,
      crash: ledger,
      reservationsOf: (account, earlier) =>
        order.sendOnce === true ? new Reservations(world.factsOf(this, account), () => true, earlier) : null,
      patiently: async (promise) => await promise,
    });
    const receipts = await this.dispatch(order, journal);
    await world.step(process, 'dispatched');
    const isAllSent = receipts.every(({ results }) => results.every(({ outcome }) => !('failure' in outcome)));
    journal.conclude(isAllSent);
    await world.step(process, 'concluded');
    await journal.end();
    await world.step(process, 'ended');
    return this.byIdentity(receipts);
  }

  /** n8n stores the execution when the node has ended, after its last try. */
  store(): void {
    if (!this.process.isDead) this.execution.stored = copyOf(this.context);
  }

  private async dispatch(order: Order, journal: Journal): Promise<Receipt[]> {
    const { accounts, others = [], batchSize, parallel = 2, sendUncertainAgain = false, isCounted = false } = order;
    const all = [...accounts.flat(), ...others].sort(byOrigin);
    const earlier = await journal.recall({ ...intentOf(all), sendUncertainAgain });
    const receipts = [...earlier.receipts];
    const pending = new Set(earlier.pending);
    for (const message of others.filter((each) => pending.has(each))) {
      const kind = earlier.again.has(message) ? 'uncertain' : 'not_sent';
      receipts.push(receiptOf({ number: 0, messages: [message] }, { kind, failure: SAFE }));
    }
    const answers = [...(order.answers ?? [])];
    const sendAll = async (all: readonly Message[], account: number) => {
      const left = all.filter((message) => pending.has(message));
      const own = journal.of(`account ${account}`);
      const asked = isCounted || left.length > batchSize ? await own.recall(left) : { receipts: [], pending: left };
      receipts.push(...asked.receipts);
      const messages = asked.pending;
      const batches: Batch[] = [];
      for (let start = 0; start < messages.length; start += batchSize) {
        batches.push({ number: batches.length + 1, messages: messages.slice(start, start + batchSize) });
      }
      const send = async (batch: Batch): Promise<void> => {
        receipts.push(...(await this.request(batch, own, answers)));
      };
      const worker = async () => {
        for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) await send(batch);
      };
      await Promise.all(Array.from({ length: parallel }, worker));
    };
    await Promise.all(accounts.map(sendAll));
    return receipts;
  }

  private async request(batch: Batch, journal: ReturnType<Journal['of']>, answers: Answer[]): Promise<Receipt[]> {
    const { world, process, execution } = this;
    const { messages } = batch;
    if (messages.length === 0) return [];
    const permission = await journal.beforeRequest(batch);
    switch (permission.kind) {
      case 'wait':
        await permission.until;
        return await this.request(batch, journal, answers);
      case 'refused':
        return [journal.settle(receiptOf(batch, notRequested(permission.failure)))];
      case 'taken': {
        const taken = new Set(permission.receipt.results.map(({ message }) => message));
        const left = { ...batch, messages: messages.filter((message) => !taken.has(message)) };
        return [permission.receipt, ...(await this.request(left, journal, answers))];
      }
      default:
    }
    await world.step(process, 'left');
    const answer = answers.shift() ?? 'accept';
    const half = Math.ceil(messages.length / 2);
    if (answer === 'partly') world.arrive(execution.lineage, messages.slice(0, half));
    else if (answer === 'accept' || answer === 'lostReply') world.arrive(execution.lineage, messages);
    await world.step(process, 'arrived');
    journal.afterReply(batch, replyOf(answer));
    if (answer === 'tryLater') return await this.request(batch, journal, answers);
    if (answer === 'reject' && messages.length > 1) {
      const parts = [messages.slice(0, half), messages.slice(half)];
      const own: Receipt[] = [];
      for (const part of parts) own.push(...(await this.request({ ...batch, messages: part }, journal, answers)));
      return own;
    }
    await world.step(process, 'answered');
    const results = messages.map((message, index) => ({ message, outcome: outcomeOf(answer, index < half) }));
    const settled = journal.settle({ batch: batch.number, results, data: null });
    await world.step(process, 'settled');
    return [settled];
  }

  private byIdentity(receipts: readonly Receipt[]): Outcomes {
    const outcomes = new Map<string, Array<Outcome['kind']>>();
    for (const { message, outcome } of receipts.flatMap(({ results }) => results)) {
      const id = this.world.identify(message);
      outcomes.set(id, [...(outcomes.get(id) ?? []), outcome.kind]);
    }
    return outcomes;
  }
}

const UNSAFE = failure('outcomeUnknown');
const SAFE = failure('stopped');

function notRequested(why: Failure): Outcome {
  return { kind: why.sendAgain === 'checkFirst' ? 'uncertain' : 'not_sent', failure: why };
}

function replyOf(answer: Answer): Reply {
  if (answer === 'accept' || answer === 'partly') return { kind: 'accepted', data: {} };
  if (answer === 'lost' || answer === 'lostReply') return { kind: 'uncertain', failure: UNSAFE };
  return { kind: 'rejected', failure: SAFE, error: {}, fromService: true, retryable: false, retryAfter: null };
}

function outcomeOf(answer: Answer, isInFirstHalf: boolean): Outcome {
  if (answer === 'lost' || answer === 'lostReply') return { kind: 'uncertain', failure: UNSAFE };
  const isSent = answer === 'accept' || (answer === 'partly' && isInFirstHalf);
  return isSent ? { kind: 'sent', messageId: 1, status: 'sent' } : { kind: 'not_sent', failure: SAFE };
}

/** As n8n stores it. */
function copyOf(context: JsonRecord): JsonRecord {
  return JSON.parse(JSON.stringify(context)) as JsonRecord;
}

/** What a run that is about to send these messages asks. */
export function intentOf(messages: readonly Message[]): Intent {
  return {
    messages,
    unsendable: [],
    repeated: phonesOfSeveral(messages),
    sendUncertainAgain: false,
  };
}

let lineages = 0;

/** A first execution. */
export function newExecution(): Execution {
  lineages += 1;
  return { lineage: `lineage ${lineages}`, stored: {}, isRetry: false, followsKill: false };
}

/** A Retry. */
export function retryOf({ lineage, stored }: Execution, followsKill: boolean): Execution {
  return { lineage, stored, isRetry: true, followsKill };
}
