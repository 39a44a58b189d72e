/** How many messages an outage of the service makes uncertain. */
import type { Reply } from '../../nodes/MessagingSend/api/reply';
import { type Changes, Run, type Service, upTo } from './dispatchRun';
import { acceptAll, failureWith, messagesUpTo, rejectWith } from './samples';

const LOST: Reply = {
  kind: 'uncertain',
  failure: failureWith({ code: 'SERVER_ERROR', httpStatus: 503, message: 'It is out of order' }),
};
const PAGE: Reply = rejectWith({ code: 'FORBIDDEN', httpStatus: 403 }, {}, { fromService: false });
const REFUSED = rejectWith({ code: 'INVALID_API_KEY', httpStatus: 401, scope: 'run' });
const MINUTE = 60_000;

/** Requests of this number and from then on are lost. */
const lostFrom =
  (first: number): Service =>
  (messages, request) =>
    request < first ? acceptAll(messages) : LOST;
/** The requests with these numbers are lost. */
const losing =
  (...numbers: number[]): Service =>
  (messages, request) =>
    numbers.includes(request) ? LOST : acceptAll(messages);

describe('After an uncertain reply', () => {
  test('the balance is read before another message is risked, and the run goes on once it is reported', async () => {
    const run = await new Run(losing(2)).send(messagesUpTo(8), 2);
    expect(run.balances).toBe(1);
    expect(run.items('uncertain')).toEqual([2, 3]);
    expect(run.items('sent')).toEqual([0, 1, 4, 5, 6, 7]);
  });

  test.each<[string, Reply]>([
    ['is lost as well', LOST],
    ['is a page', PAGE],
  ])('nothing more is sent if the answer to the balance %s', async (_what, answer) => {
    const run = await new Run(lostFrom(1), { balance: () => answer }).send(messagesUpTo(8), 2);
    expect(run.requests).toEqual([[0, 1]]);
    expect(run.items('uncertain')).toEqual([0, 1]);
    expect(run.items('not_sent')).toEqual([2, 3, 4, 5, 6, 7]);
    expect(run.failureOf(7)).toBe('SERVICE_DOWN: Not sent, because the service is down');
  });

  test('a refusal in the envelope of the API shows that the service works', async () => {
    const run = await new Run(losing(1), { balance: () => REFUSED }).send(messagesUpTo(4), 2);
    expect(run.items('sent')).toEqual([2, 3]);
  });

  test('the balance is read again with growing waits, as long as Max Wait allows', async () => {
    const works = (request: number) => (request > 4 ? acceptAll([]) : LOST);
    const patient = await new Run(losing(1), { balance: works, maxWait: MINUTE }).send(messagesUpTo(4), 2);
    expect(patient.balances).toBe(5);
    expect(patient.items('sent')).toEqual([2, 3]);
    // 1, 2, 4 and 8 seconds.
    expect(patient.startTimes[1]).toBe((patient.startTimes[0] ?? 0) + 15_000);
    const hasty = await new Run(losing(1), { balance: works, maxWait: 14_999 }).send(messagesUpTo(4), 2);
    expect(hasty.items('not_sent')).toEqual([2, 3]);
  });

  test('three in a row end the run, even if the balance is reported', async () => {
    const run = await new Run(lostFrom(1)).send(messagesUpTo(20), 2);
    expect(run.requests).toHaveLength(3);
    expect(run.items('uncertain')).toEqual(upTo(6));
    expect(run.items('not_sent')).toEqual(upTo(20).slice(6));
    expect(run.failureOf(19)).toMatch(/^SERVICE_DOWN/);
  });

  test('a message that was sent starts the count again', async () => {
    const run = await new Run(losing(1, 2, 4, 5, 7, 8)).send(messagesUpTo(20), 2);
    expect(run.requests).toHaveLength(10);
    expect(run.items('not_sent')).toEqual([]);
  });

  test('a refused message does not start the count again, because it risked nothing', async () => {
    const service: Service = (_messages, request) => (request % 2 === 1 ? LOST : rejectWith({}));
    const run = await new Run(service).send(messagesUpTo(20), 1);
    expect(run.items('uncertain')).toHaveLength(3);
  });

  test('nothing is read if nothing is left to send', async () => {
    const run = await new Run(lostFrom(2)).send(messagesUpTo(4), 2);
    expect(run.balances).toBe(0);
  });

  test('a run with On Error set to Stop ends without reading the balance', async () => {
    const run = await new Run(lostFrom(1), { stopOnFailure: true }).send(messagesUpTo(8), 2);
    expect(run.requests).toHaveLength(1);
    expect(run.balances).toBe(0);
    expect(run.outages).toEqual([1]);
  });
});

describe('An outage in the middle of a campaign', () => {
  const PARALLEL = { parallelRequests: 5, duration: 10 };

  test('makes only what was in flight uncertain', async () => {
    const run = await new Run(lostFrom(3), { ...PARALLEL, balance: () => LOST }).send(messagesUpTo(60), 2);
    expect(run.requests.length).toBeLessThanOrEqual(2 + 5);
    expect(run.items('uncertain')).toHaveLength((run.requests.length - 2) * 2);
    expect(run.items('not_sent')).toHaveLength(60 - run.requests.length * 2);
  });

  test('counts what was in flight at the same time as one uncertain reply, so a short outage ends nothing', async () => {
    const run = await new Run(losing(3, 4, 5, 6, 7), PARALLEL).send(messagesUpTo(60), 2);
    expect(run.items('uncertain')).toHaveLength(10);
    expect(run.items('sent')).toHaveLength(50);
    expect(run.balances).toBe(1);
  });

  test('is followed by one request at a time, until one is accepted', async () => {
    const run = await new Run(losing(3, 4, 5, 6, 7, 8), PARALLEL).send(messagesUpTo(60), 2);
    // Five were in flight; then one was risked alone.
    expect(run.items('uncertain')).toHaveLength(12);
    expect(run.items('sent')).toHaveLength(48);
    expect(run.balances).toBe(2);
  });

  test('tells the messages that were not sent how many are uncertain, those of an earlier attempt as well', async () => {
    const run = await new Run(lostFrom(3), { ...PARALLEL, balance: () => LOST, uncertainBefore: 7 }).send(
      messagesUpTo(60),
      2,
    );
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
    const works = await new Run(acceptAll, after(1)).send(messagesUpTo(4), 2);
    expect([works.balances, works.items('sent').length]).toEqual([1, 4]);
    const down = await new Run(acceptAll, after(1, { balance: () => LOST })).send(messagesUpTo(4), 2);
    expect(down.requests).toEqual([]);
    expect(down.items('not_sent')).toEqual(upTo(4));
  });

  test('continues to count, so that all attempts together risk no more than one', async () => {
    const second = await new Run(lostFrom(1), after(2)).send(messagesUpTo(8), 2);
    expect(second.requests).toHaveLength(1);
    const third = await new Run(lostFrom(1), after(3)).send(messagesUpTo(8), 2);
    expect([third.requests.length, third.balances]).toEqual([0, 0]);
    expect(third.failureOf(0)).toMatch(/^SERVICE_DOWN/);
  });
});
