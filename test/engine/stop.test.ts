import type { IDataObject } from 'n8n-workflow';

import { contacts, KEY } from '../support/contacts';
import { nodeForTests } from '../support/engine/nodeForTests';
import { keptIn, type Setup, startWorkflow } from '../support/engine/workflow';
import { recordedIn } from '../support/outputs';
import { inBatchesOf, oneByOne, SEND, SEND_BULK, withOptions } from '../support/parameters';
import { accountOf, someTurns, until } from '../support/sandbox';

/** Keys whose limit a test uses up, so that no other test waits for it. */
const SPENT = [0, 1, 2, 3].map((index) => `made-up-spent-key-${index}`);
const { sandbox, setupOf, run, retry, received, requests, contactsReceived } = nodeForTests(
  {},
  { keys: [KEY, ...SPENT] },
);
const spentAccount = (index: number) => ({ ...accountOf(sandbox()), apiKey: SPENT[index] ?? '' });

async function stopWhen(holds: () => boolean, setup: Setup, turns = someTurns) {
  const { ended, stop } = await startWorkflow(setup);
  await until(holds);
  await turns();
  stop();
  const ran = await ended;
  await turns();
  return ran;
}
const atOnce = async () => await Promise.resolve();

test.each([
  ['Stop Workflow', 'stopWorkflow', 0],
  ['Continue (using error output)', 'continueErrorOutput', 1],
] as const)('Stop ends a wait for the limit, and no request follows (%s)', async (_name, onError, account) => {
  const parameters = withOptions(SEND, { requestsPerMinute: 2 });
  const setup = setupOf({ account: spentAccount(account), items: contacts(10), parameters, onError });
  const ran = await stopWhen(() => received().length === 2, setup);
  expect(requests()).toHaveLength(2);
  expect(recordedIn(keptIn(ran)).sent).toHaveLength(2);
});

test('Stop passes no item on as sent while the credits are checked', async () => {
  sandbox().setFaults([{ kind: 'status', status: 429, retryAfter: 60, times: 9 }]);
  const parameters = withOptions(SEND, { checkCreditsFirst: true, longestWait: 5 });
  const setup = setupOf({ account: spentAccount(3), items: contacts(3), parameters, onError: 'continueErrorOutput' });
  const { outputs } = await stopWhen(() => requests().length === 1, setup);
  expect(outputs[0] ?? []).toEqual([]);
});

test('Stop makes messages in flight uncertain, which n8n stores, and a retry sends only what was not attempted', async () => {
  // All requests send their messages, but only the first one ends before Stop.
  sandbox().setFaults([{ kind: 'silence', handled: true, after: 1, times: 9 }]);
  const kept: Array<IDataObject | undefined> = [];
  const setup = setupOf({
    items: contacts(6),
    parameters: oneByOne(inBatchesOf(2, SEND_BULK)),
    onStore: (data) => kept.push(data.executionData?.contextData['node:Send']),
  });
  const ran = await stopWhen(() => received().length === 4, setup, atOnce);
  expect(received()).toHaveLength(4);
  const { sent, uncertain } = recordedIn(kept[0] ?? {});
  expect([sent.length, uncertain.length]).toEqual([2, 2]);
  sandbox().setFaults([]);
  const { error } = await retry(ran, setup);
  const message = 'The run was stopped while the request was in flight';
  expect(error).toMatchObject({ message, context: { itemIndex: 2 } });
  expect(error?.description).toContain(
    '<br>2 may have been sent: the run was stopped while the request was in flight (items 2, 3).',
  );
  expect(contactsReceived()).toEqual(contacts(6));
});

test('Stop makes only messages in flight uncertain, and none of their batch that another execution had sent', async () => {
  const parameters = withOptions(SEND_BULK, { duplicateMessages: 'sendOnceEver' });
  await run({ items: contacts(1), parameters });
  sandbox().setFaults([{ kind: 'silence', handled: true }]);
  const ran = await stopWhen(() => received().length === 3, setupOf({ items: contacts(3), parameters }), atOnce);
  expect(new Set(recordedIn(keptIn(ran)).uncertain).size).toBe(2);
});
