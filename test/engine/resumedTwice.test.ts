/**
 * A waiting execution that n8n continues twice. Both answers read the execution before the first of them continues it,
 * and n8n only checks that it is waiting: it is again once that run comes to the next page of a form.
 */
import { WorkflowExecute } from 'n8n-core';
import { FORM_NODE_TYPE, WAIT_NODE_TYPE } from 'n8n-workflow';

import { Lifetime } from '../../tools/engine/lifetime';
import { processedData } from '../../tools/engine/processedData';
import { contacts } from '../support/contacts';
import { nodeForTests } from '../support/engine/nodeForTests';
import { dataAtStart, type Execution, prepare, resultOf, type Setup, stored } from '../support/engine/workflow';
import { outcomeOf, outcomesOf } from '../support/outputs';
import { inBatchesOf, oneByOne, SEND, SEND_BULK } from '../support/parameters';

const { sandbox, setupOf, received: arrived } = nodeForTests();
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

function itemsNotSent({ outputs }: Execution): unknown[] {
  return outputs.flat().filter((item) => outcomeOf(item) !== 'sent');
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
    expect(outcomesOf(again)).not.toHaveLength(0);
    expect(itemsNotSent(again)).toEqual([]);
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
