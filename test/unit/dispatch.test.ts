import type { Reply } from '../../nodes/MessagingSend/api/reply';
import { pack } from '../../nodes/MessagingSend/delivery/dispatch';
import { type KeepBack, select } from '../../nodes/MessagingSend/delivery/select';
import { failure } from '../../nodes/MessagingSend/failures/failure';
import type { Permission } from '../../nodes/MessagingSend/journal/journal';
import { type Batch, markSeveral, type Outcome, type Row, settle } from '../../nodes/MessagingSend/messages/row';
import { phoneAt } from '../support/contacts';
import {
  byIndex,
  byIndexFrom1,
  type Changes,
  firstOnly,
  listed,
  refusing,
  replying,
  Run,
  send,
  type Service,
  withoutNames,
} from './dispatchRun';
import { settled } from './fakeClock';
import { acceptAll, failureWith, refuseValues, rejectWith, rowAt, rowsUpTo, SENT, upTo } from './samples';

const LOST: Reply = { kind: 'uncertain', failure: failureWith({ code: 'TIMEOUT' }) };
const WRONG_KEY = rejectWith({ code: 'INVALID_API_KEY', httpStatus: 401, scope: 'run' });

test('A run continues after a message that the answer does not list, which is uncertain', async () => {
  const run = await send(4, 2, (messages) => acceptAll(messages.filter(({ item }) => item !== 1)));
  expect(run.report).toEqual({ requests: '0-1 | 2-3', sent: '0 2-3', uncertain: '1' });
  expect(run.failureOf(1)).toMatch(/^NOT_LISTED/);
});

/** In the order of the input. */
const itemsIn = (batch: Batch) => batch.map(({ item }) => item).sort((a, b) => a - b);

describe('A batch that is rejected because of some of its messages', () => {
  test.each<[string, (positions: number[], sent: Batch) => unknown]>([
    ['count from 1', byIndexFrom1],
    ['name only the first', firstOnly],
    ['name no message', withoutNames],
    ['are missing', () => undefined],
  ])('loses only the invalid messages if the details %s', async (_how, name) => {
    for (const wrong of [[0], [4], [1, 3], [7], [0, 9], [2, 3, 4]]) {
      const run = await send(10, 100, refusing(wrong, name));
      expect({ wrong, notSent: run.items('not_sent') }).toEqual({ wrong, notSent: wrong });
      expect(run.items('sent')).toHaveLength(10 - wrong.length);
    }
  });

  test('leaves the others uncertain if the second request may have been sent', async () => {
    const run = await send(4, 100, replying({ 1: refuseValues(byIndex([1])), 2: LOST }));
    expect(run.report).toEqual({ requests: '0-3 | 0 2-3', not_sent: '1', uncertain: '0 2-3' });
  });

  test('is halved until they are found, in the order of the messages', async () => {
    const run = await send(8, 100, refusing([5], withoutNames));
    const requests = '0-7 | 0-3 | 4-7 | 4-5 | 4 | 5 | 6-7';
    expect(run.report).toEqual({ requests, sent: '0-4 6-7', not_sent: '5' });
  });

  test('has its second half wait for the first if both have messages to one phone', async () => {
    const messages = upTo(4).map((item) => rowAt(item, item === 3 ? { phone: phoneAt(1) } : {}));
    const run = await new Run(refusing([0], withoutNames)).send(messages);
    expect(run.report).toEqual({ requests: '0-3 | 0-1 | 0 | 1 | 2-3', sent: '1-3', not_sent: '0' });
  });
});

describe('A run with On Error set to Stop', () => {
  test.each<[string, Reply, 'not_sent' | 'uncertain']>([
    ['is refused', rejectWith({ code: 'HTTP_400' }), 'not_sent'],
    ['is refused for a value', refuseValues(byIndex([1])), 'not_sent'],
    ['may have been sent', { kind: 'uncertain', failure: failureWith() }, 'uncertain'],
  ])('starts no request after one that %s', async (_what, reply, kind) => {
    const run = await send(8, 2, replying({ 2: reply }), { stopOnFailure: true });
    const failed = kind === 'not_sent' ? { not_sent: '2-7' } : { uncertain: '2-3', not_sent: '4-7' };
    expect(run.report).toEqual({ requests: '0-1 | 2-3', sent: '0-1', ...failed });
    expect([run.balances, run.outages.at(-1)]).toEqual([0, kind === 'uncertain' ? 1 : 0]);
  });

  test('starts no request after a message that the service did not send', async () => {
    const entry = ({ item, phone }: Row) => ({ phone, status: item === 1 ? 'failed' : 'sent' });
    const service: Service = (messages) => ({ kind: 'accepted', data: { messages: messages.map(entry) } });
    const run = await send(6, 2, service, { stopOnFailure: true });
    expect(run.report).toEqual({ requests: '0-1', sent: '0', not_sent: '1-5' });
  });
});

test.each([
  [2, [3], [1]],
  [4, [1, 2, 2, 1], [2, 2]],
  [4, [3, 1, 5, 1], [2, 1, 1]],
])('All parts of a text are in one request: by %i, texts of %j parts make batches of %j', (size, parts, sizes) => {
  const messages = parts.map((count, index) => rowAt(index, { parts: Array<string>(count).fill('Part') }));
  expect(pack(messages, size).map(({ length }) => length)).toEqual(sizes);
});

describe('Parallel requests', () => {
  /** A run in which each request waits until the test answers it. */
  async function byHand(messages: readonly Row[], size: number, parallelRequests: number) {
    const open: Array<{ items: number[]; resolve: (reply?: Reply) => void }> = [];
    const service: Service = async (sent) =>
      await new Promise((resolve) =>
        open.push({ items: sent.map(({ item }) => item), resolve: (reply = acceptAll(sent)) => resolve(reply) }),
      );
    const run = new Run(service, { parallelRequests });
    const done = run.send(messages, size);
    const answer = async (index: number, reply?: Reply) => {
      open.splice(index, 1)[0]?.resolve(reply);
      for (let turn = 0; turn < 4; turn += 1) await settled();
    };
    await settled();
    return {
      answer,
      started: () => open.map(({ items }) => listed(items)).join(' | '),
      end: async () => {
        while (open.length > 0) await answer(0);
        return await done;
      },
    };
  }

  test('start in order once the first one is answered, and never more than the user allows', async () => {
    const { started, answer, end } = await byHand(rowsUpTo(10), 2, 2);
    expect(started()).toBe('0-1');
    await answer(0);
    expect(started()).toBe('2-3 | 4-5');
    await answer(1);
    expect(started()).toBe('2-3 | 6-7');
    await answer(0);
    expect(started()).toBe('6-7 | 8-9');
    expect((await end()).noted.map(([row]) => row?.batch)).toEqual([1, 3, 2, 4, 5]);
  });

  test('never go to the same phone number, and wait for all earlier requests to it', async () => {
    const messages = upTo(6).map((item) => rowAt(item, item % 4 === 0 ? {} : { phone: phoneAt(1) }));
    const { started, answer, end } = await byHand(messages, 1, 3);
    await answer(0);
    expect(started()).toBe('1');
    await answer(0);
    expect(started()).toBe('2 | 4');
    await answer(1);
    // The first batch with this number is done, and the second is in flight: the others wait.
    expect(started()).toBe('2');
    expect((await end()).noted.map(([row]) => row?.batch)).toEqual([1, 2, 5, 3, 4, 6]);
  });

  test('end after a failure of the whole run, and those in flight keep their own outcomes', async () => {
    const { started, answer, end } = await byHand(rowsUpTo(6), 1, 2);
    await answer(0);
    await answer(0, WRONG_KEY);
    expect(started()).toBe('2');
    expect((await end()).report).toEqual({ requests: '0 | 1 | 2', sent: '0 2', not_sent: '1 3-5' });
  });
});

test('A run that has ended pauses between the batches that it no longer sends', async () => {
  let pauses = 0;
  const pause = async () => await Promise.resolve(void (pauses += 1));
  const run = await send(5, 1, () => rejectWith({ scope: 'run' }), { pause });
  expect(run.report).toEqual({ requests: '0', not_sent: '0-4' });
  expect(pauses).toBe(4);
});

/** A journal that answers in this way, and logs its calls. */
function journal(permit: (items: number[], batch: Batch) => Permission) {
  const log: string[] = [];
  const own: Changes['journal'] = {
    beforeRequest: async (batch) => {
      const permission = permit(itemsIn(batch), batch);
      log.push(`${typeof permission === 'string' ? permission : 'refused'} ${itemsIn(batch).join()}`);
      return await Promise.resolve(permission);
    },
    afterReply: (batch, _reservations, reply) => void log.push(`${reply?.kind ?? 'not made'} ${itemsIn(batch).join()}`),
  };
  return { journal: own, log };
}

/** Another execution has sent the messages with these items. */
const taking =
  (...items: number[]) =>
  (_asked: number[], batch: Batch): Permission => {
    const taken = batch.filter(({ item }) => items.includes(item));
    for (const row of taken) settle(row, { kind: 'skipped', reason: 'sent_before' });
    return taken.length === 0 ? 'leave' : 'changed';
  };

describe('Messages that another execution has taken', () => {
  test('are left out of their request, and counted as done', async () => {
    const { journal: own, log } = journal(taking(1));
    const done: number[] = [];
    const onSettled: Changes['onSettled'] = (messages) => done.push(messages);
    const run = await send(5, 3, acceptAll, { journal: own, onSettled });
    expect(log).toEqual(['changed 0,1,2', 'leave 0,2', 'accepted 0,2', 'leave 3,4', 'accepted 3,4']);
    expect([run.items('sent'), run.items('skipped')]).toEqual([[0, 2, 3, 4], [1]]);
    expect(done).toEqual([1, 2, 2]);
  });

  test('are not noted again: the journal knows their outcome', async () => {
    const run = await send(2, 100, acceptAll, { journal: journal(taking(0, 1)).journal });
    expect([run.requests, run.noted, run.items('skipped')]).toEqual([[], [], [0, 1]]);
  });

  test.each([
    ['named wrongly', byIndexFrom1],
    ['not named', withoutNames],
  ])('while a batch is searched for its offender, which is %s, have one outcome', async (_how, name) => {
    let asked = 0;
    const { journal: own } = journal((...batch) => ((asked += 1) === 1 ? 'leave' : taking(1, 4)(...batch)));
    const run = await send(6, 100, refusing([2], name), { journal: own });
    expect([run.items('not_sent'), run.items('sent'), run.items('skipped')]).toEqual([[2], [0, 3, 5], [1, 4]]);
  });
});

test.each([
  ['not sent, if that is certain', failure('notReserved'), { not_sent: '2-5' }],
  ['uncertain, if another attempt may be sending it', failure('anotherAttempt'), { uncertain: '2-5' }],
])('A batch that the journal refuses ends the run, and is %s', async (_what, reason, outcome) => {
  const { journal: own, log } = journal((items) => (items.includes(2) ? reason : 'leave'));
  const run = await send(6, 2, acceptAll, { journal: own });
  expect(run.report).toEqual({ requests: '0-1', sent: '0-1', ...outcome });
  expect(run.failureOf(2)).toContain(reason.code);
  // A batch that may not leave has no reply.
  expect(log).toEqual(['leave 0,1', 'accepted 0,1', 'refused 2,3']);
});

describe('A batch that waits for another run of this process', () => {
  /** The journal lets item 0 wait until another one was accepted, and then leave. */
  function waiting() {
    const { journal: own, log } = journal((items) =>
      items.includes(0) && !log.includes('accepted 1') ? 'wait' : 'leave',
    );
    return { own, once: () => [...new Set(log)] };
  }

  test('is asked for again, and lets others use its slot and its turn at the breaker', async () => {
    const { own, once } = waiting();
    // There is one slot.
    const run = await send(2, 1, acceptAll, { journal: own, parallelRequests: 2, requestsPerMinute: 1 });
    expect(once()).toEqual(['wait 0', 'leave 1', 'accepted 1', 'leave 0', 'accepted 0']);
    expect(run.items('sent')).toEqual([0, 1]);
  });

  test('is not sent if the run ends first', async () => {
    const { own, once } = waiting();
    const run = await send(2, 1, () => WRONG_KEY, { journal: own, parallelRequests: 2 });
    expect(once()).toEqual(['wait 0', 'leave 1', 'rejected 1']);
    expect(run.items('not_sent')).toEqual([0, 1]);
    expect(run.failureOf(0)).toMatch(/^INVALID_API_KEY/);
  });
});

test('A message gets its outcome once: a second one is a defect of this package', () => {
  const row = rowAt(0);
  settle(row, SENT);
  for (const outcome of [SENT, { kind: 'uncertain', failure: failureWith() }] as const)
    expect(() => settle(row, outcome)).toThrow('settled twice: sent, then');
  expect(row.outcome).toBe(SENT);
});

const KEEP_BACK: KeepBack = () => ({ kind: 'skipped', reason: 'opted_out' });

// Another account's messages are remembered apart, so the second one of a person would leave from there.
test.each<[string, Outcome]>([
  ['an earlier attempt has sent', SENT],
  ['another execution has sent, as a Retry finds', { kind: 'skipped', reason: 'sent_before' }],
])('A duplicate of what %s is one, even if its recipient is kept back now', (_what, outcome) => {
  const twice = () => [0, 1].map((index) => rowAt(index, { phone: '447700900123', text: 'A' })) as [Row, Row];
  const [rows, others] = [twice(), twice()];
  markSeveral(rows);
  markSeveral(others);
  settle(rows[1], outcome);
  expect(select(rows, true, KEEP_BACK)).toEqual([rows[0]]);
  expect(rows.map(({ duplicateOf }) => duplicateOf?.item)).toEqual([1, undefined]);
  expect(select(others, true, KEEP_BACK)).toHaveLength(2);
});
