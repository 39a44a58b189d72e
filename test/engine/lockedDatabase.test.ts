/** A database of n8n that is locked for a while in the middle of a run. */
import type { INodeParameters } from 'n8n-workflow';

import { contacts, phoneAt } from '../support/contacts';
import { processedData } from '../support/engine/processedData';
import { type Execution, runWorkflow } from '../support/engine/workflow';
import { hintsOf, outcomeOf } from '../support/outputs';
import { inBatchesOf, SEND_BULK, withOptions } from '../support/parameters';
import { accountOf, receivedPhones, sandboxForTests } from '../support/sandbox';
import { once } from '../support/sendOnce';

/** Called when a request arrives, with their number. */
let onRequest: (number: number) => void = () => undefined;
let requests = 0;
const sandbox = sandboxForTests({ onRequest: () => onRequest((requests += 1)) });
beforeEach(() => {
  processedData.reset();
  [requests, onRequest] = [0, () => undefined];
});

const LOCKED_FOR_MS = 1_500;
const run = async (parameters: INodeParameters, items = contacts(8)) =>
  await runWorkflow({
    account: accountOf(sandbox()),
    mode: 'trigger',
    onError: 'continueRegularOutput',
    items,
    parameters: inBatchesOf(1, parameters),
  });
const outcomesOf = ({ outputs }: Execution) => outputs.flat().map(outcomeOf);
const WAITING = { parallelRequests: 1, longestWait: 1 };

test.each([
  ['without Send Once', withOptions(SEND_BULK, WAITING)],
  ['with Send Once, Across Executions', once(SEND_BULK, WAITING)],
])(
  'A database that is locked in the middle of a campaign is waited for, and everything is sent: %s',
  async (_how, parameters) => {
    let lockedUntil = 0;
    processedData.set({ refuses: () => Date.now() < lockedUntil });
    onRequest = (number) => {
      if (number === 3) lockedUntil = Date.now() + LOCKED_FOR_MS;
    };
    const ran = await run(parameters);
    expect(lockedUntil).toBeGreaterThan(0);
    expect(outcomesOf(ran)).toEqual(Array(8).fill('sent'));
    expect(receivedPhones(sandbox())).toHaveLength(8);
    expect(hintsOf(ran).map(({ message }) => message)).not.toContainEqual(expect.stringContaining('not protected'));
  },
);

test('What could not be released while the database was locked is released by the next run', async () => {
  let isLocked = false;
  processedData.set({ refuses: () => isLocked });
  onRequest = () => (isLocked = true);
  sandbox().setFaults([{ kind: 'status', status: 422, times: 1 }]);
  const parameters = once(SEND_BULK, { parallelRequests: 1 });
  expect(outcomesOf(await run(parameters, contacts(1)))).toEqual(['not_sent']);
  [isLocked, onRequest] = [false, () => undefined];
  expect(outcomesOf(await run(parameters, contacts(2).slice(1)))).toEqual(['sent']);
  expect(outcomesOf(await run(parameters, contacts(1)))).toEqual(['sent']);
  expect(receivedPhones(sandbox())).toEqual([phoneAt(1), phoneAt(0)]);
});
