import { type Call, rejected, type Reply } from '../../nodes/MessagingSend/api/reply';
import { Dispatch, type DispatchConfig, pack } from '../../nodes/MessagingSend/delivery/dispatch';
import { SEND_BULK } from '../../nodes/MessagingSend/delivery/operation';
import { type KeepBack, select } from '../../nodes/MessagingSend/delivery/select';
import { failure } from '../../nodes/MessagingSend/failures/failure';
import { DeliveryRecord } from '../../nodes/MessagingSend/journal/deliveryRecord';
import { Journal } from '../../nodes/MessagingSend/journal/journal';
import type { Reservations } from '../../nodes/MessagingSend/journal/reservations';
import { markSeveral, type Outcome, type Row, settle } from '../../nodes/MessagingSend/messages/row';
import { Pacer } from '../../nodes/MessagingSend/requests/pacer';
import { Requests } from '../../nodes/MessagingSend/requests/requests';
import { FakeClock } from './fakeClock';
import { failureWith, noPause, rowAt, rowsUpTo, SENT } from './samples';

test.each([
  [2, [3], [1]],
  [4, [1, 2, 2, 1], [2, 2]],
  [4, [3, 1, 5, 1], [2, 1, 1]],
])('All parts of a text are in one request: by %i, texts of %j parts make batches of %j', (size, parts, sizes) => {
  const messages = parts.map((count, index) => rowAt(index, { parts: Array<string>(count).fill('Part') }));
  expect(pack(messages, size).map(({ length }) => length)).toEqual(sizes);
});

const WRONG_KEY = rejected(failure('apiKeyInvalid'), { fromService: true });

/** Sends five messages, one by one, by default with a wrong API key. */
async function sendFive(
  changed: Partial<DispatchConfig>,
  call: Call = async () => await Promise.resolve(WRONG_KEY),
): Promise<readonly Row[]> {
  const clock = new FakeClock();
  const requests = new Requests({
    call,
    pacer: new Pacer(clock),
    limits: { requestsPerMinute: 60, maxWait: 0, interval: 0 },
    signal: undefined,
    clock,
  });
  const dispatch = new Dispatch({
    operation: SEND_BULK,
    requests,
    journal: new Journal(new DeliveryRecord({}, 0)),
    reservations: null,
    outages: { uncertainInARow: null, note: () => undefined },
    keepBack: null,
    parallelRequests: 1,
    stopOnFailure: false,
    onSettled: () => undefined,
    pause: noPause,
    ...changed,
  });
  const rows = rowsUpTo(5);
  await dispatch.sendAll(pack(rows, 1));
  return rows;
}

test('A run pauses after each batch, also after those that it no longer sends because it has ended', async () => {
  const pause = jest.fn(noPause);
  await sendFive({ pause });
  expect(pause).toHaveBeenCalledTimes(5);
});

test('The journal ends a run by refusing a batch, and all that is left is uncertain if another attempt may be sending it', async () => {
  const why = failure('anotherAttempt');
  const beforeRequest = jest.fn(async () => await Promise.resolve(why));
  const rows = await sendFive({ journal: Object.assign(new Journal(new DeliveryRecord({}, 0)), { beforeRequest }) });
  expect(rows.map(({ outcome }) => outcome)).toEqual(rows.map(() => ({ kind: 'uncertain', failure: why })));
  expect(beforeRequest).toHaveBeenCalledTimes(1);
});

test('What is called off before it leaves is not reserved while the service is asked whether it works', async () => {
  const events: string[] = [];
  const replies: Reply[] = [
    { kind: 'accepted', data: { messages: [{ status: 'sent' }] } },
    { kind: 'uncertain', failure: failureWith() },
  ];
  const call: Call = async ({ body }) => {
    events.push(body === undefined ? 'asked' : 'left');
    return await Promise.resolve(replies.shift() ?? WRONG_KEY);
  };
  let lose: () => void = () => undefined;
  const lost = new Promise<void>((resolve) => (lose = resolve));
  const journal = Object.assign(new Journal(new DeliveryRecord({}, 0)), {
    // The third waits for n8n's database until the second has lost its answer.
    beforeRequest: async ([row]: readonly Row[]) => {
      if (row?.item === 2) await lost;
      return 'leave' as const;
    },
    note: ([row]: readonly Row[]) => {
      if (row?.item === 1) lose();
    },
  });
  const giveUp = ([row]: readonly Row[]) => void events.push(`free ${row?.item}`);
  const reservations = { giveUp } as unknown as Reservations;
  await sendFive({ journal, reservations, parallelRequests: 2 }, call);
  expect(events).toEqual(['left', 'left', 'free 2', 'asked', 'left']);
});

test('A message gets its outcome once: a second one is a defect of this package', () => {
  const row = rowAt(0);
  settle(row, SENT);
  for (const outcome of [SENT, { kind: 'uncertain', failure: failureWith() }] as const)
    expect(() => settle(row, outcome)).toThrow('settled twice: sent, then');
  expect(row.outcome).toBe(SENT);
});

const KEEP_BACK: KeepBack = () => ({ kind: 'skipped', reason: 'opted_out' });
const CHOICE = { isOnce: true, keepBack: KEEP_BACK, pause: noPause };

// Another account's messages are remembered apart, so the second one of a person would leave from there.
test.each<[string, Outcome]>([
  ['an earlier attempt has sent', SENT],
  ['another execution has sent, as a Retry finds', { kind: 'skipped', reason: 'sent_before' }],
])('A duplicate of what %s is one, even if its recipient is kept back now', async (_what, outcome) => {
  const twice = () => [0, 1].map((index) => rowAt(index, { phone: '447700900123', text: 'A' })) as [Row, Row];
  const [rows, others] = [twice(), twice()];
  markSeveral(rows);
  markSeveral(others);
  settle(rows[1], outcome);
  expect(await select(rows, CHOICE)).toEqual([rows[0]]);
  expect(rows.map(({ duplicateOf }) => duplicateOf?.item)).toEqual([1, undefined]);
  expect(await select(others, CHOICE)).toHaveLength(2);
});
