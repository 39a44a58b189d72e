/** What a run says of the credits that were charged for messages without an answer. */
import type { Fault } from '../../sandbox/faults';
import { inFlight } from '../../tools/engine/lifetime';
import { contacts, KEY, phoneAt } from '../support/contacts';
import { type Given, nodeForTests } from '../support/engine/nodeForTests';
import type { Execution } from '../support/engine/workflow';
import { detailsOf, hintsOf } from '../support/outputs';
import { inBatchesOf, oneByOne, SEND, SEND_BULK, withOptions } from '../support/parameters';
import { accountOf } from '../support/sandbox';

/** The limit of this key is used up by a test. */
const SPENT = 'made-up-key-of-a-spent-limit';
const { sandbox, atRequest, run, requests, campaign } = nodeForTests(
  { onError: 'continueErrorOutput' },
  { keys: [KEY, SPENT] },
);

/** The second of three requests has no result; the service handled it or not. */
const lost = (handled: boolean): Fault => ({ kind: 'status', status: 504, handled, on: 'bulk', after: 1, times: 1 });
const IN_TURN = { parallelRequests: 1 };

async function runWith(fault: Fault, given: Partial<Given> = {}): Promise<Execution> {
  sandbox().setFaults([fault]);
  return await run({ items: contacts(250), parameters: withOptions(SEND_BULK, IN_TURN), ...given });
}

const ALL = '100 of 100 texts without an answer used a credit so far.';
const NONE = '0 of 100 texts without an answer used a credit so far; the service may still send others.';

test.each([
  [true, ALL, 100],
  [false, NONE, 0],
])('The balance tells whether messages without an answer were charged (%s)', async (handled, text, charged) => {
  const ran = await runWith(lost(handled));
  const { message } = hintsOf(ran)[0] ?? {};
  expect(message).toContain(`<br>By the balance, ${text} If anything else used or topped up the account`);
  expect(ran.outputs[0]).toHaveLength(150);
  const details = (ran.outputs[1] ?? []).map(detailsOf);
  expect(details).toHaveLength(100);
  expect(details[0]).toMatchObject({ outcome: 'uncertain', unanswered: 100, unanswered_charged: charged });
});

test('The error of a run that ends there says it as well', async () => {
  const { error } = await runWith(lost(true), { onError: 'stopWorkflow' });
  expect(error?.description).toContain(`By the balance, ${ALL}`);
});

test('A single message without an answer is counted among those that used a credit', async () => {
  sandbox().setFaults([{ kind: 'status', status: 504, handled: true, on: 'send', after: 1, times: 1 }]);
  const ran = await run({ items: contacts(3), parameters: oneByOne(withOptions(SEND, IN_TURN)) });
  expect(hintsOf(ran)[0]?.message).toContain('By the balance, 1 of 1 text without an answer used a credit so far');
});

test('Without an answer before it, nothing is said', async () => {
  expect(hintsOf(await runWith({ ...lost(true), after: 0 }))[0]?.message).not.toContain('By the balance');
});

test('If another run uses the key meanwhile, nothing is said', async () => {
  // Its credit would look like one for a message without an answer.
  sandbox().setFaults([lost(false), { kind: 'delay', ms: 1_000, on: 'send' }]);
  const arrived = new Promise<void>((resolve) => atRequest(resolve));
  const another = run({ items: contacts(1), parameters: SEND, workflowId: 'another' });
  await arrived;
  const ran = await run({ items: contacts(250), parameters: withOptions(SEND_BULK, IN_TURN) });
  await another;
  expect(hintsOf(ran)[0]?.message).not.toContain('By the balance');
});

test('Nothing waits for a free request only to read the balance', async () => {
  const parameters = withOptions(SEND_BULK, { ...IN_TURN, requestsPerMinute: 4 });
  const ran = await runWith(lost(true), { parameters, account: { ...accountOf(sandbox()), apiKey: SPENT } });
  expect(requests().map(({ endpoint }) => endpoint)).toEqual(['bulk', 'bulk', 'balance', 'bulk']);
  expect(hintsOf(ran)[0]?.message).not.toContain('By the balance');
});

test('A message that another execution may have sent counts as no text of this run', async () => {
  const once = inBatchesOf(2, withOptions(SEND_BULK, { ...IN_TURN, duplicateMessages: 'sendOnceEver' }));
  sandbox().setFaults([{ kind: 'reset-after', phones: [phoneAt(3)] }]);
  await run({ items: contacts(4).slice(3), parameters: once, mode: 'trigger' });
  sandbox().setFaults([]);
  const killed = campaign({ items: contacts(6), parameters: once });
  await killed.run(inFlight(2));
  expect(hintsOf(await killed.run())[0]?.message).not.toContain('By the balance');
});
