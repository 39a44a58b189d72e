/** Loops during which n8n was killed. */
import { contacts } from '../support/contacts';
import { arrivals, Campaign, outcomes } from '../support/engine/campaign';
import { countOf, inFlight, killedAtNth } from '../support/engine/lifetime';
import { processedData } from '../support/engine/processedData';
import type { Setup } from '../support/engine/workflow';
import { oneByOne, SEND, SEND_BULK } from '../support/parameters';
import { accountOf, sandboxForTests } from '../support/sandbox';

const sandbox = sandboxForTests();
beforeEach(() => processedData.reset());

const items = (count: number) => ({ items: contacts(count) });
const start = (setup: Omit<Setup, 'account' | 'mode'>) =>
  new Campaign(sandbox(), { account: accountOf(sandbox()), mode: 'trigger', ...setup });

describe('A loop during which n8n was killed', () => {
  test.each([
    ['with saved progress', { saveExecutionProgress: true }],
    ['without saved progress', {}],
  ])('goes on %s where it was', async (_how, settings) => {
    const campaign = start({ parameters: oneByOne(SEND), ...items(6), loopOver: 2, settings });
    await campaign.run(inFlight(4));
    const fates = await campaign.finish();
    expect(outcomes(fates)).toEqual(['sent', 'sent', 'sent', 'uncertain', 'sent', 'sent']);
    expect(arrivals(fates)).toEqual([1, 1, 1, 1, 1, 1]);
  });

  test('goes on where it was with one request in each iteration', async () => {
    const campaign = start({ parameters: SEND_BULK, ...items(8), loopOver: 2, onError: 'continueRegularOutput' });
    await campaign.run(inFlight(3));
    const fates = await campaign.finish();
    expect(outcomes(fates)).toEqual(['sent', 'sent', 'sent', 'sent', 'uncertain', 'uncertain', 'sent', 'sent']);
    expect(new Set(arrivals(fates))).toEqual(new Set([1]));
  });
});

test('An iteration that could not be noted is not sent again by a Retry that begins with the first one', async () => {
  const campaign = start({ parameters: oneByOne(SEND), ...items(6), loopOver: 2 });
  const lifetime = killedAtNth('left', 5);
  // From the loop's second iteration until the node has ended in it; three nodes end before.
  processedData.set({ refuses: () => countOf(lifetime.moments, 'ended') === 4 });
  await campaign.run({ lifetime });
  const fates = await campaign.finish();
  expect(arrivals(fates)).toEqual([1, 1, 1, 1, 1, 1]);
  expect(outcomes(fates).filter((outcome) => outcome === 'not_sent')).toEqual([]);
});
