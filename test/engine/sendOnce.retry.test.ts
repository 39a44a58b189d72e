/** Retries with 'Send Once, Across Executions'. */

import { contacts, phoneAt } from '../support/contacts';
import { processedData } from '../support/engine/processedData';
import { retryExecution, runWorkflow } from '../support/engine/workflow';
import { inBatchesOf, SEND } from '../support/parameters';
import { sandboxForTests } from '../support/sandbox';
import { once, outcomesOf, phones, sendOnceIn } from '../support/sendOnce';

const sandbox = sandboxForTests();
beforeEach(() => processedData.reset());
const { setupOf, run, received } = sendOnceIn(sandbox);

test('A Retry does not send what was sent, and sends again what may have been with Send Again', async () => {
  sandbox().setFaults([{ kind: 'status', status: 503, phones: [phoneAt(1)] }]);
  const setup = setupOf(contacts(3), inBatchesOf(1, once(SEND, { parallelRequests: 1 })), { onError: 'stopWorkflow' });
  const failed = await runWorkflow(setup);
  expect(failed.error).toBeDefined();
  sandbox().setFaults([]);
  const reported = await retryExecution(failed, setup, { ...setup, onError: 'continueRegularOutput' });
  expect(outcomesOf(reported)).toEqual(['sent', 'uncertain', 'sent']);
  const again = { ...setup, parameters: once(SEND, { uncertain: 'sendAgain' }) };
  expect(outcomesOf(await retryExecution(failed, setup, again))).toEqual(['sent', 'sent', 'skipped']);
});

test('A message that may have been sent stays reserved when Send Again is refused', async () => {
  sandbox().setFaults([{ kind: 'status', status: 503 }]);
  const setup = setupOf(contacts(1), once(SEND), { onError: 'stopWorkflow' });
  const failed = await runWorkflow(setup);
  sandbox().setFaults([{ kind: 'status', status: 403, times: 99 }]);
  await retryExecution(failed, setup, { ...setup, parameters: once(SEND, { uncertain: 'sendAgain' }) });
  sandbox().setFaults([]);
  expect(outcomesOf(await run(contacts(1), once(SEND)))).toEqual(['uncertain']);
});

test('A message that may have been sent stays uncertain when nobody can tell what other executions have sent', async () => {
  sandbox().setFaults([{ kind: 'status', status: 503, phones: [phoneAt(0)] }]);
  const setup = setupOf(contacts(2), inBatchesOf(1, once(SEND, { parallelRequests: 1 })), { onError: 'stopWorkflow' });
  const failed = await runWorkflow(setup);
  sandbox().setFaults([]);
  processedData.set({ refuses: () => true });
  const sendAgain = { ...setup, parameters: once(SEND, { uncertain: 'sendAgain' }) };
  const again = await retryExecution(failed, setup, { ...sendAgain, onError: 'continueRegularOutput' });
  expect(outcomesOf(again)).toEqual(['uncertain', 'not_sent']);
});

test('What Send Again sends is remembered, though the first attempt was without the option', async () => {
  sandbox().setFaults([{ kind: 'status', status: 503 }]);
  const setup = setupOf(contacts(1), SEND, { onError: 'stopWorkflow' });
  const failed = await runWorkflow(setup);
  sandbox().setFaults([]);
  const again = { ...setup, parameters: once(SEND, { uncertain: 'sendAgain' }) };
  expect(outcomesOf(await retryExecution(failed, setup, again))).toEqual(['sent']);
  expect(outcomesOf(await run(contacts(1), once(SEND)))).toEqual(['skipped']);
  expect(received()).toEqual(phones(0));
});

test.each([
  ['a single message', 1],
  ['several requests', 3],
])('Send Again sends nothing that another execution has sent meanwhile: %s', async (_what, count) => {
  sandbox().setFaults([{ kind: 'status', status: 503 }]);
  const setup = setupOf(contacts(count), SEND, { onError: 'stopWorkflow' });
  const failed = await runWorkflow(setup);
  sandbox().setFaults([]);
  await run(contacts(1), once(SEND));
  const again = { ...setup, parameters: once(SEND, { uncertain: 'sendAgain' }) };
  const outcomes = outcomesOf(await retryExecution(failed, setup, { ...again, onError: 'continueRegularOutput' }));
  expect(outcomes).toEqual(['skipped', ...Array<string>(count - 1).fill('sent')]);
  expect(received()).toEqual(phones(...Array.from({ length: count }, (_, index) => index)));
});
