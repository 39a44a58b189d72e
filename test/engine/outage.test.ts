/** What an outage of the service, and a refusal, cost a run. */
import type { Fault } from '../../sandbox/faults';
import { contacts } from '../support/contacts';
import { type Execution, keptIn, retryExecution, runWorkflow, type Setup } from '../support/engine/workflow';
import { detailsOf, outcomeOf } from '../support/outputs';
import { inBatchesOf, SEND, SEND_BULK, SENDING_OPERATIONS, withOptions } from '../support/parameters';
import { accountOf, receivedPhones, sandboxForTests } from '../support/sandbox';

const sandbox = sandboxForTests();

const setupOf = (setup: Omit<Setup, 'account'>): Setup => ({
  account: accountOf(sandbox()),
  onError: 'continueRegularOutput',
  ...setup,
});
const countOf = ({ outputs }: Execution, outcome: string) =>
  outputs.flat().filter((item) => outcomeOf(item) === outcome).length;
const requestsTo = (endpoint: string) =>
  sandbox()
    .requests()
    .filter((request) => request.endpoint === endpoint).length;

const OUTAGES: Array<[string, Fault]> = [
  ['with 503', { kind: 'status', status: 503, times: 9999 }],
  ['with a web page and status 200', { kind: 'html', status: 200, times: 9999 }],
  ['with nothing: it closes the connection', { kind: 'reset-before', times: 9999 }],
];

describe.each(OUTAGES)('A service that answers everything %s', (_how, fault) => {
  test('makes no more than the messages of one request uncertain', async () => {
    sandbox().setFaults([fault]);
    const ran = await runWorkflow(setupOf({ items: contacts(2_000), parameters: SEND_BULK }));
    expect(countOf(ran, 'uncertain')).toBe(100);
    expect(countOf(ran, 'not_sent')).toBe(1_900);
    expect(detailsOf(ran.outputs[0]?.at(-1))).toMatchObject({
      code: 'SERVICE_DOWN',
      description: expect.stringContaining('100 messages of the run are uncertain') as string,
    });
  });

  test.each([
    ['Stop Workflow', 'stopWorkflow'],
    ['Continue', 'continueRegularOutput'],
  ] as const)('costs no more with five attempts of Retry On Fail, with On Error set to %s', async (_name, onError) => {
    sandbox().setFaults([fault]);
    await runWorkflow(setupOf({ items: contacts(20), parameters: SEND, onError, retryOnFail: { maxTries: 5 } }));
    expect(requestsTo('send')).toBe(1);
  });
});

test('A service that fails to send, although it reports the balance, makes no more than three requests uncertain', async () => {
  sandbox().setFaults([{ kind: 'status', on: 'bulk', status: 500, times: 9999 }]);
  const setup = setupOf({
    items: contacts(2_000),
    parameters: SEND_BULK,
    retryOnFail: { maxTries: 5 },
  });
  const ran = await runWorkflow(setup);
  expect(countOf(ran, 'uncertain')).toBe(300);
  expect(requestsTo('bulk')).toBe(3);
});

test('A run goes on when the service works again while the node waits', async () => {
  sandbox().setFaults([
    { kind: 'status', on: 'send', status: 503, after: 2 },
    { kind: 'html', on: 'balance', status: 200 },
  ]);
  const ran = await runWorkflow(
    setupOf({ items: contacts(10), parameters: withOptions(SEND, { parallelRequests: 1, longestWait: 1 }) }),
  );
  expect(countOf(ran, 'sent')).toBe(9);
  expect(countOf(ran, 'uncertain')).toBe(1);
  expect(requestsTo('balance')).toBe(2);
});

test('A retry reads the balance before it risks a message, and then sends the rest', async () => {
  sandbox().setFaults([{ kind: 'status', status: 503, times: 9999, after: 1 }]);
  const setup = setupOf({
    items: contacts(10),
    parameters: withOptions(inBatchesOf(2, SEND_BULK), { parallelRequests: 1 }),
    onError: 'stopWorkflow',
  });
  const ran = await runWorkflow(setup);
  const stillDown = await retryExecution(ran, setup);
  expect(requestsTo('bulk')).toBe(2);
  sandbox().setFaults([]);
  await retryExecution(stillDown, setup);
  expect(receivedPhones(sandbox())).toEqual(
    contacts(10).flatMap(({ phone }, index) => ([2, 3].includes(index) ? [] : [phone])),
  );
  expect(
    sandbox()
      .requests()
      .map(({ endpoint }) => endpoint),
  ).toEqual([...['bulk', 'bulk', 'balance'], ...['balance', 'bulk', 'bulk', 'bulk']]);
});

test('The next round of a loop risks no message while the service is down', async () => {
  sandbox().setFaults([{ kind: 'status', status: 503, times: 9999 }]);
  const more = [contacts(4), contacts(4), contacts(4)];
  const setup = setupOf({ items: contacts(4), moreItems: more, parameters: SEND });
  const { run } = await runWorkflow(setup);
  expect(run.data.resultData.runData.Send).toHaveLength(4);
  expect(requestsTo('send')).toBe(1);
});

test('Nothing is kept of an outage that is over', async () => {
  sandbox().setFaults([{ kind: 'status', status: 503, times: 2 }]);
  const setup = setupOf({
    items: contacts(4),
    parameters: withOptions(SEND, { uncertain: 'sendAgain' }),
    retryOnFail: { maxTries: 2 },
  });
  const ran = await runWorkflow(setup);
  expect(countOf(ran, 'sent')).toBe(4);
  expect(keptIn(ran)).toEqual({});
});

describe('A page of a firewall about one message', () => {
  test.each(SENDING_OPERATIONS)('fails that message alone with %s', async (_name, parameters) => {
    sandbox().setFaults([{ kind: 'html', status: 403, text: 'Hello 12' }]);
    const ran = await runWorkflow(setupOf({ items: contacts(30), parameters }));
    expect(countOf(ran, 'sent')).toBe(29);
    expect(detailsOf(ran.outputs[0]?.[12])).toMatchObject({ code: 'FORBIDDEN', http_status: 403, outcome: 'not_sent' });
  });

  test('fails the run if the balance is refused as well', async () => {
    sandbox().setFaults([{ kind: 'html', status: 403, after: 12, times: 9999 }]);
    const parameters = withOptions(SEND, { parallelRequests: 1 });
    const ran = await runWorkflow(setupOf({ items: contacts(30), parameters }));
    expect(countOf(ran, 'sent')).toBe(12);
    expect(requestsTo('send')).toBe(13);
  });
});

test('A message for which a whole request is refused with 400 fails alone', async () => {
  sandbox().setFaults([{ kind: 'status', status: 400, text: 'Hello 99' }]);
  const ran = await runWorkflow(setupOf({ items: contacts(250), parameters: SEND_BULK }));
  expect(countOf(ran, 'sent')).toBe(249);
  expect(outcomeOf(ran.outputs[0]?.[99] ?? { json: {} })).toBe('not_sent');
});

test('A refusal that is about everything costs one request for each batch and some 20 more', async () => {
  sandbox().setFaults([{ kind: 'status', status: 422, detailsShape: 'none', times: 9999 }]);
  const ran = await runWorkflow(setupOf({ items: contacts(1_000), parameters: SEND_BULK }));
  expect(countOf(ran, 'not_sent')).toBe(1_000);
  expect(requestsTo('bulk')).toBeLessThanOrEqual(10 + 21);
});
