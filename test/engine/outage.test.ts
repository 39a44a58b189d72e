/** What an outage of the service costs a run and its retries. */
import type { Fault } from '../../sandbox/faults';
import { contacts } from '../support/contacts';
import { nodeForTests } from '../support/engine/nodeForTests';
import { type Execution, keptIn } from '../support/engine/workflow';
import { detailsOf, outcomesOf } from '../support/outputs';
import { inBatchesOf, oneByOne, SEND, SEND_BULK, SENDING_OPERATIONS, withOptions } from '../support/parameters';

const { sandbox, setupOf, run, retry, received, requests } = nodeForTests({ onError: 'continueRegularOutput' });
const countOf = (ran: Execution, outcome: string) => outcomesOf(ran).filter((each) => each === outcome).length;

describe.each<[string, Fault]>([
  ['with 503', { kind: 'status', status: 503, times: 9999 }],
  ['with a web page and status 200', { kind: 'html', status: 200, times: 9999 }],
  ['with nothing: it closes the connection', { kind: 'reset-before', times: 9999 }],
])('A service that answers everything %s', (_how, fault) => {
  beforeEach(() => sandbox().setFaults([fault]));

  test('makes no more than the messages of one request uncertain', async () => {
    const ran = await run({ items: contacts(2_000), parameters: SEND_BULK });
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
    await run({ items: contacts(20), parameters: SEND, onError, retryOnFail: { maxTries: 5 } });
    expect(requests('send')).toHaveLength(1);
  });
});

test('A service that fails to send, although it reports the balance, makes no more than three requests uncertain', async () => {
  sandbox().setFaults([{ kind: 'status', on: 'bulk', status: 500, times: 9999 }]);
  const ran = await run({ items: contacts(2_000), parameters: SEND_BULK, retryOnFail: { maxTries: 5 } });
  expect(countOf(ran, 'uncertain')).toBe(300);
  expect(requests('bulk')).toHaveLength(3);
});

test('A retry reads the balance before it risks a message, and then sends the rest', async () => {
  sandbox().setFaults([{ kind: 'status', status: 503, times: 9999, after: 1 }]);
  const parameters = oneByOne(inBatchesOf(2, SEND_BULK));
  const setup = setupOf({ items: contacts(10), parameters, onError: 'stopWorkflow' });
  const stillDown = await retry(await run(setup), setup);
  expect(requests('bulk')).toHaveLength(2);
  sandbox().setFaults([]);
  await retry(stillDown, setup);
  const expected = contacts(10).filter((_contact, index) => ![2, 3].includes(index));
  expect(received()).toEqual(expected.map(({ phone }) => phone));
  const endpoints = ['bulk', 'bulk', 'balance', 'balance', 'bulk', 'bulk', 'bulk'];
  expect(requests().map(({ endpoint }) => endpoint)).toEqual(endpoints);
});

test('The next round of a loop risks no message while the service is down', async () => {
  sandbox().setFaults([{ kind: 'status', status: 503, times: 9999 }]);
  const moreItems = [contacts(4), contacts(4), contacts(4)];
  const { run: ran } = await run({ items: contacts(4), moreItems, parameters: SEND });
  expect(ran.data.resultData.runData.Send).toHaveLength(4);
  expect(requests('send')).toHaveLength(1);
});

test('Nothing is kept of an outage that is over', async () => {
  sandbox().setFaults([{ kind: 'status', status: 503, times: 2 }]);
  const parameters = withOptions(SEND, { uncertain: 'sendAgain' });
  const ran = await run({ items: contacts(4), parameters, retryOnFail: { maxTries: 2 } });
  expect(countOf(ran, 'sent')).toBe(4);
  expect(keptIn(ran)).toEqual({});
});

test.each(SENDING_OPERATIONS)(
  'A page of a firewall about one message fails that message alone with %s',
  async (_name, parameters) => {
    sandbox().setFaults([{ kind: 'html', status: 403, text: 'Hello 12' }]);
    const ran = await run({ items: contacts(30), parameters });
    expect(countOf(ran, 'sent')).toBe(29);
    expect(detailsOf(ran.outputs[0]?.[12])).toMatchObject({ code: 'FORBIDDEN', http_status: 403, outcome: 'not_sent' });
  },
);
