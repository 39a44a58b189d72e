/** 'Send Once, Across Executions' after n8n was killed. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { contacts, phoneAt } from '../support/contacts';
import { arrivals, Campaign, outcomes } from '../support/engine/campaign';
import { killedAtNth } from '../support/engine/lifetime';
import { processedData } from '../support/engine/processedData';
import { type Execution, runWorkflow, type Setup } from '../support/engine/workflow';
import { outcomeOf } from '../support/outputs';
import { SEND } from '../support/parameters';
import { accountOf, receivedPhones, sandboxForTests } from '../support/sandbox';
import { once } from '../support/sendOnce';

const sandbox = sandboxForTests();
beforeEach(() => processedData.reset());

const setupOf = (items: IDataObject[], parameters: INodeParameters, more: Partial<Setup> = {}): Setup => ({
  account: accountOf(sandbox()),
  mode: 'trigger',
  onError: 'continueRegularOutput',
  items,
  parameters,
  ...more,
});
const run = async (items: IDataObject[], parameters: INodeParameters, more?: Partial<Setup>) =>
  await runWorkflow(setupOf(items, parameters, more));
const outcomesOf = ({ outputs }: Execution) => outputs.flat().map(outcomeOf);
const received = () => receivedPhones(sandbox()).sort();
const phones = (...indexes: number[]) => indexes.map(phoneAt).sort();

test('After a kill, a new execution sends what was not begun, and only what was in flight is uncertain', async () => {
  const campaign = new Campaign(sandbox(), setupOf(contacts(5), once(SEND, { parallelRequests: 1 })));
  await campaign.run({ lifetime: killedAtNth('left', 3) });
  const second = await run(contacts(5), once(SEND));
  expect(outcomesOf(second)).toEqual(['skipped', 'skipped', 'uncertain', 'sent', 'sent']);
  expect(received()).toEqual(phones(0, 1, 2, 3, 4));
});

test('After a kill, a Retry does so, too, with n8n’s event log or without', async () => {
  for (const eventLog of ['kept', 'gone'] as const) {
    sandbox().reset();
    processedData.reset();
    const campaign = new Campaign(sandbox(), setupOf(contacts(5), once(SEND, { parallelRequests: 1 })));
    await campaign.run({ lifetime: killedAtNth('left', 3), eventLog });
    const fates = await campaign.finish();
    expect(outcomes(fates)).toEqual(['sent', 'sent', 'uncertain', 'sent', 'sent']);
    expect(arrivals(fates)).toEqual([1, 1, 1, 1, 1]);
  }
});

test.each([
  ['switched on', SEND, once(SEND)],
  ['switched off', once(SEND), SEND],
])('After a kill, a Retry with the option %s sends nothing twice', async (_how, before, after) => {
  const oneByOne = ({ options, ...rest }: INodeParameters) => ({
    ...rest,
    options: { ...(options as INodeParameters), parallelRequests: 1 },
  });
  const campaign = new Campaign(sandbox(), setupOf(contacts(5), oneByOne(before)));
  await campaign.run({ lifetime: killedAtNth('left', 3), eventLog: 'gone' });
  const fates = await campaign.finish({ parameters: oneByOne(after) });
  expect(arrivals(fates).filter((arrivals) => arrivals > 1)).toEqual([]);
  const notArrived = fates.filter(({ arrivals }) => arrivals === 0).map(({ outcome }) => outcome);
  expect(notArrived.filter((outcome) => outcome !== 'uncertain')).toEqual([]);
});
