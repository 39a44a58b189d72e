/** Retry pressed again while a Retry of the same execution is running. */
import type { INodeParameters } from 'n8n-workflow';

import { contacts } from '../support/contacts';
import { Campaign } from '../support/engine/campaign';
import { inFlight, Lifetime } from '../support/engine/lifetime';
import { processedData } from '../support/engine/processedData';
import { attempt } from '../support/engine/restart';
import type { Execution, Setup } from '../support/engine/workflow';
import { detailsOf, outcomeOf } from '../support/outputs';
import { inBatchesOf, oneByOne, SEND, SEND_BULK } from '../support/parameters';
import { accountOf, receivedPhones, sandboxForTests } from '../support/sandbox';
import { someTurns, until } from '../support/waiting';

const sandbox = sandboxForTests();
beforeEach(() => processedData.reset());

const KINDS: Array<[string, INodeParameters]> = [
  ['Send', oneByOne(SEND)],
  ['Send Bulk', inBatchesOf(1, oneByOne(SEND_BULK))],
];
const outcomesOf = ({ outputs }: Execution) => outputs.flat().map(outcomeOf);
const received = () => receivedPhones(sandbox()).sort();
const expected = (count: number) => contacts(count).map(({ phone }) => phone);

describe.each(KINDS)('Retry of a killed execution of %s, pressed again during the Retry,', (_name, parameters) => {
  const setupOf = (changes: Partial<Setup> = {}): Setup => ({
    account: accountOf(sandbox()),
    mode: 'trigger',
    items: contacts(6),
    parameters,
    ...changes,
  });

  /** Both Retries, which one n8n runs: a request of the first waits to leave until the second has ended. */
  const pressTwice = async (setup: Setup) => {
    const campaign = new Campaign(sandbox(), setup);
    await campaign.run(inFlight(2));
    const lifetime = new Lifetime(() => false, 2);
    const running = attempt(setup, lifetime, campaign.execution);
    await until(() => lifetime.moments.includes('leaving'));
    const again = await attempt(setup, lifetime, campaign.execution);
    expect(receivedPhones(sandbox())).toHaveLength(2);
    await lifetime.leave();
    const first = await running;
    if (first.ended === null || again.ended === null) throw new Error('nothing was killed');
    return { campaign, first: first.ended, again: again.ended };
  };

  test('ends with an error that says so, and that Retry can be retried', async () => {
    const { campaign, first, again } = await pressTwice(setupOf());
    expect(again.error?.message).toContain('Another retry of this execution is running');
    expect(again.error?.description).toContain('Wait until the other retry has ended');
    expect(first.error?.message).toContain('n8n stopped during an earlier attempt');
    expect(received()).toEqual(expected(6));
    await campaign.run({ earlier: again, changes: { onError: 'continueRegularOutput' } });
    expect(outcomesOf(campaign.execution)).toEqual(['sent', 'uncertain', 'sent', 'sent', 'sent', 'sent']);
    expect(received()).toEqual(expected(6));
  });

  test.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
    'says at every item with On Error set to %s that another retry sends it',
    async (onError) => {
      const { first, again } = await pressTwice(setupOf({ onError }));
      const items = again.outputs.flat();
      expect(items).toHaveLength(6);
      for (const item of items) expect(detailsOf(item)).toMatchObject({ code: 'ANOTHER_RETRY', outcome: 'uncertain' });
      expect(outcomesOf(first).sort()).toEqual(['sent', 'sent', 'sent', 'sent', 'sent', 'uncertain']);
      expect(received()).toEqual(expected(6));
    },
  );

  test('sends nothing with Retry On Fail', async () => {
    const { again } = await pressTwice(setupOf({ retryOnFail: { maxTries: 3 } }));
    expect(again.error?.message).toContain('Another retry of this execution is running');
    expect(received()).toEqual(expected(6));
  });

  test('between two tries of Retry On Fail, sends what is left, and the next try sends none of it again', async () => {
    const setup = setupOf({ retryOnFail: { maxTries: 2, waitBetweenTries: 500 } });
    const campaign = new Campaign(sandbox(), setup);
    await campaign.run(inFlight(2));
    sandbox().setFaults([{ kind: 'status', status: 402, times: 1 }]);
    const lifetime = new Lifetime();
    const running = attempt(setup, lifetime, campaign.execution);
    await until(() => sandbox().requests().at(-1)?.status === 402);
    await someTurns();
    const again = await attempt(setup, lifetime, campaign.execution);
    expect(again.ended?.error?.message).toContain('n8n stopped during an earlier attempt');
    expect(received()).toEqual(expected(6));
    const first = await running;
    expect(first.ended?.error?.message).toContain('Another retry of this execution');
    expect(received()).toEqual(expected(6));
  });

  test('sends nothing twice in a loop', async () => {
    await pressTwice(setupOf({ loopOver: 2, onError: 'continueRegularOutput' }));
    expect(received()).toEqual(expected(6));
  });

  test('does not keep another execution of the workflow from running at the same time', async () => {
    sandbox().setFaults([{ kind: 'delay', ms: 50, times: 2 }]);
    const lifetime = new Lifetime();
    const both = await Promise.all([attempt(setupOf(), lifetime), attempt(setupOf(), lifetime)]);
    for (const { ended } of both) expect(ended && outcomesOf(ended)).toEqual(Array(6).fill('sent'));
    expect(received()).toHaveLength(12);
  });
});
