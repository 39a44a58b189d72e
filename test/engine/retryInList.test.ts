/**
 * Retry in the list of executions, and Retry On Fail: what is sent after a failure, an outage or a wrong set-up, and what
 * n8n stores for it.
 */
import { stringify } from 'flatted';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { inFlight, Lifetime } from '../../tools/engine/lifetime';
import { processedData } from '../../tools/engine/processedData';
import { contacts, KEY, listOf, phoneAt, phones } from '../support/contacts';
import type { Campaign } from '../support/engine/campaign';
import { type Given, nodeForTests } from '../support/engine/nodeForTests';
import { keptIn, type Setup } from '../support/engine/workflow';
import { detailsOf, hintsOf, linked, outcomesOf } from '../support/outputs';
import {
  inBatchesOf,
  ONE_BY_ONE,
  oneByOne,
  SEND,
  SEND_AND_WAIT,
  SEND_BULK,
  SEND_LIST,
  SENDERS,
  withOptions,
} from '../support/parameters';

const { sandbox, setupOf, run, retry, campaign, received, contactsReceived, requests } = nodeForTests();
const CONTINUE = 'continueRegularOutput';

describe.each(ONE_BY_ONE)('A retried execution of %s', (_name, parameters) => {
  const failed = async () => await stoppedAfter(2, { items: contacts(6), parameters });

  test('sends only what was not sent, with the original workflow', async () => {
    const { ran, setup } = await failed();
    const again = await retry(ran, setup);
    expect(again.error).toBeUndefined();
    expect(linked(again.outputs[0])).toEqual(contacts(6).map(({ phone }, item) => [phone, { item }]));
    expect(contactsReceived()).toEqual(contacts(6));
  });

  test('sends a changed text if the message was not sent, and no other, with the workflow as it is now', async () => {
    const { ran, setup, before } = await failed();
    const message = '=Corrected: {{ $json.text }}';
    const { error, outputs } = await retry(ran, setup, { parameters: { ...parameters, message } });
    expect(error).toBeUndefined();
    expect(outputs[0]).toHaveLength(6);
    expect(contactsReceived()).toEqual(
      contacts(6).map(({ phone, text }) => ({ phone, text: before.includes(phone) ? text : `Corrected: ${text}` })),
    );
  });

  test('sends to a changed phone number, and to no other again, with the workflow as it is now', async () => {
    const { ran, setup } = await failed();
    const phone = `={{ $json.phone === "${phoneAt(1)}" ? "${phoneAt(99)}" : $json.phone }}`;
    const { outputs } = await retry(ran, setup, { parameters: { ...parameters, phone } });
    expect(outputs[0]?.[1]?.json.phone).toBe(phoneAt(99));
    expect(contactsReceived()).toEqual([...contacts(6), { phone: phoneAt(99), text: 'Hello 1' }]);
  });
});

describe.each(ONE_BY_ONE)('%s that runs more than once in an execution', (_name, parameters) => {
  test('sends the same items in each run', async () => {
    const ran = await run({ items: contacts(2), moreItems: [contacts(2), contacts(2)], parameters });
    expect(ran.run.data.resultData.runData.Send).toHaveLength(3);
    expect(received()).toHaveLength(6);
    expect(keptIn(ran)).toEqual({});
  });

  test('continues a failed run where it stopped, and repeats no run before it', async () => {
    const given = { items: contacts(2), moreItems: [contacts(4)], parameters };
    const { setup, ran } = await stoppedAfter(parameters.operation === 'send' ? 3 : 2, given);
    expect(ran.run.data.resultData.runData.Send).toHaveLength(2);
    expect(Object.keys(keptIn(ran)).filter((name) => name.startsWith('delivery'))).toEqual(['delivery 1']);
    const again = await retry(ran, setup);
    expect(again.error).toBeUndefined();
    expect(again.run.data.resultData.runData.Send).toHaveLength(2);
    expect(received().sort()).toEqual(phones(0, 0, 1, 1, 2, 3));
    expect(keptIn(again)).toEqual({});
  });
});

test.each(ONE_BY_ONE)('Retry On Fail of %s sends the rest, with the same items', async (_name, parameters) => {
  const setup = setupOf({ items: contacts(6), parameters, retryOnFail: { maxTries: 3 } });
  // The batch that failed was sent again, with another number.
  const shapeOf = (json: IDataObject) =>
    Object.entries(json)
      .filter(([name]) => name !== 'batch')
      .map(([name, value]) => [name, name === 'sent_at' ? typeof value : value]);
  const expected = (await run(setup)).outputs;
  sandbox().reset();
  // A 403 is certain: the messages were not sent.
  sandbox().setFaults([{ kind: 'status', status: 403, after: 1, times: 2 }]);
  const ran = await run(setup);
  const shapes = ([items]: typeof expected) => items?.map(({ json, ...rest }) => ({ ...rest, json: shapeOf(json) }));
  expect(ran.error).toBeUndefined();
  expect(shapes(ran.outputs)).toEqual(shapes(expected));
  expect(contactsReceived()).toEqual(contacts(6));
  expect(keptIn(ran)).toEqual({});
});

describe.each(SENDERS)('A Retry of an older execution of %s', (_name, given) => {
  const parameters = inBatchesOf(1, oneByOne(given));
  const start = () => campaign({ items: contacts(5), parameters });

  test.each([
    ['ended for want of credits', async (older: Campaign) => await older.run()],
    ['was killed', async (older: Campaign) => await older.run(inFlight(2))],
  ])('that %s sends nothing after a Retry of its Retry has sent the rest', async (_how, begin) => {
    const retried = start();
    sandbox().setCredits(2);
    await begin(retried);
    const oldest = retried.execution;
    sandbox().setCredits(1);
    await retried.run();
    expect(received()).toHaveLength(3);
    sandbox().setCredits(1000);
    await retried.run();
    expect(received()).toHaveLength(5);
    await retried.run({ earlier: oldest });
    expect(received()).toHaveLength(5);
  });

  test.each([
    ['at once', 0],
    ['an hour later', 1],
  ])('sends nothing that its Retry (%s) has sent, even after another hour and run', async (_when, hours) => {
    const now = performance.now.bind(performance);
    let offset = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + offset);
    const setup = setupOf({ items: contacts(5), parameters, mode: 'trigger', lifetime: new Lifetime() });
    sandbox().setCredits(2);
    const oldest = await run(setup);
    sandbox().setCredits(1);
    offset += hours * 3_600_000;
    await retry(oldest, setup);
    sandbox().setCredits(1000);
    offset += 3_600_000;
    await run({ ...setup, items: contacts(2) });
    const outcomes = outcomesOf(await retry(oldest, setup, { onError: 'continueErrorOutput' })).sort();
    clock.mockRestore();
    expect(outcomes).toEqual(['sent', 'sent', 'uncertain', 'uncertain', 'uncertain']);
    expect(received()).toHaveLength(5);
  });
});

test('n8n stores less than 1 MB for a Retry of 10,000 messages in batches, some of them uncertain, without key, phone numbers or texts', async () => {
  sandbox().setFaults([
    { kind: 'reset-after', after: 90, times: 5 },
    { kind: 'status', status: 401, after: 99 },
  ]);
  const ran = await run({ items: contacts(10_000), parameters: SEND_BULK, onError: 'continueErrorOutput' });
  expect(ran.error).toBeUndefined();
  const text = stringify(keptIn(ran));
  expect(text.length).toBeGreaterThan(100_000);
  expect(text.length).toBeLessThan(1_000_000);
  expect(text).not.toContain(KEY);
  expect(text).not.toMatch(/4477009\d{5}|Hello/);
});

describe('A long text that is split', () => {
  const split = withOptions(SEND, { longMessages: 'split', parallelRequests: 1 });
  const text = `${'a'.repeat(999)} ${'b'.repeat(999)}`;
  /** Sends, of which the service leaves out the second part of the first text, and retries with other parameters. */
  const retryAfterOne = async (items: IDataObject[], before: INodeParameters, after: INodeParameters) => {
    const setup = setupOf({ items, parameters: before });
    sandbox().setFaults([{ kind: 'unsent', indices: [1], times: 1 }]);
    return outcomesOf(await retry(await run(setup), setup, { parameters: after, onError: 'continueErrorOutput' }));
  };

  test('is not continued by a Retry if it contains the time and a part of it was not sent', async () => {
    const timed = { ...split, message: '={{ $now.toMillis() + Math.random() }} {{ $json.text }}' };
    expect(await retryAfterOne([{ phone: phoneAt(0), text }], timed, timed)).toEqual(['uncertain']);
    // Its first and its third part.
    expect(received()).toHaveLength(2);
  });

  test.each<[string, INodeParameters]>([
    ['the same', split],
    ['truncated', withOptions(SEND, { longMessages: 'truncate', parallelRequests: 1 })],
    ['a text of three parts', { ...split, message: '={{ $json.text }} and more' }],
  ])('and half of which was sent is not sent again in a Retry in which it is %s', async (_how, after) => {
    const items = [{ phone: phoneAt(0), text }, ...contacts(2).slice(1)];
    expect((await retryAfterOne(items, split, after)).sort()).toEqual(['sent', 'uncertain']);
    expect(received()).toEqual([phoneAt(0), phoneAt(1)]);
  });
});

test('A retry reads the balance before it risks a message, and then sends the rest', async () => {
  sandbox().setFaults([{ kind: 'status', status: 503, times: 9999, after: 1 }]);
  const setup = setupOf({ items: contacts(10), parameters: oneByOne(inBatchesOf(2, SEND_BULK)) });
  const stillDown = await retry(await run(setup), setup);
  expect(requests('bulk')).toHaveLength(2);
  sandbox().setFaults([]);
  await retry(stillDown, setup);
  const expected = contacts(10).filter((_contact, index) => ![2, 3].includes(index));
  expect(received()).toEqual(expected.map(({ phone }) => phone));
  // The first attempt ends with a look at the balance.
  const endpoints = ['bulk', 'bulk', 'balance', 'balance', 'balance', 'bulk', 'bulk', 'bulk'];
  expect(requests().map(({ endpoint }) => endpoint)).toEqual(endpoints);
});

test('The next round of a loop risks no message while the service is down', async () => {
  sandbox().setFaults([{ kind: 'status', status: 503, times: 9999 }]);
  const moreItems = [contacts(4), contacts(4), contacts(4)];
  const { run: ran } = await run({ items: contacts(4), moreItems, parameters: SEND, onError: CONTINUE });
  expect(ran.data.resultData.runData.Send).toHaveLength(4);
  expect(requests('send')).toHaveLength(1);
});

test('Of an outage that is over, only the outcomes of its messages are kept', async () => {
  sandbox().setFaults([{ kind: 'status', status: 503, times: 2 }]);
  const given = { items: contacts(4), parameters: SEND, onError: CONTINUE } as const;
  const ran = await run({ ...given, retryOnFail: { maxTries: 2 } });
  expect(outcomesOf(ran)).toEqual(['uncertain', 'sent', 'sent', 'sent']);
  expect(Object.keys(keptIn(ran))).toEqual(['delivery 0']);
});

const FAILS = '={{ $("No such node").first().json.value }}';
/** The same, but only for the item with this phone. */
const failsFor = (index: number, otherwise: string) =>
  `={{ $json.phone === "${phoneAt(index)}" ? $("No such node").first().json.value : ${otherwise} }}`;

/** An execution in which the request after this many was rejected, and with it the rest. */
async function stoppedAfter(after: number, given: Given) {
  sandbox().setFaults([{ kind: 'status', status: 403, after }]);
  const setup = setupOf(given);
  const ran = await run(setup);
  expect(ran.error).toBeDefined();
  sandbox().setFaults([]);
  const before = received();
  expect(before.length).toBeGreaterThan(0);
  return { setup, ran, before };
}

const withoutAddress = ({ account }: Setup) => ({ account: { ...account, baseUrl: 'http://' } });
const failing = ({ parameters }: Setup) => ({ parameters: withOptions(parameters, { longestWait: FAILS }) });
const FAILED = /^'Max Wait' can't be read: Referenced node doesn't exist \('No such node'\)$/;
const BROKEN: Array<[string, (setup: Setup) => Partial<Setup>, RegExp]> = [
  ['the Base URL is no address', withoutAddress, /^'Base URL' in the credential is not an address/],
  ['an option has an expression that fails', failing, FAILED],
];

describe.each(SENDERS)('A retry of %s', (_name, given) => {
  const parameters = inBatchesOf(1, oneByOne(given));
  /** Without a token, so that only the execution itself tells what was sent. */
  const four = { items: contacts(4), parameters, withoutToken: true };
  /** An execution in which n8n was killed, so that nothing is known about the messages. */
  const killed = async () => {
    const begun = campaign({ ...four, mode: 'manual', settings: { saveExecutionProgress: true } });
    await begun.run(inFlight(3));
    return begun;
  };

  describe.each(BROKEN)('where %s', (_what, breakIt, message) => {
    test('reports what was sent before, and sends the rest once it is right again', async () => {
      const { ran, setup } = await stoppedAfter(2, four);
      const second = await retry(ran, setup, breakIt(setup));
      expect(second.error?.message).toMatch(message);
      expect(second.error?.description).toContain('2 sent (2 of them in an earlier attempt), 2 not sent');
      const again = await retry(second, setup, { ...breakIt(setup), onError: CONTINUE });
      expect(outcomesOf(again)).toEqual(['sent', 'sent', 'not_sent', 'not_sent']);
      const items = again.outputs[0] ?? [];
      expect(items.map(({ json }) => json.phone ?? detailsOf({ json }).phone)).toEqual(phones(0, 1, 2, 3));
      expect(items[2]?.json.error).toMatch(message);
      expect(hintsOf(again)[0]?.message).toMatch(/^2 sent \(2 of them in an earlier attempt\), 2 not sent/);
      expect(outcomesOf(await retry(second, setup, {}))).toEqual(['sent', 'sent', 'sent', 'sent']);
      expect(received()).toEqual(phones(0, 1, 2, 3));
    });

    test('reports after a kill what was sent, and what may have been', async () => {
      const begun = campaign({ items: contacts(4), parameters });
      await begun.run(inFlight(3));
      const { error } = await begun.run({ changes: breakIt(begun.setup) });
      expect(error?.description).toContain('2 sent (2 of them in an earlier attempt), 1 not sent, 1 uncertain');
    });

    test('reports after a kill that every message may have been sent', async () => {
      const begun = await killed();
      const { error } = await begun.run({ changes: breakIt(begun.setup) });
      expect(error?.description).toContain('0 sent, 4 uncertain');
      const again = await begun.run({ changes: { ...breakIt(begun.setup), onError: CONTINUE } });
      expect(outcomesOf(again)).toEqual(Array(4).fill('uncertain'));
    });
  });

  test.each(['phone', 'message'] as const)('reports an item whose %s now fails as uncertain', async (name) => {
    const { ran, setup } = await stoppedAfter(2, four);
    const changed = { ...parameters, [name]: failsFor(1, name === 'phone' ? '$json.phone' : '$json.text') };
    const again = await retry(ran, setup, { parameters: changed, onError: CONTINUE });
    expect(outcomesOf(again)).toEqual(['sent', 'uncertain', 'sent', 'sent']);
    expect(received()).toEqual(phones(0, 1, 2, 3));
  });

  test('reports an item as uncertain if it can no longer be evaluated and n8n has lost its record', async () => {
    const changed = { ...parameters, phone: failsFor(1, '$json.phone') };
    const again = await (await killed()).run({ changes: { parameters: changed, onError: CONTINUE } });
    expect(outcomesOf(again)).toEqual(Array(4).fill('uncertain'));
    expect(again.outputs[0]?.[1]?.json.error).toMatch(/^An expression in 'Phone' can't be evaluated: /);
    expect(detailsOf(again.outputs[0]?.[1]).description).toContain('The message may have been sent');
  });
});

test('A retry reports a list of which entries were sent as uncertain, if it can no longer be read', async () => {
  const parameters = oneByOne(inBatchesOf(2, SEND_LIST));
  const { setup, ran } = await stoppedAfter(1, { items: [{ list: listOf(4) }], parameters });
  const changes = { parameters: { ...parameters, messages: FAILS }, onError: CONTINUE } as const;
  expect(outcomesOf(await retry(ran, setup, changes))).toEqual(['uncertain']);
});

const NO_NODE = "Referenced node doesn't exist ('No such node')";

test.each<[parameter: string, INodeParameters, reason: string]>([
  ['Phone', { ...SEND_BULK, phone: FAILS }, NO_NODE],
  ['Phone', { ...SEND_AND_WAIT, sendTo: FAILS }, NO_NODE],
  ['Default Country Code', withOptions(SEND, { defaultCountryCode: FAILS }), NO_NODE],
  ['Message', { ...SEND_BULK, message: '={{ DateTime }}' }, 'this is a DateTime, please access its methods'],
  ['Messages', { ...SEND_LIST, messages: '={{ $items("Gone") }}' }, "Referenced node doesn't exist ('Gone')"],
  ['Message Key', withOptions(SEND, { messageKey: '={{ $input.last(1) }}' }), '$input.last() takes no arguments. To'],
])("The error names '%s' if it fails, in n8n's words, with one period", async (parameter, parameters, reason) => {
  const ran = await run({ items: contacts(1), parameters, onError: CONTINUE });
  const error = ran.outputs[0]?.[0]?.json.error as string;
  expect(error).toContain(`An expression in '${parameter}' can't be evaluated: ${reason}`);
  expect(hintsOf(ran)[0]?.message).toBe(`Nothing was sent: ${error.replace('An', 'an')}.<br>Check it for this item.`);
  expect(error).not.toMatch(/\.$/);
});

test.each([
  ['start of a run', 1, 6, []],
  ['first request', 2, 0, ['uncertain']],
  ['third request', 4, 2, []],
])('A note of the %s that is stored, but reported as failed, is not taken for another retry', async (...given) => {
  const [, nth, sent, unsure] = given;
  const check = processedData.checkProcessedAndRecord.bind(processedData);
  let calls = 0;
  const spy = jest.spyOn(processedData, 'checkProcessedAndRecord').mockImplementation(async (...values) => {
    const answer = await check(...values);
    if ((calls += 1) === nth) throw new Error('Connection terminated unexpectedly');
    return answer;
  });
  const parameters = inBatchesOf(1, withOptions(SEND_BULK, { longestWait: 1, parallelRequests: 1 }));
  const setup = setupOf({ items: contacts(6), parameters, mode: 'trigger' });
  const ran = await run(setup);
  spy.mockRestore();
  expect(received()).toHaveLength(sent);
  if (sent === 6) return;
  expect(ran.error?.message).toContain("n8n's database took no note of this message");
  const again = await retry(ran, setup, { onError: CONTINUE });
  expect(outcomesOf(again)).toEqual([...unsure, ...Array<string>(6 - unsure.length).fill('sent')]);
  expect(received()).toHaveLength(6 - unsure.length);
});
