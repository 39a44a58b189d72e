/** What a run does when the journal does not let a request leave. */
import { failure } from '../../nodes/MessagingSend/failures/failure';
import type { AccountJournal, Permission } from '../../nodes/MessagingSend/journal/journal';
import type { Batch, Message } from '../../nodes/MessagingSend/messages/message';
import { byIndexFrom1, type Changes, refusing, Run, send, withoutNames } from './dispatchRun';
import { acceptAll, messagesUpTo, rejectWith, upTo } from './samples';

const LEAVE: Permission = { kind: 'leave' };
const WRONG_KEY = rejectWith({ code: 'INVALID_API_KEY', httpStatus: 401, scope: 'run' });

/** A journal that answers in this way, and logs what it is asked and told. */
function journal(permit: (items: number[], messages: readonly Message[]) => Permission | Promise<Permission>): {
  journal: Partial<AccountJournal>;
  log: string[];
} {
  const log: string[] = [];
  const itemsOf = ({ messages }: Batch) => messages.map(({ item }) => item);
  return {
    log,
    journal: {
      beforeRequest: async (batch) => {
        const permission = await permit(itemsOf(batch), batch.messages);
        log.push(`${permission.kind} ${itemsOf(batch).join()}`);
        return permission;
      },
      afterReply: (batch, reply) => void log.push(`${reply?.kind ?? 'not made'} ${itemsOf(batch).join()}`),
    },
  };
}

/** Another execution has sent the messages with these items. */
const taking =
  (...items: number[]) =>
  (_asked: number[], messages: readonly Message[]): Permission => {
    const taken = messages.filter(({ item }) => items.includes(item));
    if (taken.length === 0) return LEAVE;
    const results = taken.map((message) => ({ message, outcome: { kind: 'skipped', reason: 'sent_before' } as const }));
    return { kind: 'taken', receipt: { batch: null, results, data: null } };
  };

const itemsOfReceipts = (run: Run) =>
  run.receipts.flatMap(({ results }) => results.map(({ message }) => message.item)).sort((a, b) => a - b);

describe('Messages that another execution has taken', () => {
  test('are left out of their request, and counted as done', async () => {
    const { journal: own, log } = journal(taking(1));
    const done: number[] = [];
    const onSettled: Changes['onSettled'] = (messages) => done.push(messages);
    const run = await send(5, 3, acceptAll, { journal: own, onSettled });
    expect(log).toEqual(['taken 0,1,2', 'leave 0,2', 'accepted 0,2', 'leave 3,4', 'accepted 3,4']);
    expect(itemsOfReceipts(run)).toEqual(upTo(5));
    expect(done).toEqual([1, 2, 2]);
  });

  test('are not settled again: the journal knows their outcome', async () => {
    const run = await send(2, 100, acceptAll, { journal: journal(taking(0, 1)).journal });
    expect(run.requests).toEqual([]);
    expect([run.settled, run.receipts.length]).toEqual([[], 1]);
  });

  test.each([
    ['named wrongly', byIndexFrom1],
    ['not named', withoutNames],
  ])('while a batch is searched for its offender, which is %s, have one outcome', async (_how, name) => {
    let asked = 0;
    const { journal: own } = journal((...batch) => ((asked += 1) === 1 ? LEAVE : taking(1, 4)(...batch)));
    const run = await send(6, 100, refusing([2], name), { journal: own });
    expect(itemsOfReceipts(run)).toEqual(upTo(6));
    expect([run.items('not_sent'), run.items('sent')]).toEqual([[2], [0, 3, 5]]);
  });
});

describe('A batch that the journal refuses', () => {
  test.each([
    ['not sent, if that is certain', failure('notReserved'), { not_sent: '2-5' }],
    ['uncertain, if another attempt may be sending it', failure('anotherAttempt'), { uncertain: '2-5' }],
  ])('ends the run, and is %s', async (_what, reason, outcome) => {
    const refused: Permission = { kind: 'refused', failure: reason };
    const { journal: own, log } = journal((items) => (items.includes(2) ? refused : LEAVE));
    const run = await send(6, 2, acceptAll, { journal: own });
    expect(run.report).toEqual({ requests: '0-1', sent: '0-1', ...outcome });
    expect(run.failureOf(2)).toContain(reason.code);
    // A batch that may not leave has no reply.
    expect(log).toEqual(['leave 0,1', 'accepted 0,1', 'refused 2,3']);
  });

  test('is not searched for offenders, whatever the reason', async () => {
    const refused: Permission = { kind: 'refused', failure: failure('valueInvalid') };
    const { journal: own, log } = journal((items) => (items.includes(0) ? refused : LEAVE));
    const run = await send(8, 4, acceptAll, { journal: own });
    expect(log).toEqual(['refused 0,1,2,3', 'leave 4,5,6,7', 'accepted 4,5,6,7']);
    expect(run.report).toEqual({ requests: '4-7', sent: '4-7', not_sent: '0-3' });
  });
});

describe('A batch that waits for another run of this process', () => {
  /** The journal lets item 0 wait until `finish` is called, and then leave. */
  function waiting() {
    let end: () => void = () => undefined;
    const until = new Promise<void>((resolve) => (end = resolve));
    let isOver = false;
    const { journal: own, log } = journal((items) => (items.includes(0) && !isOver ? { kind: 'wait', until } : LEAVE));
    const finish = (): void => {
      isOver = true;
      end();
    };
    return { own, log, finish };
  }
  const turn = async () => await new Promise((resolve) => setTimeout(resolve, 20));

  test('is asked for again, and lets others use its slot and its turn at the breaker', async () => {
    const { own, log, finish } = waiting();
    // The run begins with one request at a time, and there is one slot.
    const run = new Run(acceptAll, { journal: own, parallelRequests: 2, requestsPerMinute: 1 });
    const sent = run.send(messagesUpTo(2), 1);
    await turn();
    expect(run.requests).toEqual([[1]]);
    finish();
    await sent;
    expect(log).toEqual(['wait 0', 'leave 1', 'accepted 1', 'leave 0', 'accepted 0']);
    expect(run.items('sent')).toEqual([0, 1]);
  });

  test('is not sent if the run ends first', async () => {
    const { own, log } = waiting();
    const run = await send(2, 1, () => WRONG_KEY, { journal: own, parallelRequests: 2 });
    expect(log).toEqual(['wait 0', 'leave 1', 'rejected 1']);
    expect(run.items('not_sent')).toEqual([0, 1]);
    expect(run.failureOf(0)).toMatch(/^INVALID_API_KEY/);
  });

  test('is not sent if the user stops the run', async () => {
    const { own, log } = waiting();
    const stop = new AbortController();
    const run = new Run(acceptAll, { journal: own, signal: stop.signal });
    const sent = run.send(messagesUpTo(1));
    await turn();
    stop.abort();
    await sent;
    expect(log).toEqual(['wait 0']);
    expect(run.failureOf(0)).toMatch(/^STOPPED/);
  });
});
