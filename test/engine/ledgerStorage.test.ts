/** What is kept in n8n's database for a Retry, and what happens where n8n can't keep it. */
import type { INodeParameters } from 'n8n-workflow';

import { KEY } from '../support/account';
import { contacts, listOf, phoneAt } from '../support/contacts';
import { Campaign, type Fate } from '../support/engine/campaign';
import { killedAtNth, Lifetime } from '../support/engine/lifetime';
import { processedData } from '../support/engine/processedData';
import type { Execution, Setup } from '../support/engine/workflow';
import { hintsOf } from '../support/outputs';
import { inBatchesOf, SEND, SEND_BULK, SEND_LIST, SENDING_OPERATIONS, withOptions } from '../support/parameters';
import { accountOf, receivedPhones, sandboxForTests } from '../support/sandbox';

const sandbox = sandboxForTests();
beforeEach(() => processedData.reset());

const NOT_PROTECTED = 'this run was not protected';
const oneByOne = (parameters: INodeParameters) => inBatchesOf(1, withOptions(parameters, { parallelRequests: 1 }));
const start = (setup: Omit<Setup, 'account'>) =>
  new Campaign(sandbox(), { account: accountOf(sandbox()), mode: 'trigger', ...setup });
const outcomes = (fates: readonly Fate[]) => fates.map(({ outcome }) => outcome);
const hints = (execution: Execution) => hintsOf(execution).map(({ message }) => message);
const inFlight = (request: number) => ({ lifetime: killedAtNth('left', request) });
const isTrue = ({ outcome, arrivals }: Fate) => arrivals <= 1 && (outcome === 'uncertain' || arrivals === 1);

describe.each(SENDING_OPERATIONS)('%s where the storage', (_name, given) => {
  const parameters = oneByOne(given);

  describe.each([
    ['refuses every write', () => true],
    ['refuses every write after the first ones', (number: number) => number > 4],
  ])('%s', (_what, refuses) => {
    test('sends all messages, and its hint says that the run is not protected', async () => {
      processedData.set({ refuses });
      const campaign = start({ parameters, items: contacts(5) });
      expect(outcomes(await campaign.finish())).toEqual(['sent', 'sent', 'sent', 'sent', 'sent']);
      expect(hints(campaign.execution)).toContainEqual(expect.stringContaining(NOT_PROTECTED));
      expect(receivedPhones(sandbox())).toHaveLength(5);
    });

    test.each(['working again', 'still refusing'])(
      'loses nothing in a Retry after a kill, with the storage %s',
      async (then) => {
        for (let request = 1; request <= 5; request += 1) {
          sandbox().reset();
          processedData.reset();
          processedData.set({ refuses });
          const campaign = start({ parameters, items: contacts(5) });
          await campaign.run(inFlight(request));
          if (then === 'working again') processedData.set({});
          const fates = await campaign.finish();
          // A request that nothing can be noted of is one that a Retry may send again: the hint says so.
          const mayRepeat = then === 'working again' && !refuses(1);
          const isWrong = (fate: Fate) => !isTrue(mayRepeat ? { ...fate, arrivals: Math.min(1, fate.arrivals) } : fate);
          expect(fates.filter(isWrong)).toEqual([]);
        }
      },
    );
  });

  test('refuses one write now and then goes on as if nothing had happened', async () => {
    processedData.set({ refuses: (number) => number % 4 === 0 });
    const campaign = start({ parameters, items: contacts(5) });
    expect(outcomes(await campaign.finish())).toEqual(['sent', 'sent', 'sent', 'sent', 'sent']);
    expect(hints(campaign.execution)).not.toContainEqual(expect.stringContaining(NOT_PROTECTED));
  });

  test('is slow notes each request before it leaves', async () => {
    processedData.set({ delay: 20 });
    const campaign = start({ parameters, items: contacts(3) });
    const lifetime = new Lifetime();
    await campaign.run({ lifetime });
    const { moments } = lifetime;
    for (const [index, moment] of moments.entries()) {
      if (moment !== 'leaving') continue;
      const noted = moments.slice(0, index).filter((earlier) => earlier === 'written').length;
      const earlier = moments.slice(0, index).filter((each) => each === 'leaving').length;
      expect(noted).toBeGreaterThan(earlier);
    }
  });

  test('loses writes to another worker goes on after a kill without loss or a second send', async () => {
    // The write of the request in flight is not among them: nothing has shown yet that it is lost.
    for (let lost = 1; lost <= 11; lost += 1) {
      sandbox().reset();
      processedData.reset();
      processedData.set({ loses: (number) => number === lost });
      const campaign = start({ parameters, items: contacts(6) });
      await campaign.run(inFlight(6));
      const fates = await campaign.finish();
      expect(fates.filter((fate) => !isTrue(fate))).toEqual([]);
    }
  });
});

const KINDS: Array<[string, INodeParameters, Setup['items']]> = [
  ['Send', oneByOne(SEND), contacts(12)],
  ['Send Bulk', inBatchesOf(2, SEND_BULK), contacts(12)],
  ['Send Bulk from a JSON List', inBatchesOf(2, SEND_LIST), [{ list: listOf(12) }]],
];

describe.each(KINDS)("What %s leaves in n8n's database", (_name, parameters, items) => {
  test('contains no phone number, text or key, nor a hash of one', async () => {
    const campaign = start({ parameters, items });
    await campaign.run(inFlight(3));
    await campaign.finish();
    const values = processedData.calls.flatMap((call) => call.values.map(String));
    expect(values.length).toBeGreaterThan(0);
    for (const value of values) {
      expect(value).toMatch(/^[A-Za-z0-9+/]{16}\??$/);
      expect(value).not.toContain(KEY);
    }
    // The same campaign in another workflow would have other values, so no list of numbers gives them away.
    expect(new Set(values).size).toBeGreaterThan(1);
  });

  test('is a handful of entries after an execution in which all was sent', async () => {
    await start({ parameters, items }).finish();
    expect(processedData.entries.length).toBeGreaterThan(0);
    expect(processedData.entries.length).toBeLessThanOrEqual(8);
  });

  test('does not grow with its messages once a killed execution was retried', async () => {
    const campaign = start({ parameters, items, onError: 'continueRegularOutput' });
    await campaign.run({ lifetime: killedAtNth('leaving', 1) });
    await campaign.finish();
    expect(processedData.entries.length).toBeLessThanOrEqual(40);
  });

  test('is nothing after a manual execution', async () => {
    await start({ parameters, items, mode: 'manual' }).run();
    expect(receivedPhones(sandbox())).toHaveLength(12);
    expect(processedData.calls).toEqual([]);
  });
});

test('What is left of killed executions can not grow for ever: a run that ends alone shortens the list', async () => {
  const campaign = () => start({ parameters: oneByOne(SEND), items: contacts(3) });
  await campaign().finish();
  processedData.fill(Array.from({ length: 10_900 }, (_, index) => `other ${index}`));
  await campaign().finish();
  expect(processedData.entries.length).toBeGreaterThan(10_900);
  processedData.fill(Array.from({ length: 200 }, (_, index) => `further ${index}`));
  await campaign().finish();
  expect(processedData.entries).toHaveLength(10_000);
});

test('A single message is sent without a word to the storage', async () => {
  await start({ parameters: SEND, items: contacts(1) }).finish();
  expect(receivedPhones(sandbox())).toEqual([phoneAt(0)]);
  expect(processedData.calls).toEqual([]);
});

describe('A list that has become too long', () => {
  let fill = 0;
  let requests = 0;
  const full = sandboxForTests({
    onRequest: () => {
      requests += 1;
      // As if many other executions had been noted since this one began.
      if (requests === 4) processedData.fill(Array.from({ length: fill }, (_, index) => `other ${index}`));
    },
  });

  test.each([9_980, 9_985, 9_990, 9_995, 10_000])(
    'has forgotten the run before any of its requests: nothing is sent twice with %d newer entries',
    async (newer) => {
      [fill, requests] = [newer, 0];
      const setup = { account: accountOf(full()), mode: 'trigger', parameters: oneByOne(SEND) } as const;
      const campaign = new Campaign(full(), { ...setup, items: contacts(7) });
      await campaign.run(inFlight(7));
      const fates = await campaign.finish();
      expect(fates.filter((fate) => !isTrue(fate))).toEqual([]);
    },
  );
});
