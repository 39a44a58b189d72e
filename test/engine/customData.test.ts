/** Values by which n8n's list of executions can be filtered: the outcomes of all messages of an execution. */
import { contacts } from '../support/contacts';
import { nodeForTests } from '../support/engine/nodeForTests';
import { continueWaiting, type Execution } from '../support/engine/workflow';
import { inBatchesOf, oneByOne, SEND, SEND_AND_WAIT, SEND_BULK, withOptions } from '../support/parameters';

const production = { mode: 'trigger', parameters: SEND_BULK } as const;
const { sandbox, setupOf, run, received } = nodeForTests(production);

const INVALID = { phone: 'abc', text: 'Hello' };
const CONTINUE = { onError: 'continueRegularOutput' } as const;
const customDataOf = (ran: Execution) => ran.run.data.resultData.metadata;
const refuse = (after: number, times: number) => sandbox().setFaults([{ kind: 'status', status: 403, after, times }]);

test('An execution has the number of messages for each outcome that occurred', async () => {
  expect(customDataOf(await run({ items: contacts(3) }))).toEqual({ messages_sent: '3' });
  expect(customDataOf(await run({ items: [...contacts(3), INVALID], ...CONTINUE }))).toEqual({
    messages_sent: '3',
    messages_not_sent: '1',
  });
  sandbox().setFaults([{ kind: 'reset-after' }]);
  expect(customDataOf(await run({ items: contacts(2), ...CONTINUE }))).toEqual({ messages_uncertain: '2' });
});

test('An execution that ends with an error has these numbers, too', async () => {
  refuse(1, 99);
  const ran = await run({ items: contacts(5), parameters: inBatchesOf(2, oneByOne(SEND_BULK)) });
  expect(ran.error).toBeDefined();
  expect(customDataOf(ran)).toEqual({ messages_sent: '2', messages_not_sent: '3' });
});

test('The rounds of a loop are added up, even if each has messages that were not sent', async () => {
  const items = [...contacts(2), INVALID, ...contacts(1), INVALID];
  const ran = await run({ items, loopOver: 2, ...CONTINUE });
  expect(ran.run.data.resultData.runData.Send).toHaveLength(3);
  expect(customDataOf(ran)).toEqual({ messages_sent: '3', messages_not_sent: '2' });
});

test('Two nodes of an execution are added up', async () => {
  const next = { ...SEND, phone: '={{ $json.phone }}', message: 'Again' };
  const ran = await run({ items: [...contacts(2), INVALID], next, ...CONTINUE });
  expect(received()).toHaveLength(4);
  // The item of the message that was not sent goes on to the second node.
  expect(customDataOf(ran)).toEqual({ messages_sent: '4', messages_not_sent: '2' });
});

test('The message of Send and Wait counts once, however long the answer takes', async () => {
  const setup = setupOf({ items: contacts(1), parameters: SEND_AND_WAIT });
  const waiting = await run(setup);
  expect(customDataOf(waiting)).toEqual({ messages_sent: '1' });
  expect(customDataOf(await continueWaiting(waiting, setup))).toEqual({ messages_sent: '1' });
});

test('Manual runs and dry runs have no numbers', async () => {
  expect(customDataOf(await run({ items: [...contacts(2), INVALID], ...CONTINUE, mode: 'manual' }))).toBeUndefined();
  const parameters = withOptions(SEND_BULK, { dryRun: true });
  expect(customDataOf(await run({ items: [...contacts(2), INVALID], ...CONTINUE, parameters }))).toBeUndefined();
});
