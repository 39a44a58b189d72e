/** A run of dispatch with a scripted service, for the tests of several subjects. */
import { GET_BALANCE, SEND_MANY } from '../../nodes/MessagingSend/api/endpoints';
import type { Reply } from '../../nodes/MessagingSend/api/reply';
import { Dispatch, type DispatchConfig, pack } from '../../nodes/MessagingSend/delivery/dispatch';
import { SEND_BULK, type SendOperation } from '../../nodes/MessagingSend/delivery/operation';
import type { Failure } from '../../nodes/MessagingSend/failures/failure';
import { type Batch, isOpen, markSeveral, type Outcome, type Row } from '../../nodes/MessagingSend/messages/row';
import { Pacer } from '../../nodes/MessagingSend/requests/pacer';
import { Requests } from '../../nodes/MessagingSend/requests/requests';
import { FakeClock } from './fakeClock';
import { acceptAll, noPause, refuseValues, rowsUpTo, SENT } from './samples';

export type Service = (messages: Batch, request: number) => Reply | Promise<Reply>;

/** A service that gives these replies to the requests with these numbers, counted from 1, and accepts all others. */
export const replying =
  (replies: Record<number, Reply>): Service =>
  (messages, request) =>
    replies[request] ?? acceptAll(messages);

export const send = async (count: number, size: number, service: Service, changes: Changes = {}): Promise<Run> =>
  await new Run(service, changes).send(rowsUpTo(count), size);

/** Send Bulk with whole messages in its requests, so that a service knows their items. */
const OPERATION: SendOperation = {
  ...SEND_BULK,
  requestFor: (messages) => ({ endpoint: SEND_MANY, body: { messages } }),
};

export interface Changes extends Partial<Omit<DispatchConfig, 'journal'>> {
  readonly journal?: Partial<DispatchConfig['journal']>;
  /** How long a request takes, in milliseconds. */
  readonly duration?: number;
  readonly balance?: (request: number) => Reply;
  /** In milliseconds. */
  readonly maxWait?: number;
  readonly requestsPerMinute?: number;
  readonly signal?: AbortSignal;
}

const BALANCE: Reply = { kind: 'accepted', data: { credits: 5 } };

/** A run with a scripted service and a clock that moves only in requests and waits. */
export class Run {
  readonly requests: number[][] = [];
  balances = 0;
  readonly outages: number[] = [];
  /** The messages that were noted together, in order. */
  readonly noted: Batch[] = [];
  readonly clock = new FakeClock();
  rows: readonly Row[] = [];

  constructor(
    private readonly service: Service,
    private readonly changes: Changes = {},
  ) {}

  async send(rows: readonly Row[], size = 100): Promise<this> {
    const {
      parallelRequests = 1,
      duration = 0,
      maxWait = 0,
      requestsPerMinute = Infinity,
      signal,
      balance = () => BALANCE,
      journal,
      keepBack = null,
      ...config
    } = this.changes;
    const { clock } = this;
    const requests = new Requests({
      call: async (request) => {
        if (request.endpoint === GET_BALANCE) return await Promise.resolve(balance((this.balances += 1)));
        const sent = request.body?.messages as Batch;
        const reply = await this.service(sent, this.requests.push(sent.map(({ item }) => item)));
        // Requests that leave at the same time are in flight at the same time.
        await clock.sleep(duration);
        return reply;
      },
      pacer: new Pacer(clock),
      limits: { requestsPerMinute, maxWait, interval: 0 },
      signal,
      clock,
    });
    this.rows = rows;
    markSeveral(rows);
    const dispatch = new Dispatch({
      operation: OPERATION,
      requests,
      // By default it lets every request leave and keeps nothing.
      journal: {
        beforeRequest: async () => await Promise.resolve('leave'),
        afterReply: () => undefined,
        note: (batch) => void this.noted.push(batch),
        ...journal,
      },
      outages: { uncertainInARow: null, note: (count) => this.outages.push(count) },
      keepBack,
      parallelRequests,
      reservations: null,
      stopOnFailure: false,
      pause: noPause,
      onSettled: () => undefined,
      ...config,
    });
    const run = { isOver: false };
    const sending = dispatch.sendAll(pack(rows, size)).finally(() => (run.isOver = true));
    while (!run.isOver) await clock.run();
    await sending;
    expect(rows.filter(isOpen)).toEqual([]);
    return this;
  }

  /** The items of the requests, and those with each outcome: "0-1 | 2-3" is a request of two, then another. */
  get report(): Partial<Record<'requests' | 'sent' | 'not_sent' | 'uncertain', string>> {
    const kinds = (['sent', 'not_sent', 'uncertain'] as const).map((kind) => [kind, listed(this.items(kind))] as const);
    return {
      requests: this.requests.map(listed).join(' | '),
      ...Object.fromEntries(kinds.filter(([, items]) => items !== '')),
    };
  }

  items(kind: Outcome['kind']): number[] {
    return this.rows.flatMap(({ item, outcome }) => (outcome?.kind === kind ? item : []));
  }

  failureOf(item: number): string {
    const why = this.whyNot(item);
    return why === undefined ? 'none' : `${why.code}: ${why.message}`;
  }

  whyNot(item: number): Failure | undefined {
    const outcome = this.rows[item]?.outcome ?? SENT;
    return 'failure' in outcome ? outcome.failure : undefined;
  }
}

/** In order, with consecutive items as a range, such as "0-3 5". */
export function listed(items: readonly number[]): string {
  const ranges: Array<[from: number, to: number]> = [];
  for (const item of items) {
    const last = ranges.at(-1);
    if (last?.[1] === item - 1) last[1] = item;
    else ranges.push([item, item]);
  }
  return ranges.map(([from, to]) => (from === to ? from : `${from}-${to}`)).join(' ');
}

export function refusing(items: readonly number[], name: (positions: number[], sent: Batch) => unknown): Service {
  return (messages) => {
    const positions = messages.flatMap(({ item }, position) => (items.includes(item) ? [position] : []));
    return positions.length === 0 ? acceptAll(messages) : refuseValues(name(positions, messages));
  };
}

export const byIndex = (positions: number[]) =>
  positions.map((position) => ({ field: `messages.${position}.phone`, message: 'is wrong' }));
export const byIndexFrom1 = (positions: number[]) => byIndex(positions.map((position) => position + 1));
export const firstOnly = (positions: number[]) => byIndex(positions.slice(0, 1));
export const withoutNames = () => 'Something is wrong';
