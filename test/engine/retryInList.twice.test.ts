/** Retry pressed again while a Retry of the same execution is running. */
import { inFlight, Lifetime } from '../../tools/engine/lifetime';
import { contacts } from '../support/contacts';
import { nodeForTests } from '../support/engine/nodeForTests';
import { attempt } from '../support/engine/restart';
import type { Setup } from '../support/engine/workflow';
import { detailsOf, outcomesOf } from '../support/outputs';
import { inBatchesOf, oneByOne, SENDING_OPERATIONS } from '../support/parameters';
import { until } from '../support/waiting';

const { sandbox, campaign, received: arrived } = nodeForTests();
const received = () => arrived().sort();
const SIX = contacts(6).map(({ phone }) => phone);

describe.each(SENDING_OPERATIONS)('Retry of a killed execution of %s, pressed again during it,', (_name, given) => {
  const start = (changes: Partial<Setup> = {}) =>
    campaign({ items: contacts(6), parameters: inBatchesOf(1, oneByOne(given)), ...changes });

  /** Both Retries, in one n8n: a request of the first waits to leave until the second has ended. */
  const pressTwice = async (changes?: Partial<Setup>) => {
    const killed = start(changes);
    await killed.run(inFlight(2));
    const lifetime = new Lifetime(() => false, 2);
    const running = attempt(killed.setup, lifetime, killed.execution);
    await until(() => lifetime.moments.includes('leaving'));
    const again = await attempt(killed.setup, lifetime, killed.execution);
    expect(received()).toHaveLength(2);
    await lifetime.leave();
    const first = await running;
    if (first.ended === null || again.ended === null) throw new Error('nothing was killed');
    expect(received()).toEqual(SIX);
    return { killed, first: first.ended, again: again.ended };
  };

  test('ends with an error that says so, and that Retry can be retried', async () => {
    const { killed, first, again } = await pressTwice();
    expect(again.error?.message).toContain('Another retry of this execution is running');
    expect(again.error?.description).toContain('Wait until the other retry has ended');
    expect(first.error?.message).toContain('n8n stopped during an earlier attempt');
    await killed.run({ earlier: again, changes: { onError: 'continueRegularOutput' } });
    expect(outcomesOf(killed.execution)).toEqual(['sent', 'uncertain', 'sent', 'sent', 'sent', 'sent']);
    expect(received()).toEqual(SIX);
  });

  test.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
    'says at every item with On Error set to %s that another retry sends it',
    async (onError) => {
      const { first, again } = await pressTwice({ onError });
      const items = again.outputs.flat();
      expect(items).toHaveLength(6);
      for (const item of items) expect(detailsOf(item)).toMatchObject({ code: 'ANOTHER_RETRY', outcome: 'uncertain' });
      expect(outcomesOf(first).sort()).toEqual(['sent', 'sent', 'sent', 'sent', 'sent', 'uncertain']);
    },
  );

  test('between two tries of Retry On Fail, sends what is left, and the next try sends none of it again', async () => {
    const killed = start({ retryOnFail: { maxTries: 2, waitBetweenTries: 500 } });
    await killed.run(inFlight(2));
    sandbox().setFaults([{ kind: 'status', status: 402, times: 1 }]);
    const lifetime = new Lifetime();
    const running = attempt(killed.setup, lifetime, killed.execution);
    await until(() => sandbox().requests().at(-1)?.status === 402);
    let again = await attempt(killed.setup, lifetime, killed.execution);
    // The first try has not ended yet.
    while (again.ended?.error?.message.startsWith('Another retry') === true) {
      again = await attempt(killed.setup, lifetime, killed.execution);
    }
    expect(again.ended?.error?.message).toContain('n8n stopped during an earlier attempt');
    expect(received()).toEqual(SIX);
    const first = await running;
    // It may begin before the other Retry has ended, or after it.
    expect(first.ended?.error?.message).toMatch(
      /^Another retry of this execution|n8n stopped during an earlier attempt/,
    );
    expect(received()).toEqual(SIX);
  });

  test('does not keep another execution of the workflow from running at the same time', async () => {
    sandbox().setFaults([{ kind: 'delay', ms: 50, times: 2 }]);
    const lifetime = new Lifetime();
    const both = await Promise.all([start().run({ lifetime }), start().run({ lifetime })]);
    for (const execution of both) expect(outcomesOf(execution)).toEqual(Array(6).fill('sent'));
    expect(received()).toHaveLength(12);
  });
});
