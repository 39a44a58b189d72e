/** The Stop button. */
import type { IDataObject } from 'n8n-workflow';

import { KEY } from '../support/account';
import { contacts } from '../support/contacts';
import { recordLines } from '../support/engine/record';
import { keptIn, retryExecution, type Setup, startWorkflow } from '../support/engine/workflow';
import { inBatchesOf, oneByOne, SEND, SEND_BULK, withOptions } from '../support/parameters';
import { accountOf, receivedContacts, receivedPhones, sandboxForTests } from '../support/sandbox';
import { someTurns, until } from '../support/waiting';

/** Keys whose limit a test uses up, so that no other test waits for it. */
const SPENT = [0, 1, 2, 3].map((index) => `made-up-spent-key-${index}`);
const sandbox = sandboxForTests({ keys: [KEY, ...SPENT] });

const spentAccount = (index: number) => ({ ...accountOf(sandbox()), apiKey: SPENT[index] ?? '' });
const setupOf = (setup: Omit<Setup, 'account'>): Setup => ({ account: accountOf(sandbox()), ...setup });
const sentOnce = (count: number) =>
  expect(receivedContacts(sandbox()).sort((one, other) => one.phone.localeCompare(other.phone))).toEqual(
    contacts(count),
  );
/** The values of On Error, with their names in the editor. */
const STOP = ['Stop Workflow', 'stopWorkflow'] as const;
const ERROR_OUTPUT = ['Continue (using error output)', 'continueErrorOutput'] as const;

describe('The Stop button', () => {
  /** The messages of the requests after the first are sent, but these requests end only with Stop. */
  const noAnswer = { kind: 'silence', handled: true, after: 1, times: 9 } as const;

  test.each([STOP, ERROR_OUTPUT])(
    'ends a wait for the limit immediately and starts no further request, with On Error set to %s',
    async (_name, onError) => {
      const parameters = withOptions(SEND, { requestsPerMinute: 2 });
      const { ended, stop } = await startWorkflow({
        account: spentAccount(onError === 'stopWorkflow' ? 0 : 1),
        items: contacts(10),
        parameters,
        onError,
      });
      await until(() => sandbox().messages().length === 2);
      await someTurns();
      stop();
      const ran = await ended;
      await someTurns();
      expect(sandbox().requests()).toHaveLength(2);
      expect(recordLines(keptIn(ran))).toHaveLength(2);
    },
  );

  test('ends a wait after a 429 immediately', async () => {
    sandbox().setFaults([{ kind: 'status', status: 429, retryAfter: 60, times: 9 }]);
    const { ended, stop } = await startWorkflow({
      account: spentAccount(2),
      items: contacts(3),
      parameters: withOptions(SEND_BULK, { longestWait: 5 }),
    });
    await until(() => sandbox().requests().length === 1);
    await someTurns();
    stop();
    await ended;
    expect(sandbox().requests()).toHaveLength(1);
  });

  test('makes messages in flight uncertain, and a retry sends only what was not attempted', async () => {
    sandbox().setFaults([noAnswer]);
    const setup = setupOf({
      items: contacts(6),
      parameters: inBatchesOf(2, withOptions(SEND_BULK, { parallelRequests: 1 })),
    });
    const { ended, stop } = await startWorkflow(setup);
    await until(() => sandbox().messages().length === 4);
    stop();
    const ran = await ended;
    expect(receivedPhones(sandbox())).toHaveLength(4);
    sandbox().setFaults([]);
    const again = await retryExecution(ran, setup);
    expect(again.error).toMatchObject({
      message: 'The run was stopped while the request was in flight',
      context: { itemIndex: 2 },
    });
    expect(again.error?.description).toContain('Affected items (counted from 0): 2, 3.');
    sentOnce(6);
  });

  test('makes n8n store messages in flight as uncertain when it is pressed', async () => {
    sandbox().setFaults([noAnswer]);
    const kept: Array<IDataObject | undefined> = [];
    const setup = setupOf({
      items: contacts(6),
      parameters: inBatchesOf(2, withOptions(SEND_BULK, { parallelRequests: 1 })),
      onStore: (data) => kept.push(data.executionData?.contextData['node:Send']),
    });
    const { ended, stop } = await startWorkflow(setup);
    await until(() => sandbox().messages().length === 4);
    stop();
    await ended;
    const lines = recordLines(kept[0] ?? {});
    expect(lines.flatMap(({ sent }) => sent)).toEqual(['0', '1']);
    expect(lines.flatMap(({ uncertain }) => uncertain)).toEqual(['2', '3']);
  });

  test('prevents further attempts with Retry On Fail', async () => {
    sandbox().setFaults([noAnswer]);
    const { ended, stop } = await startWorkflow(
      setupOf({ items: contacts(6), parameters: oneByOne(SEND), retryOnFail: { maxTries: 3 } }),
    );
    await until(() => sandbox().messages().length === 2);
    stop();
    await ended;
    await someTurns();
    expect(receivedPhones(sandbox())).toHaveLength(2);
  });

  test('passes no item on as sent while the credits are checked', async () => {
    sandbox().setFaults([{ kind: 'status', status: 429, retryAfter: 60, times: 9 }]);
    const parameters = withOptions(SEND, { checkCreditsFirst: true, longestWait: 5 });
    const { ended, stop } = await startWorkflow({
      account: spentAccount(3),
      items: contacts(3),
      parameters,
      onError: 'continueErrorOutput',
    });
    await until(() => sandbox().requests().length === 1);
    await someTurns();
    stop();
    const { outputs } = await ended;
    expect(outputs[0] ?? []).toEqual([]);
  });
});
