import type { ApiRequest, Reply } from '../../nodes/MessagingSend/api/reply';
import { dispatch } from '../../nodes/MessagingSend/delivery/dispatch';
import { pack, repeatedPhones } from '../../nodes/MessagingSend/delivery/plan';
import type { Permission } from '../../nodes/MessagingSend/journal/journal';
import type { Message } from '../../nodes/MessagingSend/messages/message';
import { seededRandom } from '../../tools/random';
import { phoneAt } from '../support/contacts';
import {
  byIndex,
  byIndexFrom1,
  byNumber,
  carried,
  type Changes,
  creditsFor,
  firstOnly,
  journalWith,
  OPERATION,
  refusing,
  Run,
  type Service,
  upTo,
  withoutNames,
} from './dispatchRun';
import { acceptAll, complete, failureWith, messageAt, messagesUpTo, refuseValues, rejectWith } from './samples';

describe('A run without failures', () => {
  test('sends all batches in order, and each message once', async () => {
    const run = await new Run(acceptAll).send(messagesUpTo(250));
    expect(run.requests).toEqual([upTo(100), upTo(200).slice(100), upTo(250).slice(200)]);
    expect(run.items('sent')).toEqual(upTo(250));
    expect(run.receipts.map(({ batch, data }) => [batch, data?.messages_sent])).toEqual([
      [1, 100],
      [2, 100],
      [3, 50],
    ]);
  });

  test('makes no request without messages', async () => {
    expect(await new Run(acceptAll).send([])).toMatchObject({ requests: [], receipts: [] });
  });

  test('continues after a message that the answer does not list, which is uncertain', async () => {
    const run = await new Run((messages) => acceptAll(messages.filter(({ item }) => item !== 1))).send(
      messagesUpTo(4),
      2,
    );
    expect(run.items('sent')).toEqual([0, 2, 3]);
    expect(run.items('uncertain')).toEqual([1]);
  });
});

describe('The interval', () => {
  test('is the time between the starts of two requests', async () => {
    const run = await new Run(acceptAll, { interval: 1000, duration: 300 }).send(messagesUpTo(3), 1);
    expect(run.startTimes).toEqual([1_000_000, 1_001_000, 1_002_000]);
  });

  test('adds no wait after a request that takes longer', async () => {
    const run = await new Run(acceptAll, { interval: 1000, duration: 1500 }).send(messagesUpTo(3), 1);
    expect(run.startTimes).toEqual([1_000_000, 1_001_500, 1_003_000]);
  });

  test('applies to the requests after a refusal, too', async () => {
    const run = await new Run(refusing([1], withoutNames), { interval: 1000 }).send(messagesUpTo(4));
    expect(run.startTimes).toEqual(run.startTimes.map((_, request) => 1_000_000 + request * 1000));
  });

  test('ends when the run is stopped, and the remaining messages are not sent', async () => {
    const run = await new Run(acceptAll, {
      interval: 1000,
      wait: async () => await Promise.reject(new Error('Stopped')),
    }).send(messagesUpTo(3), 1);
    expect(run.requests).toEqual([[0]]);
    expect(run.items('sent')).toEqual([0]);
    expect(run.items('not_sent')).toEqual([1, 2]);
  });
});

describe('A failure of the whole run', () => {
  test.each([
    ['INVALID_API_KEY', 401],
    ['INSUFFICIENT_CREDITS', 402],
  ] as const)('with the code %s ends the run, and the remaining messages are not sent', async (code, httpStatus) => {
    const run = await new Run((messages, request) =>
      request === 2 ? rejectWith({ code, httpStatus, scope: 'run' }) : acceptAll(messages),
    ).send(messagesUpTo(8), 2);
    expect(run.requests).toEqual([
      [0, 1],
      [2, 3],
    ]);
    expect(run.items('sent')).toEqual([0, 1]);
    expect(run.items('not_sent')).toEqual([2, 3, 4, 5, 6, 7]);
    expect(run.failureOf(7)).toBe(`${code}: It failed`);
    expect(run.receipts.map(({ batch }) => batch)).toEqual([1, 2, 3, 4]);
  });

  test('ends the run while it looks for the refused messages', async () => {
    const run = await new Run((_messages, request) =>
      request === 1 ? refuseValues('x') : rejectWith({ code: 'INVALID_API_KEY', scope: 'run' }),
    ).send(messagesUpTo(6), 4);
    expect(run.requests).toEqual([
      [0, 1, 2, 3],
      [0, 1],
    ]);
    expect(run.items('not_sent')).toEqual(upTo(6));
  });

  test('leaves messages in flight uncertain, and the remaining ones not sent', async () => {
    const stopped: Reply = { kind: 'uncertain', failure: failureWith({ code: 'STOPPED', scope: 'run' }) };
    const run = await new Run(() => stopped).send(messagesUpTo(4), 2);
    expect(run.requests).toEqual([[0, 1]]);
    expect(run.items('uncertain')).toEqual([0, 1]);
    expect(run.items('not_sent')).toEqual([2, 3]);
  });
});

describe('A failure of one request', () => {
  test('affects only its messages', async () => {
    const notFound = rejectWith({ code: 'NOT_FOUND', httpStatus: 404, scope: 'unclear' });
    const run = await new Run((messages, request) => (request === 1 ? notFound : acceptAll(messages))).send(
      messagesUpTo(4),
      2,
    );
    expect(run.items('not_sent')).toEqual([0, 1]);
    expect(run.items('sent')).toEqual([2, 3]);
  });

  test('leaves its messages uncertain if it may have reached the service, and it is not repeated', async () => {
    const lost: Reply = { kind: 'uncertain', failure: failureWith({ code: 'TIMEOUT' }) };
    const run = await new Run((messages, request) => (request === 1 ? lost : acceptAll(messages))).send(
      messagesUpTo(4),
      2,
    );
    expect(run.requests).toEqual([
      [0, 1],
      [2, 3],
    ]);
    expect(run.items('uncertain')).toEqual([0, 1]);
  });
});

describe('A batch that is refused because of some of its messages', () => {
  test('is sent without them in one more request', async () => {
    const run = await new Run(refusing([3, 50, 99], byIndex)).send(messagesUpTo(120));
    expect(run.requests.map((items) => items.length)).toEqual([100, 97, 20]);
    expect(run.items('not_sent')).toEqual([3, 50, 99]);
    expect(run.items('sent')).toHaveLength(117);
    expect(run.failureOf(50)).toBe('VALIDATION_ERROR: The service rejected the phone number of this message');
  });

  test('is sent without them if they are named by their phone numbers', async () => {
    const run = await new Run(refusing([0, 4], byNumber)).send(messagesUpTo(5));
    expect(run.requests).toEqual([upTo(5), [1, 2, 3]]);
    expect(run.items('not_sent')).toEqual([0, 4]);
  });

  test('is not repeated if all its messages are refused', async () => {
    const run = await new Run(refusing(upTo(3), byIndex)).send(messagesUpTo(3));
    expect(run.requests).toEqual([upTo(3)]);
    expect(run.items('not_sent')).toEqual(upTo(3));
  });

  test('is not repeated if it has only one message', async () => {
    const run = await new Run(refusing([0], withoutNames)).send(messagesUpTo(1));
    expect(run.requests).toEqual([[0]]);
    expect(run.items('not_sent')).toEqual([0]);
  });

  test('is halved if no message is named', async () => {
    const run = await new Run(refusing([5], withoutNames)).send(messagesUpTo(8));
    expect(run.requests).toEqual([upTo(8), [0, 1, 2, 3], [4, 5, 6, 7], [4, 5], [6, 7], [4], [5]]);
    expect(run.items('not_sent')).toEqual([5]);
    expect(run.items('sent')).toEqual([0, 1, 2, 3, 4, 6, 7]);
  });

  test.each<[string, (positions: number[], sent: readonly Message[]) => unknown]>([
    ['count from 1', byIndexFrom1],
    ['name only the first', firstOnly],
    ['name the wrong messages', (positions) => byIndex(positions.map((position) => (position + 2) % 5))],
    ['name no message', withoutNames],
    ['name a message that does not exist', () => byIndex([500])],
    ['are missing', () => undefined],
  ])('loses only the invalid messages if the details %s', async (_how, name) => {
    for (const wrong of [[0], [4], [1, 3], [7], [0, 9], [2, 3, 4]]) {
      const run = await new Run(refusing(wrong, name)).send(messagesUpTo(10));
      expect({ wrong, notSent: run.items('not_sent') }).toEqual({ wrong, notSent: wrong });
      expect(run.items('sent')).toHaveLength(10 - wrong.length);
    }
  });

  test('loses only the invalid messages if the details are a list of general complaints', async () => {
    const general = () => [{ message: 'Too short' }, { message: 'Not a number' }, { message: 'No such number' }];
    const run = await new Run(refusing([0], general)).send(messagesUpTo(10));
    expect(run.items('not_sent')).toEqual([0]);
  });

  test('leaves the others uncertain if the second request may have been sent', async () => {
    const lost: Reply = { kind: 'uncertain', failure: failureWith({ code: 'TIMEOUT' }) };
    const run = await new Run((messages, request) =>
      request === 1 ? refuseValues(byIndex([1])) : request === 2 ? lost : acceptAll(messages),
    ).send(messagesUpTo(4));
    expect(run.requests).toHaveLength(2);
    expect(run.items('not_sent')).toEqual([1]);
    expect(run.items('uncertain')).toEqual([0, 2, 3]);
  });

  test('never takes more than four requests per message', async () => {
    for (const name of [byIndex, byIndexFrom1, firstOnly, withoutNames]) {
      for (const wrong of [upTo(100), upTo(100).filter((item) => item % 2 === 0), [99]]) {
        const run = await new Run(refusing(wrong, name)).send(messagesUpTo(100));
        expect(run.items('not_sent')).toEqual(wrong);
        expect(run.requests.length).toBeLessThanOrEqual(400);
      }
    }
  });
});

describe('A run with On Error set to Stop', () => {
  test.each<[string, Reply, 'not_sent' | 'uncertain']>([
    ['is refused', rejectWith({ code: 'HTTP_400' }), 'not_sent'],
    ['is refused for a value', refuseValues(byIndex([1])), 'not_sent'],
    ['is refused for a value that is not named', refuseValues('x'), 'not_sent'],
    ['may have been sent', { kind: 'uncertain', failure: failureWith() }, 'uncertain'],
  ])('starts no request after one that %s', async (_what, reply, kind) => {
    const run = await new Run((messages, request) => (request === 2 ? reply : acceptAll(messages)), {
      stopOnFailure: true,
    }).send(messagesUpTo(8), 2);
    expect(run.requests).toEqual([
      [0, 1],
      [2, 3],
    ]);
    expect(run.items('sent')).toEqual([0, 1]);
    expect(run.items(kind)).toEqual(expect.arrayContaining([2, 3]));
    expect(run.items('not_sent')).toEqual(expect.arrayContaining([4, 5, 6, 7]));
  });

  test('starts no request after a message that the service did not send', async () => {
    const service: Service = (messages) => ({
      kind: 'accepted',
      data: {
        messages: messages.map(({ item, phone }) => ({
          message_id: item,
          phone,
          status: item === 1 ? 'failed' : 'sent',
        })),
      },
    });
    const run = await new Run(service, { stopOnFailure: true }).send(messagesUpTo(6), 2);
    expect(run.requests).toEqual([[0, 1]]);
    expect(run.items('sent')).toEqual([0]);
    expect(run.items('not_sent')).toEqual([1, 2, 3, 4, 5]);
  });

  test('continues while nothing fails', async () => {
    const run = await new Run(acceptAll, { stopOnFailure: true }).send(messagesUpTo(6), 2);
    expect(run.items('sent')).toEqual(upTo(6));
  });
});

describe('A run without enough credits', () => {
  /** A service with this many credits. */
  function withCredits(credits: number): Service {
    let left = credits;
    return (messages) => {
      if (messages.length > left) return creditsFor(left, messages.length);
      left -= messages.length;
      return acceptAll(messages);
    };
  }

  test('sends the first messages, as many as the credits pay for, if the user wants it so', async () => {
    const run = await new Run(withCredits(5), { whenCreditsRunOut: 'sendWhatCreditsAllow' }).send(messagesUpTo(12), 4);
    expect(run.requests).toEqual([[0, 1, 2, 3], [4, 5, 6, 7], [4]]);
    expect(run.items('sent')).toEqual(upTo(5));
    expect(run.items('not_sent')).toEqual(upTo(12).slice(5));
  });

  test('sends them while no request has been accepted yet, and no other request leaves', async () => {
    const changes: Changes = { whenCreditsRunOut: 'sendWhatCreditsAllow', parallelRequests: 4 };
    const run = await new Run(withCredits(2), changes).send(messagesUpTo(12), 4);
    expect(run.requests).toEqual([
      [0, 1, 2, 3],
      [0, 1],
    ]);
    expect(run.items('sent')).toEqual([0, 1]);
    expect(run.items('not_sent')).toEqual(upTo(12).slice(2));
    expect(run.failureOf(11)).toMatch(/^INSUFFICIENT_CREDITS/);
  });

  test('sends them after an outage, with the first request alone', async () => {
    const changes: Changes = { whenCreditsRunOut: 'sendWhatCreditsAllow', parallelRequests: 4 };
    const limited = withCredits(2);
    const service: Service = (messages, request) =>
      request === 1 ? { kind: 'uncertain', failure: failureWith() } : limited(messages, request);
    const run = await new Run(service, changes).send(messagesUpTo(12), 4);
    expect(run.requests.map((items) => items.length)).toEqual([4, 4, 2]);
    expect(run.requests[2]).toEqual(run.requests[1]?.slice(0, 2));
    expect(run.balances).toBe(1);
    expect(run.items('sent')).toEqual(run.requests[2]);
  });

  test('starts no other request while it sends them', async () => {
    const changes: Changes = { whenCreditsRunOut: 'sendWhatCreditsAllow', parallelRequests: 2 };
    const service: Service = (messages, request) => (request === 2 ? creditsFor(2, 4) : acceptAll(messages));
    const run = await new Run(service, changes).send(messagesUpTo(20), 4);
    expect(run.requests).toEqual([
      [0, 1, 2, 3],
      [4, 5, 6, 7],
      [8, 9, 10, 11],
      [4, 5],
    ]);
    expect(run.items('not_sent')).toEqual([6, 7, 12, 13, 14, 15, 16, 17, 18, 19]);
  });

  test('sends nothing of the batch by default or with On Error set to Stop', async () => {
    for (const changes of [{}, { whenCreditsRunOut: 'sendWhatCreditsAllow', stopOnFailure: true }] as const) {
      const run = await new Run(withCredits(5), changes).send(messagesUpTo(12), 4);
      expect(run.requests).toEqual([
        [0, 1, 2, 3],
        [4, 5, 6, 7],
      ]);
      expect(run.items('sent')).toEqual(upTo(4));
    }
  });
});

describe('Parallel requests', () => {
  /** A run in which each request waits until the test answers it. */
  function byHand(messages: readonly Message[], size: number, parallelRequests: number) {
    const open: Array<{ items: number[]; answer: (reply?: Reply) => Promise<void> }> = [];
    const make = async (request: ApiRequest) =>
      await new Promise<Reply>((resolve) => {
        const sent = carried(request);
        const waiting = {
          items: sent.map(({ item }) => item),
          answer: async (reply?: Reply) => {
            open.splice(open.indexOf(waiting), 1);
            resolve(reply ?? acceptAll(sent));
            await new Promise((next) => setImmediate(next));
          },
        };
        open.push(waiting);
      });
    const probe = async () => await Promise.resolve(null);
    const done = dispatch(complete(pack(messages, size)), {
      operation: OPERATION,
      requests: {
        make,
        probe,
        halt: () => undefined,
        wait: async () => await Promise.resolve(),
        maxConcurrent: () => parallelRequests,
      },
      journal: journalWith(),
      outages: { uncertainInARow: null, note: () => undefined },
      repeated: complete(repeatedPhones(messages)),
      uncertainBefore: 0,
      wholeAnswers: true,
      stopOnFailure: false,
      whenCreditsRunOut: 'stop',
      onSettled: () => undefined,
    });
    return { open, done, started: () => open.map(({ items }) => items) };
  }

  const begin = async () => await new Promise((next) => setImmediate(next));

  test('start in order once the first one is answered, and never more than the user allows', async () => {
    const { open, done, started } = byHand(messagesUpTo(10), 2, 2);
    await begin();
    expect(started()).toEqual([[0, 1]]);
    await open[0]?.answer();
    expect(started()).toEqual([
      [2, 3],
      [4, 5],
    ]);
    await open[1]?.answer();
    expect(started()).toEqual([
      [2, 3],
      [6, 7],
    ]);
    await open[0]?.answer();
    expect(started()).toEqual([
      [6, 7],
      [8, 9],
    ]);
    while (open.length > 0) await open[0]?.answer();
    expect((await done).map(({ batch }) => batch)).toEqual([1, 3, 2, 4, 5]);
  });

  test('never contain messages to the same phone number', async () => {
    const messages = [messageAt(0), messageAt(1), messageAt(2), messageAt(3, { phone: phoneAt(1) }), messageAt(4)];
    const { open, done, started } = byHand(messages, 1, 4);
    await begin();
    await open[0]?.answer();
    expect(started()).toEqual([[1], [2], [4]]);
    await open[1]?.answer();
    expect(started()).toEqual([[1], [4]]);
    await open[0]?.answer();
    expect(started()).toEqual([[4], [3]]);
    while (open.length > 0) await open[0]?.answer();
    expect((await done).flatMap(({ results }) => results)).toHaveLength(5);
  });

  test('wait for all earlier ones to the same phone number', async () => {
    const messages = messagesUpTo(6).map((message) =>
      message.item % 4 === 0 ? message : { ...message, phone: phoneAt(1) },
    );
    const { open, done, started } = byHand(messages, 1, 3);
    await begin();
    await open[0]?.answer();
    expect(started()).toEqual([[1]]);
    await open[0]?.answer();
    expect(started()).toEqual([[2], [4]]);
    await open[1]?.answer();
    // The first one to this number is done, and the second one is in flight: the others wait.
    expect(started()).toEqual([[2]]);
    while (open.length > 0) await open[0]?.answer();
    expect((await done).map(({ batch }) => batch)).toEqual([1, 2, 5, 3, 4, 6]);
  });

  test('do not start if the first one is refused because of the key', async () => {
    const { open, done, started } = byHand(messagesUpTo(5), 1, 4);
    await begin();
    await open[0]?.answer(rejectWith({ code: 'INVALID_API_KEY', scope: 'run' }));
    expect(started()).toEqual([]);
    expect((await done).flatMap(({ results }) => results.map(({ outcome }) => outcome.kind))).toEqual(
      Array(5).fill('not_sent'),
    );
  });

  test('end after a failure of the whole run, and those in flight keep their own outcomes', async () => {
    const { open, done, started } = byHand(messagesUpTo(6), 1, 2);
    await begin();
    await open[0]?.answer();
    await open[0]?.answer(rejectWith({ code: 'INVALID_API_KEY', scope: 'run' }));
    expect(started()).toEqual([[2]]);
    await open[0]?.answer();
    const receipts = await done;
    expect(
      receipts.flatMap(({ results }) => results.map(({ message, outcome }) => [message.item, outcome.kind])).sort(),
    ).toEqual([
      [0, 'sent'],
      [1, 'not_sent'],
      [2, 'sent'],
      [3, 'not_sent'],
      [4, 'not_sent'],
      [5, 'not_sent'],
    ]);
  });
});

describe('A run with a service that behaves randomly', () => {
  test('has every message in exactly one receipt, and sends none twice', async () => {
    const seed = Date.now();
    const random = seededRandom(seed);
    for (let round = 0; round < 300; round++) {
      const count = Math.floor(random() * 60);
      const messages = upTo(count).map((index) => messageAt(index, { phone: phoneAt(Math.floor(random() * 40)) }));
      const accepted: number[] = [];
      const unanswered: number[] = [];
      const service: Service = (sent) => {
        const items = sent.map(({ item }) => item);
        const dice = random();
        if (dice < 0.5) {
          accepted.push(...items);
          const listed = sent.filter(() => random() > 0.1);
          return acceptAll(listed);
        }
        if (dice < 0.6) return refuseValues(undefined);
        if (dice < 0.75) return refuseValues(byIndex(upTo(sent.length + 2).filter(() => random() > 0.7)));
        if (dice < 0.8) return refuseValues(sent.slice(0, 2).map(({ phone }) => `${phone} is wrong`));
        if (dice < 0.85) return rejectWith({});
        if (dice < 0.86) return rejectWith({ scope: 'run' });
        if (dice < 0.87) return creditsFor(Math.floor(random() * sent.length), sent.length);
        if (dice < 0.9) return { kind: 'accepted', data: {} };
        unanswered.push(...items);
        return { kind: 'uncertain', failure: failureWith() };
      };
      const control: Changes = {
        interval: random() > 0.5 ? 10 : 0,
        stopOnFailure: random() > 0.8,
        parallelRequests: 1 + Math.floor(random() * 5),
        whenCreditsRunOut: random() > 0.5 ? 'stop' : 'sendWhatCreditsAllow',
      };
      const run = await new Run(service, control).send(messages, 1 + Math.floor(random() * 20));

      const reported = run.receipts
        .flatMap(({ results }) => results.map(({ message }) => message.item))
        .sort((a, b) => a - b);
      const problems = [
        JSON.stringify(reported) === JSON.stringify(upTo(count)) || 'a message is lost or reported twice',
        (run.settled.length === run.receipts.length &&
          run.settled.every((receipt) => run.receipts.includes(receipt))) ||
          'a receipt was not settled, or twice',
        new Set([...accepted, ...unanswered]).size === accepted.length + unanswered.length ||
          'a message was sent twice',
        run.items('sent').every((item) => accepted.includes(item)) || 'reported sent, and was not',
        run.items('not_sent').every((item) => !accepted.includes(item) && !unanswered.includes(item)) ||
          'reported not sent, and may have been',
      ].filter((problem) => problem !== true);
      expect({ seed, round, problems }).toEqual({ seed, round, problems: [] });
    }
  });
});

test('A run that has ended pauses between the batches that it no longer sends', async () => {
  let pauses = 0;
  const pause = async () => {
    pauses += 1;
    await Promise.resolve();
  };
  const run = await new Run(() => rejectWith({ scope: 'run' }), { pause }).send(messagesUpTo(5), 1);
  expect(run.items('not_sent')).toEqual([0, 1, 2, 3, 4]);
  expect(pauses).toBe(4);
});

test('A run whose messages another attempt is sending ends, and all of them are uncertain', async () => {
  const why = failureWith({ scope: 'run', sendAgain: 'checkFirst' });
  let asked = 0;
  const beforeRequest = async (): Promise<Permission> => {
    asked += 1;
    return await Promise.resolve(asked === 1 ? { kind: 'leave' } : { kind: 'refused', failure: why });
  };
  const run = await new Run(acceptAll, { journal: { beforeRequest } }).send(messagesUpTo(6), 2);
  expect(run.requests).toEqual([[0, 1]]);
  expect(run.items('sent')).toEqual([0, 1]);
  expect(run.items('uncertain')).toEqual([2, 3, 4, 5]);
  expect(asked).toBe(2);
});
