/** Retries whose texts, rows or parts are other ones than in the first attempt. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { contacts, listOf, phoneAt } from '../support/contacts';
import { retryExecution, runWorkflow, type Setup } from '../support/engine/workflow';
import { outcomeOf } from '../support/outputs';
import {
  inBatchesOf,
  oneByOne,
  SEND,
  SEND_BULK,
  SEND_LIST,
  SENDING_ONE_BY_ONE,
  withOptions,
} from '../support/parameters';
import { accountOf, receivedContacts, receivedPhones, receivedTexts, sandboxForTests } from '../support/sandbox';

const sandbox = sandboxForTests();

const setupOf = (setup: Omit<Setup, 'account'>): Setup => ({ account: accountOf(sandbox()), ...setup });
const sentOnce = (count: number) =>
  expect(receivedContacts(sandbox()).sort((one, other) => one.phone.localeCompare(other.phone))).toEqual(
    contacts(count),
  );
/** Values that are others in each attempt, or in each Retry. */
const CHANGING = ['$now.toMillis() + Math.random()', '$execution.id', '$execution.resumeUrl'];

describe.each(CHANGING)('A text that contains {{ %s }}', (expression) => {
  const message = `={{ $json.text }} {{ ${expression} }}`;
  const sentOnceEach = () => expect(receivedPhones(sandbox()).sort()).toEqual(contacts(6).map(({ phone }) => phone));

  test.each(SENDING_ONE_BY_ONE)('is sent once with Retry by %s', async (_name, parameters) => {
    sandbox().setFaults([{ kind: 'status', status: 403, after: 2 }]);
    const setup = setupOf({ items: contacts(6), parameters: { ...parameters, message } });
    const again = await retryExecution(await runWorkflow(setup), setup);
    expect(again.error).toBeUndefined();
    expect(again.outputs[0]).toHaveLength(6);
    sentOnceEach();
  });

  test('is not continued by a Retry if it is split and some of its parts were sent', async () => {
    sandbox().setFaults([{ kind: 'status', status: 403, after: 1 }]);
    const split = withOptions(SEND, { longMessages: 'split' });
    const setup = setupOf({
      items: [{ phone: phoneAt(0), text: `${'a'.repeat(999)} ${'b'.repeat(999)} c` }],
      parameters: { ...split, message: `={{ ${expression} }} {{ $json.text }}` },
    });
    const again = { ...setup, onError: 'continueErrorOutput' as const };
    const { outputs } = await retryExecution(await runWorkflow(setup), setup, again);
    expect(outputs.map((own) => own.map((item) => [item.json.part, outcomeOf(item)]))).toEqual([
      [[1, 'sent']],
      [
        [undefined, 'uncertain'],
        [undefined, 'uncertain'],
      ],
    ]);
    expect(receivedPhones(sandbox())).toHaveLength(1);
  });
});

describe('A retry with the workflow as it is now', () => {
  const parameters = oneByOne(inBatchesOf(2, SEND_LIST));
  const retryAfterChange = async (items: IDataObject[], before: INodeParameters, after: INodeParameters) => {
    const setup = setupOf({ items, parameters: before });
    sandbox().setFaults([{ kind: 'status', status: 403, after: 2 }]);
    const again = await retryExecution(await runWorkflow(setup), setup, { ...setup, parameters: after });
    expect(again.error).toBeUndefined();
    return again;
  };
  const listWithout = (...indexes: number[]) => ({
    ...parameters,
    messages: `={{ $json.list.filter((_, index) => !${JSON.stringify(indexes)}.includes(index)) }}`,
  });

  test.each([0, 3, 4])('sends no row again if row %i of a list was removed', async (removed) => {
    const { outputs } = await retryAfterChange([{ list: listOf(10) }], parameters, listWithout(removed));
    const left = listOf(10).filter((_, index) => index !== removed);
    expect(outputs[0]?.map(({ json }) => json.phone)).toEqual(left.map(({ phone }) => phone));
    const arrived = listOf(10).filter((_, index) => index !== removed || removed < 4);
    expect(receivedPhones(sandbox()).sort()).toEqual(arrived.map(({ phone }) => phone));
  });

  test('sends what was not sent to a phone if a message that it got was removed', async () => {
    const list = ['A', 'B', 'C', 'D', 'E', 'F'].map((message) => ({ phone: phoneAt(0), message }));
    await retryAfterChange([{ list }], parameters, listWithout(0, 3));
    expect(receivedTexts(sandbox())).toEqual(['A', 'B', 'C', 'D', 'E', 'F']);
  });

  const fromItems = oneByOne(inBatchesOf(2, SEND_BULK));
  test.each([
    ['JSON List', fromItems, parameters],
    ['Input Items', parameters, fromItems],
  ])('sends no message again if Source was switched to %s', async (_name, before, after) => {
    const items = contacts(8).map(({ phone, text }) => ({ phone, text, list: [{ phone, message: text }] }));
    const { outputs } = await retryAfterChange(items, before, after);
    expect(outputs[0]).toHaveLength(8);
    sentOnce(8);
  });
});

test('A retry sends only the parts of a split text that were not sent', async () => {
  const setup = setupOf({
    items: [{ phone: phoneAt(0), text: `${'a'.repeat(1000)}${'b'.repeat(1000)}${'c'.repeat(10)}` }],
    parameters: withOptions(SEND, { longMessages: 'split' }),
  });
  sandbox().setFaults([{ kind: 'status', status: 403, after: 1 }]);
  const { outputs } = await retryExecution(await runWorkflow(setup), setup);
  expect(receivedTexts(sandbox()).map((text) => text[0])).toEqual(['a', 'b', 'c']);
  expect(outputs[0]?.map(({ json }) => json.part)).toEqual([1, 2, 3]);
});

describe('A text that has another number of parts in a retry', () => {
  const lettersOf = (...counts: number[]) =>
    counts.map((count, index) => String.fromCharCode(97 + index).repeat(count)).join('');
  const arrived = () => receivedTexts(sandbox()).map((text) => `${text[0]}${text.length}`);
  const split = withOptions(SEND, { longMessages: 'split', parallelRequests: 1 });
  const truncated = withOptions(SEND, { longMessages: 'truncate', parallelRequests: 1 });
  /** To two contacts; the first attempt ends after `after` requests. */
  const retryWith = async (after: number, text: string, parameters: INodeParameters) => {
    const message = (words: string) => `={{ $json.name + ${JSON.stringify(words)} }}`;
    const items = ['A', 'B'].map((name, index) => ({ phone: phoneAt(index), name }));
    const setup = setupOf({ items, parameters: { ...split, message: message(lettersOf(999, 999)) } });
    sandbox().setFaults([{ kind: 'status', status: 403, after }]);
    const first = await runWorkflow(setup);
    const again = { ...setup, parameters: { ...parameters, message: message(text) } };
    const { outputs } = await retryExecution(first, setup, { ...again, onError: 'continueErrorOutput' });
    return outputs.map((own) => own.map((item) => [item.json.phone, item.json.part, outcomeOf(item)]));
  };

  test('is not sent again as one', async () => {
    const [sent, failed] = await retryWith(2, lettersOf(999, 999), truncated);
    expect(arrived()).toEqual(['A1000', 'b999', 'B1000']);
    expect(sent).toEqual([[phoneAt(1), undefined, 'sent']]);
    expect(failed).toEqual([[phoneAt(0), undefined, 'uncertain']]);
  });

  test('is not sent again in more parts', async () => {
    const [sent, failed] = await retryWith(2, lettersOf(999, 1000, 1000), split);
    expect(arrived()).toEqual(['A1000', 'b999', 'B1000', 'b1000', 'c1000']);
    expect(sent?.map(([phone, part]) => [phone, part])).toEqual([
      ...[1, 2].map((part) => [phoneAt(0), part]),
      ...[1, 2, 3].map((part) => [phoneAt(1), part]),
    ]);
    expect(failed).toEqual([[phoneAt(0), undefined, 'uncertain']]);
  });

  test.each(['report', 'sendAgain'])(
    'is not sent as one if some of its parts were, whatever is done about uncertain ones: %s',
    async (uncertain) => {
      const parameters = withOptions(SEND, { longMessages: 'split', parallelRequests: 1, uncertain });
      const [sent, failed] = await retryWith(1, 'Hello', parameters);
      expect(arrived()).toEqual(['A1000', 'B6']);
      expect(sent).toEqual([[phoneAt(1), undefined, 'sent']]);
      expect(failed).toEqual([[phoneAt(0), undefined, 'uncertain']]);
    },
  );

  test('is not continued in other parts if only some of its parts were sent', async () => {
    const [, failed] = await retryWith(1, lettersOf(999, 1000, 1000), split);
    expect(arrived()).toEqual(['A1000', 'B1000', 'b1000', 'c1000']);
    expect(failed).toEqual([2, 3].map(() => [phoneAt(0), undefined, 'uncertain']));
  });

  test('is not taken for another text to the same number that is at its place now', async () => {
    const parameters = inBatchesOf(2, withOptions(SEND_LIST, { longMessages: 'split', parallelRequests: 1 }));
    const list = [{ phone: phoneAt(0), message: lettersOf(1000, 1000) }, ...listOf(1)];
    const setup = setupOf({ items: [{ list }], parameters });
    sandbox().setFaults([{ kind: 'status', status: 403, after: 1 }]);
    const added = { phone: phoneAt(0), message: 'z' };
    const messages = `={{ [${JSON.stringify(added)}, ...$json.list] }}`;
    await retryExecution(await runWorkflow(setup), setup, { ...setup, parameters: { ...parameters, messages } });
    expect(arrived()).toEqual(['a1000', 'b1000', 'z1', 'H7']);
  });

  test('is not sent again in parts if it was sent as one', async () => {
    const items = contacts(2).map((contact, index) => ({ ...contact, text: `${index}` }));
    const setup = setupOf({ items, parameters: split });
    sandbox().setFaults([{ kind: 'status', status: 403, after: 1 }]);
    const message = `={{ $json.text + ${JSON.stringify(lettersOf(999, 999))} }}`;
    const longer = { ...setup, parameters: { ...split, message }, onError: 'continueErrorOutput' as const };
    const { outputs } = await retryExecution(await runWorkflow(setup), setup, longer);
    expect(arrived()).toEqual(['01', '11000', 'b999']);
    expect(outputs.map((own) => own.map(outcomeOf))).toEqual([Array(2).fill('sent'), Array(2).fill('uncertain')]);
  });
});
