/** Retries whose texts or rows are other ones than in the first attempt. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { contacts, phoneAt } from '../support/contacts';
import { nodeForTests } from '../support/engine/nodeForTests';
import { outcomesOf } from '../support/outputs';
import {
  inBatchesOf,
  oneByOne,
  SEND,
  SEND_BULK,
  SEND_LIST,
  SENDING_ONE_BY_ONE,
  withOptions,
} from '../support/parameters';

const { sandbox, setupOf, run, retry, received, texts, contactsReceived } = nodeForTests();
const split = withOptions(SEND, { longMessages: 'split', parallelRequests: 1 });

/** Sends items until the service refuses a request after so many, and retries with other parameters. */
async function retryAfter(requests: number, items: IDataObject[], before: INodeParameters, after: INodeParameters) {
  const setup = setupOf({ items, parameters: before });
  sandbox().setFaults([{ kind: 'status', status: 403, after: requests }]);
  return await retry(await run(setup), setup, { parameters: after, onError: 'continueErrorOutput' });
}

// Another value in each attempt.
const TIME = '$now.toMillis() + Math.random()';

test.each(SENDING_ONE_BY_ONE)(
  'A text that contains the time is sent once with Retry by %s',
  async (_name, parameters) => {
    const timed = { ...parameters, message: `={{ $json.text }} {{ ${TIME} }}` };
    const again = await retryAfter(2, contacts(6), timed, timed);
    expect(outcomesOf(again)).toEqual(Array(6).fill('sent'));
    expect(received().sort()).toEqual(contacts(6).map(({ phone }) => phone));
  },
);

test('A text that contains the time is not continued by a Retry if it is split and some of its parts were sent', async () => {
  const items = [{ phone: phoneAt(0), text: `${'a'.repeat(999)} ${'b'.repeat(999)} c` }];
  const timed = { ...split, message: `={{ ${TIME} }} {{ $json.text }}` };
  expect(outcomesOf(await retryAfter(1, items, timed, timed))).toEqual(['uncertain']);
  expect(received()).toHaveLength(1);
});

const inPairs = (parameters: INodeParameters) => oneByOne(inBatchesOf(2, parameters));

test('A Retry sends no message again if Source was switched', async () => {
  const items = contacts(8).map(({ phone, text }) => ({ phone, text, list: [{ phone, message: text }] }));
  expect(outcomesOf(await retryAfter(2, items, inPairs(SEND_BULK), inPairs(SEND_LIST)))).toEqual(Array(8).fill('sent'));
  expect(contactsReceived()).toEqual(contacts(8));
});

describe.each(SENDING_ONE_BY_ONE)('By %s, a long text', (_name, given) => {
  const lettersOf = (...counts: number[]) =>
    counts.map((count, index) => String.fromCharCode(97 + index).repeat(count)).join('');
  const arrived = () => texts().map((text) => `${text[0]}${text.length}`);
  const TWO_PARTS = lettersOf(999, 999);
  const texting = (text: string, longMessages: string, options = {}) => ({
    ...withOptions(given, { longMessages, parallelRequests: 1, ...options }),
    message: `={{ $json.name + ${JSON.stringify(text)} }}`,
  });
  // To two contacts, whose texts begin with A and B and have two parts at first.
  const items = ['A', 'B'].map((name, index) => ({ phone: phoneAt(index), name }));
  const before = texting(TWO_PARTS, 'split');
  const requestsOfA = given.operation === 'send' ? 2 : 1;
  const FIRST = ['A1000', 'b999'];

  test.each<[string, INodeParameters, string[]]>([
    ['in the same parts', before, ['B1000', 'b999']],
    [
      'whole',
      texting(TWO_PARTS, given.operation === 'send' ? 'split' : 'fail'),
      given.operation === 'send' ? ['B1000', 'b999'] : ['B1999'],
    ],
    ['truncated', texting(TWO_PARTS, 'truncate'), ['B1000']],
  ])('that was sent is sent, and nothing of it again, if it comes again %s', async (_how, after, others) => {
    expect(outcomesOf(await retryAfter(requestsOfA, items, before, after))).toEqual(['sent', 'sent']);
    expect(arrived()).toEqual([...FIRST, ...others]);
  });

  test.each<[string, INodeParameters, string[]]>([
    ['with more parts', texting(lettersOf(999, 1000, 1000), 'split'), ['B1000', 'b1000', 'c1000']],
    ['as one', texting('Hello', 'split'), ['B6']],
    ['as one, with Send Again', texting('Hello', 'split', { uncertain: 'sendAgain' }), ['B6']],
  ])(
    'that was sent is sent, and nothing more, if another text is at its place now: %s',
    async (_how, after, others) => {
      expect(outcomesOf(await retryAfter(requestsOfA, items, before, after))).toEqual(['sent', 'sent']);
      expect(arrived()).toEqual([...FIRST, ...others]);
    },
  );
});

test.each<[string, INodeParameters]>([
  ['the same', split],
  ['truncated', withOptions(SEND, { longMessages: 'truncate', parallelRequests: 1 })],
])('Of a text of which Send has sent half, nothing more is sent in a Retry in which it is %s', async (_how, after) => {
  const items = [{ phone: phoneAt(0), text: `${'a'.repeat(999)} ${'b'.repeat(999)}` }, ...contacts(2).slice(1)];
  const again = await retryAfter(1, items, split, after);
  expect(outcomesOf(again).sort()).toEqual(['sent', 'uncertain']);
  expect(received()).toEqual([phoneAt(0), phoneAt(1)]);
});

test.each(['sendOnce', 'sendOnceEver'])(
  "'Duplicate Messages' on %s takes a long text for the same, whatever is sent of it",
  async (duplicateMessages) => {
    const text = `${'a'.repeat(999)} ${'b'.repeat(999)}`;
    const items = [0, 0].map((index) => ({ phone: phoneAt(index), text }));
    const setup = setupOf({ items, workflowId: 'long texts' });
    const once = (longMessages: string) => withOptions(SEND, { longMessages, duplicateMessages });
    expect(outcomesOf(await run({ ...setup, parameters: once('split') }))).toEqual(['sent', 'skipped']);
    const later = await run({ ...setup, parameters: once('truncate') });
    expect(outcomesOf(later)).toEqual(duplicateMessages === 'sendOnce' ? ['sent', 'skipped'] : ['skipped', 'skipped']);
  },
);
