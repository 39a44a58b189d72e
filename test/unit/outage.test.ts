/** How many messages an outage of the service makes uncertain. */
import type { Reply } from '../../nodes/MessagingSend/api/reply';
import { type Changes, replying, send, type Service } from './dispatchRun';
import { acceptAll, failureWith, rejectWith } from './samples';

const LOST: Reply = {
  kind: 'uncertain',
  failure: failureWith({ code: 'SERVER_ERROR', httpStatus: 503, message: 'It is out of order' }),
};
const PAGE: Reply = rejectWith({ code: 'FORBIDDEN', httpStatus: 403 }, {}, { fromService: false });
const REFUSED = rejectWith({ code: 'INVALID_API_KEY', httpStatus: 401, scope: 'run' });

/** Requests of this number and from then on are lost. */
const lostFrom =
  (first: number): Service =>
  (messages, request) =>
    request < first ? acceptAll(messages) : LOST;
/** The requests with these numbers are lost. */
const losing = (...numbers: number[]) => replying(Object.fromEntries(numbers.map((number) => [number, LOST])));

describe('After an uncertain reply', () => {
  test('the balance is read before another message is risked, and the run goes on once it is reported', async () => {
    const run = await send(8, 2, losing(2));
    expect(run.balances).toBe(1);
    expect(run.report).toEqual({ requests: '0-1 | 2-3 | 4-5 | 6-7', sent: '0-1 4-7', uncertain: '2-3' });
  });

  test.each<[string, Reply]>([
    ['is lost as well', LOST],
    ['is a page', PAGE],
  ])('nothing more is sent if the answer to the balance %s', async (_what, answer) => {
    const run = await send(8, 2, lostFrom(1), { balance: () => answer });
    expect(run.report).toEqual({ requests: '0-1', uncertain: '0-1', not_sent: '2-7' });
    expect(run.failureOf(7)).toBe('SERVICE_DOWN: The service is down');
  });

  test('a refusal in the envelope of the API shows that the service works', async () => {
    expect((await send(4, 2, losing(1), { balance: () => REFUSED })).items('sent')).toEqual([2, 3]);
  });

  test('the balance is read again with growing waits, as long as Max Wait allows', async () => {
    const balance = (request: number) => (request > 4 ? acceptAll([]) : LOST);
    const patient = await send(4, 2, losing(1), { balance, maxWait: 60_000 });
    expect(patient.balances).toBe(5);
    expect(patient.items('sent')).toEqual([2, 3]);
    // 1, 2, 4 and 8 seconds.
    expect(patient.startTimes[1]).toBe((patient.startTimes[0] ?? 0) + 15_000);
    const hasty = await send(4, 2, losing(1), { balance, maxWait: 14_999 });
    expect(hasty.items('not_sent')).toEqual([2, 3]);
  });

  test('three in a row end the run, even if the balance is reported', async () => {
    const run = await send(20, 2, lostFrom(1));
    expect(run.report).toEqual({ requests: '0-1 | 2-3 | 4-5', uncertain: '0-5', not_sent: '6-19' });
    expect(run.failureOf(19)).toMatch(/^SERVICE_DOWN/);
  });

  test('a message that was sent starts the count again', async () => {
    const run = await send(20, 2, losing(1, 2, 4, 5, 7, 8));
    expect(run.requests).toHaveLength(10);
    expect(run.items('not_sent')).toEqual([]);
  });

  test('a refused message does not start the count again, because it risked nothing', async () => {
    const run = await send(20, 1, (_messages, request) => (request % 2 === 1 ? LOST : rejectWith({})));
    expect(run.items('uncertain')).toHaveLength(3);
  });

  test('a run with On Error set to Stop ends without reading the balance', async () => {
    const run = await send(8, 2, lostFrom(1), { stopOnFailure: true });
    expect([run.requests.length, run.balances, run.outages]).toEqual([1, 0, [1]]);
  });
});

describe('An outage in the middle of a campaign', () => {
  const PARALLEL = { parallelRequests: 5, duration: 10 };

  test('makes only what was in flight uncertain', async () => {
    const run = await send(60, 2, lostFrom(3), { ...PARALLEL, balance: () => LOST });
    expect(run.requests.length).toBeLessThanOrEqual(2 + 5);
    expect(run.items('uncertain')).toHaveLength((run.requests.length - 2) * 2);
    expect(run.items('not_sent')).toHaveLength(60 - run.requests.length * 2);
  });

  test.each([
    ['counts what was in flight at the same time as one uncertain reply, so a short outage ends nothing', 7, 10, 1],
    // Five were in flight; then one was risked alone.
    ['is followed by one request at a time, until one is accepted', 8, 12, 2],
  ])('%s', async (_what, last, uncertain, balances) => {
    const run = await send(60, 2, losing(...[3, 4, 5, 6, 7, 8].filter((request) => request <= last)), PARALLEL);
    expect(run.items('uncertain')).toHaveLength(uncertain);
    expect(run.items('sent')).toHaveLength(60 - uncertain);
    expect(run.balances).toBe(balances);
  });

  test('tells the messages that were not sent how many are uncertain, those of an earlier attempt as well', async () => {
    const run = await send(60, 2, lostFrom(3), { ...PARALLEL, balance: () => LOST, uncertainBefore: 7 });
    const uncertain = 7 + run.items('uncertain').length;
    expect(run.adviceOf(59)).toBe(
      `It is out of order. ${uncertain} messages of the run are uncertain: they may have been sent. Wait until the service works again. Then use Retry in the executions list; if n8n offers none, start a new execution with only the items that were not sent.`,
    );
  });
});

describe('An attempt after one that ended uncertain', () => {
  const after = (uncertainInARow: number, changes: Changes = {}): Changes => ({
    ...changes,
    outages: { uncertainInARow, note: () => undefined },
  });

  test('reads the balance before it sends anything', async () => {
    const works = await send(4, 2, acceptAll, after(1));
    expect([works.balances, works.items('sent').length]).toEqual([1, 4]);
    const down = await send(4, 2, acceptAll, after(1, { balance: () => LOST }));
    expect(down.report).toEqual({ requests: '', not_sent: '0-3' });
  });

  test('continues to count, so that all attempts together risk no more than one', async () => {
    expect((await send(8, 2, lostFrom(1), after(2))).requests).toHaveLength(1);
    const third = await send(8, 2, lostFrom(1), after(3));
    expect([third.requests.length, third.balances]).toEqual([0, 0]);
    expect(third.failureOf(0)).toMatch(/^SERVICE_DOWN/);
  });
});
