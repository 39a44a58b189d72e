/** Two processes of n8n, such as workers, that send with one key. */
import { Lifetime } from '../../tools/engine/lifetime';
import { contacts } from '../support/contacts';
import { nodeForTests } from '../support/engine/nodeForTests';
import { inBatchesOf, SEND_BULK, withOptions } from '../support/parameters';

const { run, sandbox, requests } = nodeForTests({}, { limit: 6, windowSeconds: 1 });

test('Executions in two processes send each message once, and none fails because of the limit that they share', async () => {
  const parameters = inBatchesOf(1, withOptions(SEND_BULK, { longestWait: 1 }));
  const lists = [contacts(20).slice(0, 10), contacts(20).slice(10)];
  const executions = await Promise.all(
    lists.map(async (items) => await run({ items, parameters, lifetime: new Lifetime() })),
  );
  const reported = executions.flatMap(({ outputs }) => outputs.flat()).map(({ json }) => [json.phone, json.message_id]);
  expect(executions.map(({ error }) => error)).toEqual([undefined, undefined]);
  expect(reported.map(([phone]) => phone)).toEqual(contacts(20).map(({ phone }) => phone));
  const arrived = sandbox().messages();
  expect(reported).toEqual(expect.arrayContaining(arrived.map(({ phone, id }) => [phone, id])));
  expect(arrived).toHaveLength(20);
  expect(requests().some(({ status }) => status === 429)).toBe(true);
});
