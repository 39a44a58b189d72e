/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
/** What a run says of the credits that were charged for messages without an answer. */
import type { Fault } from '../../sandbox/faults';
import { contacts } from '../support/contacts';
import { type Given, nodeForTests } from '../support/engine/nodeForTests';
import type { Execution } from '../support/engine/workflow';
import { detailsOf, hintsOf } from '../support/outputs';
import { oneByOne, SEND, SEND_BULK, withOptions } from '../support/parameters';

const { sandbox, run } = nodeForTests({ onError: 'continueErrorOutput' });

/** The second of three requests has no result; the service handled it or not. */
const secondAnswer = (handled: boolean): Fault => ({
  kind: 'status',
  status: 504,
  handled,
  on: 'bulk',
  after: 1,
  times: 1,
});
const IN_TURN = { parallelRequests: 1 };

async function campaign(fault: Fault, given: Partial<Given> = {}): Promise<Execution> {
  sandbox().setFaults([fault]);
  return await run({ items: contacts(250), parameters: withOptions(SEND_BULK, IN_TURN), ...given });
}

const ALL = '100 of 100 messages without an answer used a credit';
const NONE = '0 of 100 messages without an answer used a credit';

test.each([
  [true, ALL, 100],
  [false, NONE, 0],
])(
  'After an answer is lost, the balance tells whether its messages were charged (%s)',
  async (handled, text, charged) => {
    const ran = await campaign(secondAnswer(handled));
    const { message } = hintsOf(ran)[0] ?? {};
    expect(message).toContain(`<br>By the balance, ${text}. If anything else used or topped up the account meanwhile`);
    expect(ran.outputs[0]).toHaveLength(150);
    const details = (ran.outputs[1] ?? []).map(detailsOf);
    expect(details).toHaveLength(100);
    expect(details[0]).toMatchObject({ outcome: 'uncertain', unanswered: 100, unanswered_charged: charged });
  },
);

test('The error of a run that ends there says it as well', async () => {
  const { error } = await campaign(secondAnswer(true), { onError: 'stopWorkflow' });
  expect(error?.description).toContain(`By the balance, ${ALL}.`);
});

test('A single message is called charged or not', async () => {
  sandbox().setFaults([{ kind: 'status', status: 504, handled: true, on: 'send', after: 1, times: 1 }]);
  const ran = await run({ items: contacts(3), parameters: oneByOne(withOptions(SEND, IN_TURN)) });
  expect(hintsOf(ran)[0]?.message).toContain('By the balance, 1 of 1 message without an answer used a credit.');
});

test('A balance that can no longer be read is not asked for again', async () => {
  sandbox().setFaults([{ kind: 'status', status: 503, after: 1, times: 9 }]);
  const parameters = withOptions(SEND_BULK, { ...IN_TURN, longestWait: 0 });
  await run({ items: contacts(250), parameters });
  expect(
    sandbox()
      .requests()
      .map(({ endpoint }) => endpoint),
  ).toEqual(['bulk', 'bulk', 'balance']);
});

test('Without an answer before it, nothing is said', async () => {
  const ran = await campaign({ ...secondAnswer(true), after: 0 });
  expect(hintsOf(ran)[0]?.message).not.toContain('By the balance');
});

test('If another run uses the key meanwhile, nothing is said', async () => {
  // Its credit would look like one for a message without an answer.
  sandbox().setFaults([secondAnswer(false), { kind: 'delay', ms: 200, on: 'bulk' }]);
  const parameters = withOptions(SEND_BULK, IN_TURN);
  const [ran] = await Promise.all([
    run({ items: contacts(250), parameters }),
    run({ items: contacts(1), parameters: SEND, workflowId: 'another' }),
  ]);
  expect(hintsOf(ran)[0]?.message).not.toContain('By the balance');
});
