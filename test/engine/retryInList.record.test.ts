/** What n8n stores of a run for a Retry. */
import { stringify } from 'flatted';
import type { IRunExecutionData } from 'n8n-workflow';

import { KEY } from '../support/account';
import { contacts } from '../support/contacts';
import { runWorkflow, type Setup, stored } from '../support/engine/workflow';
import { SEND, SEND_BULK, SENDING_ONE_BY_ONE, withOptions } from '../support/parameters';
import { accountOf, sandboxForTests } from '../support/sandbox';

const sandbox = sandboxForTests();

const setupOf = (setup: Omit<Setup, 'account'>): Setup => ({ account: accountOf(sandbox()), ...setup });

describe('The delivery record', () => {
  const MANY = 10_000;
  const kept = (data: IRunExecutionData) => stringify(data.executionData?.contextData['node:Send']);

  test('is under 1 MB for 10,000 messages, without key, phone numbers or texts', async () => {
    sandbox().setFaults([
      { kind: 'reset-after', after: 90, times: 5 },
      { kind: 'status', status: 401, after: 99 },
    ]);
    const { run, error } = await runWorkflow(
      setupOf({
        items: contacts(MANY),
        parameters: withOptions(SEND_BULK, { uncertain: 'sendAgain' }),
        onError: 'continueErrorOutput',
      }),
    );
    expect(error).toBeUndefined();
    const text = kept(run.data);
    expect(text.length).toBeGreaterThan(100_000);
    expect(text.length).toBeLessThan(1_000_000);
    expect(text).not.toContain(KEY);
    expect(text).not.toMatch(/4477009\d{5}|Hello/);
  });

  test('is under 1 MB for 10,000 messages that are sent one by one', async () => {
    sandbox().setFaults([{ kind: 'status', status: 403, after: MANY - 1 }]);
    const { run } = await runWorkflow(
      setupOf({ items: contacts(MANY), parameters: SEND, onError: 'continueErrorOutput' }),
    );
    const text = kept(run.data);
    expect(text.length).toBeLessThan(1_000_000);
    expect(text).not.toContain(KEY);
    expect(text).not.toMatch(/4477009\d{5}|Hello/);
  }, 60_000);

  test('is empty after a run without failures', async () => {
    for (const [, parameters] of SENDING_ONE_BY_ONE) {
      const { run } = await runWorkflow(setupOf({ items: contacts(3), parameters }));
      expect(run.data.executionData?.contextData['node:Send'] ?? {}).toEqual({});
    }
  });
});

test('Stored data is read back unchanged', () => {
  const data = {
    resultData: { runData: {} },
    executionData: { contextData: { 'node:Send': { deliveries: { 0: ['a'] } } } },
  };
  expect(stored(data as unknown as IRunExecutionData)).toEqual(data);
});
