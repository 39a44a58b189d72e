/**
 * A waiting execution that n8n continues twice. Both answers read the execution before the first of them continues it,
 * and n8n only checks that it is waiting: it is again once that run comes to the next page of a form. And Retry that is
 * pressed again while a Retry of the same execution is running.
 */
import { WorkflowExecute } from 'n8n-core';
import { FORM_NODE_TYPE, WAIT_NODE_TYPE } from 'n8n-workflow';

import { inFlight, Lifetime } from '../../tools/engine/lifetime';
import { processedData } from '../../tools/engine/processedData';
import { contacts } from '../support/contacts';
import { attempt } from '../support/engine/campaign';
import { nodeForTests } from '../support/engine/nodeForTests';
import { dataAtStart, type Execution, prepare, resultOf, type Setup, stored } from '../support/engine/workflow';
import { detailsOf, outcomesOf } from '../support/outputs';
import { inBatchesOf, oneByOne, SEND, SEND_BULK, SENDERS, withOptions } from '../support/parameters';
import { until } from '../support/sandbox';

const { sandbox, setupOf, campaign, received: arrived } = nodeForTests();
const received = () => arrived().sort();
const THREE = contacts(3).map(({ phone }) => phone);

/** @returns a function that continues the execution, each time from the data that it had when it began to wait */
function waiting(given: Partial<Setup> & Pick<Setup, 'parameters'>) {
  const setup = setupOf({ items: contacts(3), mode: 'trigger', onError: 'continueErrorOutput', ...given });
  const data = dataAtStart(setup);
  return async (lifetime: Lifetime): Promise<Execution> => {
    const { workflow, additionalData } = await prepare({ ...setup, lifetime });
    const execution = new WorkflowExecute(additionalData, setup.mode ?? 'manual', stored(data));
    return resultOf(await execution.processRunExecutionData(workflow));
  };
}

describe.each<[string, Pick<Setup, 'parameters'> & Partial<Setup>]>([
  ['Send after Wait', { parameters: SEND, startType: WAIT_NODE_TYPE, items: contacts(1) }],
  ['Send in a loop', { parameters: SEND, loopOver: 2 }],
  ['Send Bulk', { parameters: inBatchesOf(2, oneByOne(SEND_BULK)) }],
])('%s, continued twice', (_name, given) => {
  const phones = (given.items ?? contacts(3)).map(({ phone }) => phone);

  test.each<[where: string, other: (first: Lifetime) => Lifetime | Promise<Lifetime>, delay: number]>([
    ['in the same process', (first) => first, 0],
    ['in another process', async (first) => (await processedData.idle(first), new Lifetime()), 0],
    ['while the first run is still writing what it has sent', (first) => first, 30],
  ])('sends nothing again %s, and says what was sent', async (_where, other, delay) => {
    const resume = waiting(given);
    const first = new Lifetime();
    processedData.set({ delay });
    expect(outcomesOf(await resume(first))).not.toContain('uncertain');
    const again = await resume(await other(first));
    expect(received()).toEqual(phones);
    expect(new Set(outcomesOf(again))).toEqual(new Set(['sent']));
  });

  test('sends nothing twice at the same moment', async () => {
    const resume = waiting(given);
    const lifetime = new Lifetime();
    await Promise.all([resume(lifetime), resume(lifetime)]);
    expect(received()).toEqual(phones);
  });

  test('sends messages the second time that the service rejected the first time', async () => {
    sandbox().setFaults([{ kind: 'status', status: 402, times: 1 }]);
    const resume = waiting(given);
    const lifetime = new Lifetime();
    expect(outcomesOf(await resume(lifetime))).toContain('not_sent');
    await resume(lifetime);
    expect(received()).toEqual(phones);
  });
});

test('Two executions that wait at the same node both send', async () => {
  const lifetime = new Lifetime();
  const given = { parameters: SEND, startType: FORM_NODE_TYPE };
  await waiting(given)(lifetime);
  await waiting(given)(lifetime);
  expect(received()).toEqual([...THREE, ...THREE].sort());
});

const CONTINUED = ['continueRegularOutput', 'continueErrorOutput'] as const;
const SIX = contacts(6).map(({ phone }) => phone);

describe.each(SENDERS)('Retry of a killed execution of %s, pressed again during it,', (_name, given) => {
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

  test.each(CONTINUED)('says at every item with On Error set to %s that another retry sends it', async (onError) => {
    const { first, again } = await pressTwice({ onError });
    const items = again.outputs.flat();
    expect(items).toHaveLength(6);
    for (const item of items) expect(detailsOf(item)).toMatchObject({ code: 'ANOTHER_RETRY', outcome: 'uncertain' });
    expect(outcomesOf(first).sort()).toEqual(['sent', 'sent', 'sent', 'sent', 'sent', 'uncertain']);
  });

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
    const { ended } = await running;
    // It may begin before the other Retry has ended, or after it.
    expect(ended?.error?.message).toMatch(/^Another retry of this execution|n8n stopped during an earlier attempt/);
    expect(received()).toEqual(SIX);
  });
});

describe('Two processes of n8n, such as workers, that send with one key', () => {
  const { run, sandbox, requests } = nodeForTests({}, { limit: 6, windowSeconds: 1 });

  test('send each message once, and none fails because of the limit that they share', async () => {
    const parameters = inBatchesOf(1, withOptions(SEND_BULK, { longestWait: 1 }));
    const lists = [contacts(20).slice(0, 10), contacts(20).slice(10)];
    const running = lists.map(async (items) => await run({ items, parameters, lifetime: new Lifetime() }));
    const executions = await Promise.all(running);
    const reported = executions
      .flatMap(({ outputs }) => outputs.flat())
      .map(({ json }) => [json.phone, json.message_id]);
    expect(executions.map(({ error }) => error)).toEqual([undefined, undefined]);
    expect(reported.map(([phone]) => phone)).toEqual(contacts(20).map(({ phone }) => phone));
    const arrived = sandbox().messages();
    expect(reported).toEqual(expect.arrayContaining(arrived.map(({ phone, id }) => [phone, id])));
    expect(arrived).toHaveLength(20);
    expect(requests().some(({ status }) => status === 429)).toBe(true);
  });
});
