/** What an outage of the service costs a run and its retries. */
import { contacts } from '../support/contacts';
import { nodeForTests } from '../support/engine/nodeForTests';
import { keptIn } from '../support/engine/workflow';
import { outcomesOf } from '../support/outputs';
import { inBatchesOf, oneByOne, SEND, SEND_BULK } from '../support/parameters';

const { sandbox, setupOf, run, retry, received, requests } = nodeForTests({ onError: 'continueRegularOutput' });

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

test('Of an outage that is over, only the outcomes of its messages are kept', async () => {
  sandbox().setFaults([{ kind: 'status', status: 503, times: 2 }]);
  const ran = await run({ items: contacts(4), parameters: SEND, retryOnFail: { maxTries: 2 } });
  expect(outcomesOf(ran)).toEqual(['uncertain', 'sent', 'sent', 'sent']);
  expect(Object.keys(keptIn(ran))).toEqual(['deliveries']);
});
