/** What happens where n8n's database takes nothing, or forgets. */
import type { INodeParameters } from 'n8n-workflow';

import { contacts } from '../support/contacts';
import { Campaign, type Fate, outcomes } from '../support/engine/campaign';
import { inFlight, Lifetime } from '../support/engine/lifetime';
import { processedData } from '../support/engine/processedData';
import type { Execution, Setup } from '../support/engine/workflow';
import { hintsOf } from '../support/outputs';
import { inBatchesOf, SEND, SENDING_OPERATIONS, withOptions } from '../support/parameters';
import { accountOf, receivedPhones, sandboxForTests } from '../support/sandbox';

const sandbox = sandboxForTests();
beforeEach(() => processedData.reset());

const NOT_PROTECTED = 'this run was not protected';
const oneByOne = (parameters: INodeParameters) => inBatchesOf(1, withOptions(parameters, { parallelRequests: 1 }));
const start = (setup: Omit<Setup, 'account'>) =>
  new Campaign(sandbox(), { account: accountOf(sandbox()), mode: 'trigger', ...setup });
const hints = (execution: Execution) => hintsOf(execution).map(({ message }) => message);
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
