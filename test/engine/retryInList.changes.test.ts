/** Retries whose texts, rows or parts are other ones than in the first attempt. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { contacts, listOf, phoneAt } from '../support/contacts';
import { nodeForTests } from '../support/engine/nodeForTests';
import type { Execution } from '../support/engine/workflow';
import { outcomeOf, outcomesOf } from '../support/outputs';
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

/** Number, part and outcome of each item, by output. */
const parts = ({ outputs }: Execution) =>
  outputs.map((own) => own.map((item) => [item.json.phone, item.json.part, outcomeOf(item)]));

// Values that are others in each attempt, or in each Retry.
describe.each(['$now.toMillis() + Math.random()', '$execution.id', '$execution.resumeUrl'])(
  'A text that contains {{ %s }}',
  (expression) => {
    test.each(SENDING_ONE_BY_ONE)('is sent once with Retry by %s', async (_name, parameters) => {
      const timed = { ...parameters, message: `={{ $json.text }} {{ ${expression} }}` };
      const again = await retryAfter(2, contacts(6), timed, timed);
      expect(outcomesOf(again)).toEqual(Array(6).fill('sent'));
      expect(received().sort()).toEqual(contacts(6).map(({ phone }) => phone));
    });

    test('is not continued by a Retry if it is split and some of its parts were sent', async () => {
      const items = [{ phone: phoneAt(0), text: `${'a'.repeat(999)} ${'b'.repeat(999)} c` }];
      const timed = { ...split, message: `={{ ${expression} }} {{ $json.text }}` };
      expect(parts(await retryAfter(1, items, timed, timed))).toEqual([
        [[phoneAt(0), 1, 'sent']],
        [1, 2].map(() => [phoneAt(0), undefined, 'uncertain']),
      ]);
      expect(received()).toHaveLength(1);
    });
  },
);

describe('A retry with the workflow as it is now', () => {
  const fromList = oneByOne(inBatchesOf(2, SEND_LIST));
  const fromItems = oneByOne(inBatchesOf(2, SEND_BULK));

  test.each([0, 3, 4])('sends no row again if row %i of a list was removed', async (removed) => {
    const messages = `={{ $json.list.filter((_, index) => index !== ${removed}) }}`;
    const { outputs } = await retryAfter(2, [{ list: listOf(10) }], fromList, { ...fromList, messages });
    const left = contacts(10).filter((_, index) => index !== removed);
    expect(outputs[0]?.map(({ json }) => json.phone)).toEqual(left.map(({ phone }) => phone));
    // The first two requests, before the retry, had four rows.
    expect(contactsReceived()).toEqual(removed < 4 ? contacts(10) : left);
  });

  test.each([
    ['JSON List', fromItems, fromList],
    ['Input Items', fromList, fromItems],
  ])('sends no message again if Source was switched to %s', async (_name, before, after) => {
    const items = contacts(8).map(({ phone, text }) => ({ phone, text, list: [{ phone, message: text }] }));
    expect(outcomesOf(await retryAfter(2, items, before, after))).toEqual(Array(8).fill('sent'));
    expect(contactsReceived()).toEqual(contacts(8));
  });
});

describe('A text that has another number of parts in a retry', () => {
  const lettersOf = (...counts: number[]) =>
    counts.map((count, index) => String.fromCharCode(97 + index).repeat(count)).join('');
  const arrived = () => texts().map((text) => `${text[0]}${text.length}`);
  const TWO_PARTS = lettersOf(999, 999);
  const THREE_PARTS = lettersOf(999, 1000, 1000);
  const truncated = withOptions(SEND, { longMessages: 'truncate', parallelRequests: 1 });
  const sendAgain = withOptions(SEND, { longMessages: 'split', parallelRequests: 1, uncertain: 'sendAgain' });
  const [A, B] = [phoneAt(0), phoneAt(1)];
  const wholeB = [[B, undefined, 'sent']];
  const partsOfB = (count: number) => Array.from({ length: count }, (_, index) => [B, index + 1, 'sent']);
  const uncertainA = [A, undefined, 'uncertain'];

  // To two contacts, whose texts begin with A and B and have two parts at first.
  test.each([
    {
      what: 'is sent only in the parts that were not sent, if they are the same ones',
      retry: { after: 1, text: TWO_PARTS, parameters: split },
      received: ['A1000', 'b999', 'B1000', 'b999'],
      items: [[[A, 1, 'sent'], [A, 2, 'sent'], ...partsOfB(2)], []],
    },
    {
      what: 'is not sent again as one',
      retry: { after: 2, text: TWO_PARTS, parameters: truncated },
      received: ['A1000', 'b999', 'B1000'],
      items: [wholeB, [uncertainA]],
    },
    {
      what: 'is not sent again in more parts',
      retry: { after: 2, text: THREE_PARTS, parameters: split },
      received: ['A1000', 'b999', 'B1000', 'b1000', 'c1000'],
      items: [[[A, 1, 'sent'], [A, 2, 'sent'], ...partsOfB(3)], [uncertainA]],
    },
    {
      what: 'is not sent as one if some of its parts were',
      retry: { after: 1, text: 'Hello', parameters: split },
      received: ['A1000', 'B6'],
      items: [wholeB, [uncertainA]],
    },
    {
      what: 'is not sent as one if some of its parts were, not even with Send Again',
      retry: { after: 1, text: 'Hello', parameters: sendAgain },
      received: ['A1000', 'B6'],
      items: [wholeB, [uncertainA]],
    },
    {
      what: 'is not continued in other parts if only some of its parts were sent',
      retry: { after: 1, text: THREE_PARTS, parameters: split },
      received: ['A1000', 'B1000', 'b1000', 'c1000'],
      items: [
        [[A, 1, 'sent'], ...partsOfB(3)],
        [uncertainA, uncertainA],
      ],
    },
  ])('$what', async ({ retry: { after, text, parameters }, received: expected, items }) => {
    const message = (words: string) => `={{ $json.name + ${JSON.stringify(words)} }}`;
    const names = ['A', 'B'].map((name, index) => ({ phone: phoneAt(index), name }));
    const before = { ...split, message: message(TWO_PARTS) };
    const again = await retryAfter(after, names, before, { ...parameters, message: message(text) });
    expect(arrived()).toEqual(expected);
    expect(parts(again)).toEqual(items);
  });

  test('is not taken for another text to the same number that is at its place now', async () => {
    const parameters = inBatchesOf(2, withOptions(SEND_LIST, { longMessages: 'split', parallelRequests: 1 }));
    const list = [{ phone: phoneAt(0), message: lettersOf(1000, 1000) }, ...listOf(1)];
    const added = { phone: phoneAt(0), message: 'z' };
    const messages = `={{ [${JSON.stringify(added)}, ...$json.list] }}`;
    await retryAfter(1, [{ list }], parameters, { ...parameters, messages });
    expect(arrived()).toEqual(['a1000', 'b1000', 'z1', 'H7']);
  });

  test('is not sent again in parts if it was sent as one', async () => {
    const items = contacts(2).map((contact, index) => ({ ...contact, text: `${index}` }));
    const message = `={{ $json.text + ${JSON.stringify(TWO_PARTS)} }}`;
    const again = await retryAfter(1, items, split, { ...split, message });
    expect(arrived()).toEqual(['01', '11000', 'b999']);
    expect(again.outputs.map((own) => own.map(outcomeOf))).toEqual([
      ['sent', 'sent'],
      ['uncertain', 'uncertain'],
    ]);
  });
});
