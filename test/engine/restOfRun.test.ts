/** What a reply means for the rest of its run: which messages are still sent, in which requests, and in which order. */
import type { Fault } from '../../sandbox/server';
import { contacts, KEY, phoneAt, phones } from '../support/contacts';
import { nodeForTests } from '../support/engine/nodeForTests';
import type { Execution } from '../support/engine/workflow';
import { detailsOf, outcomeOf, outcomesOf } from '../support/outputs';
import { inBatchesOf, oneByOne, SEND, SEND_BULK, withOptions } from '../support/parameters';
import { accountOf, requestSizes, until } from '../support/sandbox';
import { upTo } from '../unit/samples';

const OTHER = 'made-up-other-key-0123';
const { sandbox, atRequest, run, received, texts, requests } = nodeForTests(
  { onError: 'continueRegularOutput', mode: 'trigger' },
  { keys: [KEY, OTHER] },
);

/** The outcomes in the order of the items, such as "4 sent, 2 uncertain, 2 sent". */
const told = (ran: Execution): string =>
  outcomesOf(ran)
    .join(', ')
    .replace(/(\w+)(, \1\b)*/g, (same: string, outcome: string) => `${same.split(', ').length} ${outcome}`);
/** How many messages each request had; 0 for the balance. */
const sizes = () => requestSizes(sandbox());
const itemsThat = ({ outputs }: Execution, outcome: string) =>
  (outputs[0] ?? []).flatMap((item, index) => (outcomeOf(item) === outcome ? index : []));

const inTwos = oneByOne(inBatchesOf(2, SEND_BULK));
const parallel = (parallelRequests: number, given = SEND_BULK) => withOptions(given, { parallelRequests });
const rejects = (status: number, given: Partial<Fault> = {}) =>
  ({ kind: 'status', status, times: 9999, ...given }) as Fault;
const lost = (after: number, times = 1) => rejects(503, { on: 'bulk', after, times });
const ofBalance = (fault: Fault): Fault => ({ ...fault, on: 'balance', times: 1 });
const DOWN = /"SERVICE_DOWN".* \(HTTP [45]03\)\. Wait until the service works again\./;
const redirect: Fault = { kind: 'redirect', location: 'https://new.example.com/v1', after: 1 };
const PAGE: Fault = { kind: 'html', status: 403 };
const UNNAMED = { details: 'Something is wrong' };

test.each<[what: string, faults: Fault[], outcomes: string, requests: number[], longestWait?: number]>([
  [
    'a message that the answer does not list',
    [{ kind: 'bulk-answer', shape: 'missing', indices: [1] }],
    '1 sent, 1 uncertain, 10 sent',
    [2, 2, 2, 2, 2, 2],
  ],
  ['a lost answer, once the balance is reported', [lost(1)], '2 sent, 2 uncertain, 8 sent', [2, 2, 0, 2, 2, 2, 2, 0]],
  [
    'a lost answer, if the API refuses to report the balance, because it works',
    [lost(0), ofBalance(rejects(401))],
    '2 uncertain, 10 sent',
    [2, 0, 2, 2, 2, 2, 2],
  ],
  [
    'a lost answer, if a page answers for the balance, and then the API, within Max Wait',
    [lost(0), ofBalance(PAGE)],
    '2 uncertain, 10 sent',
    [2, 0, 0, 2, 2, 2, 2, 2],
    1,
  ],
  [
    'two lost answers, and two more after a message was sent',
    [lost(0, 2), lost(3, 2)],
    '4 uncertain, 2 sent, 4 uncertain, 2 sent',
    [2, 0, 2, 0, 2, 2, 0, 2, 0, 2],
  ],
])('A run goes on after %s', async (...[, faults, outcomes, made, longestWait = 0]) => {
  sandbox().setFaults(faults);
  const ran = await run({ items: contacts(12), parameters: withOptions(inTwos, { parallelRequests: 1, longestWait }) });
  expect([told(ran), sizes()]).toEqual([outcomes, made]);
});

test.each<[what: string, faults: Fault[], outcomes: string, requests: number[], why?: RegExp]>([
  ['a lost answer and a lost balance', [rejects(503, { after: 1 })], '2 sent, 2 uncertain, 8 not_sent', [2, 2, 0]],
  ['a lost answer and a page for the balance', [lost(0), ofBalance(PAGE)], '2 uncertain, 10 not_sent', [2, 0]],
  ['three lost answers, despite a balance after each', [lost(0, 9)], '6 uncertain, 6 not_sent', [2, 0, 2, 0, 2]],
  [
    'three lost answers with a rejected request among them, because that risked nothing',
    [lost(0, 2), rejects(403, { on: 'bulk', after: 2, times: 3 }), lost(5)],
    '4 uncertain, 2 not_sent, 2 uncertain, 4 not_sent',
    [2, 0, 2, 0, 2, 1, 1, 2],
  ],
  [
    'three answers that confirm nothing',
    [{ kind: 'bulk-answer', shape: 'missing', indices: [0, 1], times: 9 }],
    '6 uncertain, 6 not_sent',
    [2, 0, 2, 0, 2],
    /"SERVICE_DOWN".*does not mention this message/,
  ],
  ['a wrong address', [rejects(404, { after: 1 })], '2 sent, 10 not_sent', [2, 2], /"NOT_FOUND"/],
  ['a redirect', [redirect], '2 sent, 10 not_sent', [2, 2], /"REDIRECTED"/],
  ['a 429 beyond Max Wait', [rejects(429, { after: 1 })], '2 sent, 10 not_sent', [2, 2], /"RATE_LIMITED"/],
])('A run ends after %s', async (...[, faults, outcomes, made, why = DOWN]) => {
  sandbox().setFaults(faults);
  const ran = await run({ items: contacts(12), parameters: inTwos });
  expect([told(ran), sizes()]).toEqual([outcomes, made]);
  expect(JSON.stringify(detailsOf(ran.outputs[0]?.at(-1)))).toMatch(why);
});

test('After a request has ended the run, later messages say why, not what was wrong with one message of that request', async () => {
  sandbox().setFaults([rejects(402, { after: 1, fields: ['messages.0.phone'] })]);
  const ran = await run({ items: contacts(6), parameters: inTwos });
  const [own, ...others] = (ran.outputs[0] ?? []).slice(2).map(({ json }) => json.error);
  expect(own).toBe('The service rejected this message');
  expect(others).toEqual(Array(3).fill(expect.stringMatching(/^Not enough credits/)));
});

test("A lost answer also holds back requests that wait for 'Batch Interval'", async () => {
  sandbox().setFaults([lost(1)]);
  await run({ items: contacts(5), parameters: withOptions(inBatchesOf(1, SEND_BULK, 400), { parallelRequests: 3 }) });
  expect(sizes().slice(0, 4)).toEqual([1, 1, 0, 1]);
});

test('Tries of Retry On Fail count lost answers on, so that all of them together risk no fourth', async () => {
  sandbox().setFaults([lost(0, 9)]);
  await run({ items: contacts(12), parameters: inTwos, onError: 'stopWorkflow', retryOnFail: { maxTries: 5 } });
  expect(requests('bulk')).toHaveLength(3);
});

test.each<[what: string, last: number, outcomes: string, balances: number]>([
  ['counts what was in flight at the same time as one lost answer', 4, '4 sent, 8 uncertain, 28 sent', 2],
  // Four were in flight; then one was risked alone.
  ['is followed by one request at a time, until one is accepted', 5, '4 sent, 10 uncertain, 26 sent', 3],
])('An outage in the middle of a campaign %s', async (_what, times, outcomes, balances) => {
  sandbox().setFaults([{ kind: 'silence', after: 2, times, on: 'bulk' }]);
  const batching = { batch: { batchSize: 2, batchInterval: 0 } };
  const parameters = { ...parallel(4), requestOptions: { batching, timeout: 600 } };
  expect(told(await run({ items: contacts(40), parameters }))).toBe(outcomes);
  expect(requests('balance')).toHaveLength(balances);
});

test.each<[what: string, fault: Fault, told: string]>([
  ['a request that is rejected', rejects(400, { after: 1 }), '2 sent, 6 not sent'],
  ['a request that is rejected for one of its messages', rejects(422, { phones: [phoneAt(3)] }), '2 sent, 6 not sent'],
  ['a request whose answer is lost', lost(1), '2 sent, 4 not sent, 2 uncertain (may have been sent)'],
  ['a message that the service did not send', { kind: 'unsent', phones: [phoneAt(3)] }, '3 sent, 5 not sent'],
])('With On Error set to Stop, no request follows %s', async (_what, fault, text) => {
  sandbox().setFaults([fault]);
  const { error } = await run({ items: contacts(8), parameters: inTwos, onError: 'stopWorkflow' });
  expect(error?.description).toContain(`${text}, `);
  expect(requests('bulk')).toHaveLength(2);
});

describe('A batch that is rejected because of some of its messages', () => {
  test.each<[string, Partial<Fault>]>([
    ['name them', {}],
    ['name another one', { fields: ['messages.5.phone'] }],
    ['name none', UNNAMED],
    ['are missing', { details: null }],
    ['are those of a firewall', PAGE],
  ])('loses only these if the details of the answer %s', async (_how, details) => {
    for (const wrong of [[0], [4], [1, 3], [7], [0, 9], [2, 3, 4]]) {
      sandbox().reset();
      sandbox().setFaults([rejects(422, { phones: phones(...wrong), ...details })]);
      const ran = await run({ items: contacts(10), parameters: SEND_BULK });
      expect({ wrong, notSent: itemsThat(ran, 'not_sent') }).toEqual({ wrong, notSent: wrong });
      expect(received()).toEqual(phones(...upTo(10).filter((item) => !wrong.includes(item))));
    }
  });

  test('loses only this one if HTTP 404 names it, as a number that is not found', async () => {
    sandbox().setFaults([rejects(404, { phones: [phoneAt(3)], fields: ['messages.1.phone'] })]);
    const ran = await run({ items: contacts(8), parameters: inTwos });
    expect([told(ran), sizes()]).toEqual(['3 sent, 1 not_sent, 4 sent', [2, 2, 1, 2, 2]]);
  });

  test('is halved until they are found, in the order of the messages', async () => {
    sandbox().setFaults([rejects(422, { phones: [phoneAt(5)], ...UNNAMED })]);
    await run({ items: contacts(8), parameters: SEND_BULK });
    expect([sizes(), received()]).toEqual([[8, 4, 4, 2, 1, 1, 2], phones(0, 1, 2, 3, 4, 6, 7)]);
  });

  test('leaves the others uncertain if the second request may have been sent', async () => {
    sandbox().setFaults([rejects(422, { fields: ['messages.1.phone'], times: 1 }), { kind: 'reset-after', after: 1 }]);
    const ran = await run({ items: contacts(4), parameters: SEND_BULK });
    expect([told(ran), sizes().slice(0, 2)]).toEqual(['1 uncertain, 1 not_sent, 2 uncertain', [4, 3]]);
  });

  test('is searched beside others that are, and all other messages are sent', async () => {
    const wrong = upTo(16).map((batch) => 100 * batch + 37);
    sandbox().setFaults([rejects(422, { phones: phones(...wrong), ...UNNAMED })]);
    const ran = await run({ items: contacts(1_600), parameters: parallel(16) });
    expect([itemsThat(ran, 'not_sent'), received().length]).toEqual([wrong, 1_584]);
  });
});

describe('A rejection that concerns everything', () => {
  const everything = (given: Partial<Fault> = {}) => rejects(422, { ...UNNAMED, ...given });

  test.each<[when: string, count: number, after: number]>([
    ['from the start, for 300 messages', 300, 0],
    ['from the start, for 10,000 messages', 10_000, 0],
    ['in the middle of a campaign, with concurrent requests', 6_000, 30],
  ])('costs some 20 requests more than one for each batch %s', async (_when, count, after) => {
    sandbox().setFaults([everything({ after })]);
    const ran = await run({ items: contacts(count), parameters: parallel(16) });
    expect(itemsThat(ran, 'sent')).toHaveLength(100 * after);
    expect(requests().length).toBeLessThanOrEqual(count / 100 + 21);
  });

  test('once it is over, keeps no batch from being sent or searched', async () => {
    sandbox().setFaults([everything({ times: 40 }), everything({ phones: [phoneAt(2_950)] })]);
    const ran = await run({ items: contacts(3_000), parameters: parallel(1) });
    expect(itemsThat(ran, 'not_sent').filter((item) => item >= 2_000)).toEqual([2_950]);
  });
});

describe('Parallel requests', () => {
  const DELAY = { kind: 'delay', ms: 300 } as const;
  /** Sends to these phones. @returns how many requests were in flight as each of them arrived */
  const inFlightAt = async (indexes: number[], parameters = parallel(3, SEND), keys = [KEY]) => {
    const found: number[] = [];
    atRequest(() => found.push(requests().filter(({ duration_ms: duration }) => duration === null).length));
    sandbox().setFaults([{ ...DELAY, times: 99 }]);
    const items = indexes.map((index, item) => ({
      phone: phoneAt(index),
      text: `Hello ${item}`,
      key: keys[item % keys.length],
    }));
    await run({ items, parameters, account: { ...accountOf(sandbox()), apiKey: '={{ $json.key }}' } });
    return found;
  };

  test.each([
    ['four, if the user sets no number', SEND, 4],
    ['the user allows', parallel(3, SEND), 3],
    ['there are messages left', parallel(1e10, SEND), 7],
  ])('start once the first one is answered, and are never more than %s', async (_what, parameters, most) => {
    const found = await inFlightAt(upTo(8), parameters);
    expect([found.length, found[1], Math.max(...found)]).toEqual([8, 1, most]);
  });

  test('of each account are never more than the user allows', async () => {
    expect(Math.max(...(await inFlightAt(upTo(12), parallel(2, SEND), [KEY, OTHER])))).toBe(4);
  });

  test('never go to the same phone number, and go there in order', async () => {
    expect(await inFlightAt([0, 0, 0, 0])).toEqual([1, 1, 1, 1]);
    expect(texts()).toEqual(['Hello 0', 'Hello 1', 'Hello 2', 'Hello 3']);
  });

  test('overtake one that waits for its phone number', async () => {
    await inFlightAt([0, 1, 1, 2]);
    expect(texts().at(-1)).toBe('Hello 2');
  });

  test('that are in flight when the run ends keep their own outcomes', async () => {
    sandbox().setFaults([rejects(401, { phones: [phoneAt(1)] }), { ...DELAY, phones: [phoneAt(2)] }]);
    const ran = await run({ items: contacts(6), parameters: parallel(2, SEND) });
    expect([told(ran), sizes()]).toEqual(['1 sent, 1 not_sent, 1 sent, 3 not_sent', [1, 1, 1]]);
  });
});

describe('A message that another execution is sending', () => {
  const once = withOptions(SEND, { duplicateMessages: 'sendOnceEver', parallelRequests: 2, longestWait: 5 });

  test.each<[what: string, faults: Fault[], outcomes: string]>([
    ['holds up no other, and is asked for again', [], '1 skipped, 1 sent'],
    ['is not sent if the run ends first', [rejects(401, { phones: [phoneAt(1)] })], '2 not_sent'],
  ])('%s', async (_what, faults, outcomes) => {
    sandbox().setFaults([{ kind: 'delay', ms: 1_000, phones: [phoneAt(0)] }, ...faults]);
    const other = run({ items: contacts(1), parameters: once });
    await until(() => requests().length === 1);
    const ran = run({ items: contacts(2), parameters: once });
    await until(() => requests().length === 2);
    expect(requests()[0]?.duration_ms).toBeNull();
    expect([told(await ran), told(await other), received()[0]]).toEqual([outcomes, '1 sent', phoneAt(0)]);
  });
});
