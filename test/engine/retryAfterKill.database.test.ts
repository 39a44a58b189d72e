/** What a run leaves in n8n's database for a Retry, and what happens if the database rejects writes, or forgets. */
import type { INodeParameters } from 'n8n-workflow';

import { inFlight, Lifetime } from '../../tools/engine/lifetime';
import { processedData } from '../../tools/engine/processedData';
import { KEY } from '../support/account';
import { contacts, listOf, phoneAt } from '../support/contacts';
import { nodeForTests } from '../support/engine/nodeForTests';
import type { Setup } from '../support/engine/workflow';
import { detailsOf, outcomeOf } from '../support/outputs';
import { inBatchesOf, oneByOne, SEND, SEND_BULK, SEND_LIST, SENDING_OPERATIONS } from '../support/parameters';

/** Counts requests; from the fourth on, n8n's database has this many newer entries. */
let [requests, newer] = [0, 0];
const othersWrite = (count: number, name: string) =>
  processedData.fill(Array.from({ length: count }, (_, index) => `${name} ${index}`));
const onRequest = () => {
  requests += 1;
  if (requests === 4 && newer > 0) othersWrite(newer, 'other');
};
const { sandbox, campaign, received, run } = nodeForTests({}, { onRequest });
beforeEach(() => ([requests, newer] = [0, 0]));

const singly = (parameters: INodeParameters) => inBatchesOf(1, oneByOne(parameters));

describe.each(SENDING_OPERATIONS)('%s where the storage', (_name, given) => {
  const setup = { parameters: singly(given), items: contacts(5) };

  describe.each([
    ['refuses every write', () => true],
    ['refuses every write after the first ones', (number: number) => number > 4],
  ])('%s', (_what, refuses) => {
    test("sends no message that it can't note first, and a Retry sends them when it can", async () => {
      processedData.set({ refuses });
      const refused = campaign({ ...setup, onError: 'continueErrorOutput' });
      const { outputs } = await refused.run();
      const unsent = outputs.flat().filter((item) => outcomeOf(item) === 'not_sent');
      expect(unsent.map((item) => detailsOf(item).code)).toEqual(Array(5 - received().length).fill('NOT_RESERVED'));
      expect(received().length).toBeLessThan(5);

      const stopped = campaign(setup);
      sandbox().reset();
      await stopped.run();
      processedData.set({});
      expect(await stopped.finish()).toEqual(Array(5).fill(expect.objectContaining({ outcome: 'sent', arrivals: 1 })));
    });
  });

  test('is slow notes each request before it leaves', async () => {
    processedData.set({ delay: 20 });
    const lifetime = new Lifetime();
    await campaign(setup).run({ lifetime });
    const { moments } = lifetime;
    for (const [index, moment] of moments.entries()) {
      if (moment !== 'leaving') continue;
      const noted = moments.slice(0, index).filter((earlier) => earlier === 'written').length;
      const earlier = moments.slice(0, index).filter((each) => each === 'leaving').length;
      expect(noted).toBeGreaterThan(earlier);
    }
  });
});

test('A single message that was in flight at a kill is not sent by a Retry of the Retry that could not ask the storage', async () => {
  const killed = campaign({ parameters: SEND, items: contacts(1) });
  await killed.run(inFlight(1));
  processedData.set({ refuses: () => true });
  await killed.run();
  processedData.set({});
  expect(await killed.finish()).toEqual([expect.objectContaining({ outcome: 'uncertain', arrivals: 1 })]);
});

const KINDS: Array<[string, INodeParameters, Setup['items']]> = [
  ['Send', singly(SEND), contacts(12)],
  ['Send Bulk', inBatchesOf(2, SEND_BULK), contacts(12)],
  ['Send Bulk from a JSON List', inBatchesOf(2, SEND_LIST), [{ list: listOf(12) }]],
];

describe.each(KINDS)("What %s leaves in n8n's database", (_name, parameters, items) => {
  test('contains no phone number, text or key, and nothing that they alone determine', async () => {
    const written = async () => {
      processedData.calls = [];
      const killed = campaign({ parameters, items });
      await killed.run(inFlight(3));
      await killed.finish();
      return new Set(processedData.calls.flatMap((call) => call.values.map(String)));
    };
    const [values, again] = [await written(), await written()];
    expect(values.size).toBeGreaterThan(0);
    for (const value of values) {
      expect(value).toMatch(/^[A-Za-z0-9+/]{12,16}\??$/);
      expect(value).not.toContain(KEY);
    }
    // Whom it has sent what: hashed with the API key.
    const common = [...values].filter((value) => again.has(value)).map((value) => value.replace('?', ''));
    expect(new Set(common).size).toBeLessThanOrEqual(12);
  });

  test('is, an hour later, whom it has sent what', async () => {
    const lifetime = new Lifetime();
    await run({ parameters, items, mode: 'trigger', lifetime });
    const { length } = processedData.entries;
    const later = performance.now() + 3_600_000;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => later);
    await run({ parameters, items, mode: 'trigger', lifetime });
    clock.mockRestore();
    // The first run's notes are gone, and the second one has left as many.
    expect(processedData.entries).toHaveLength(length);
  });

  test('is, after a manual execution, whom it has sent what', async () => {
    await campaign({ parameters, items, mode: 'manual' }).run();
    expect(received()).toHaveLength(12);
    expect(processedData.entries).toHaveLength(12);
  });
});

test("The remains of killed executions can't grow forever: a run that ends alone shortens the list", async () => {
  const send = async () => await campaign({ parameters: singly(SEND), items: contacts(3) }).finish();
  await send();
  othersWrite(60_900, 'other');
  await send();
  expect(processedData.entries.length).toBeGreaterThan(60_900);
  othersWrite(200, 'further');
  await send();
  expect(processedData.entries).toHaveLength(60_000);
});

test('A single message is sent without a word to the storage', async () => {
  await campaign({ parameters: SEND, items: contacts(1) }).finish();
  expect(received()).toEqual([phoneAt(0)]);
  expect(processedData.calls).toEqual([]);
});
