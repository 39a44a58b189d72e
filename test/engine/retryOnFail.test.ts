/** What the second attempt of Retry On Fail sends. */
import type { IDataObject } from 'n8n-workflow';

import { contacts, phoneAt } from '../support/contacts';
import { runWorkflow, type Setup } from '../support/engine/workflow';
import { detailsOf } from '../support/outputs';
import { SEND, SENDING_ONE_BY_ONE, withOptions } from '../support/parameters';
import { accountOf, receivedContacts, receivedPhones, sandboxForTests } from '../support/sandbox';

const sandbox = sandboxForTests();

const setupOf = (setup: Omit<Setup, 'account'>): Setup => ({ account: accountOf(sandbox()), ...setup });
const sentOnce = (count: number) =>
  expect(receivedContacts(sandbox()).sort((one, other) => one.phone.localeCompare(other.phone))).toEqual(
    contacts(count),
  );
/** Values that are others in each attempt, or in each Retry. */
const CHANGING = ['$now.toMillis() + Math.random()', '$execution.id', '$execution.resumeUrl'];
/** The values of On Error, with their names in the editor. */
const STOP = ['Stop Workflow', 'stopWorkflow'] as const;
const CONTINUE = ['Continue', 'continueRegularOutput'] as const;
const ERROR_OUTPUT = ['Continue (using error output)', 'continueErrorOutput'] as const;

describe.each(SENDING_ONE_BY_ONE)('%s with Retry On Fail', (_name, parameters) => {
  test('sends only what was not sent, and returns the rest as if it were sent now', async () => {
    // A 403 is certain: the messages were not sent.
    sandbox().setFaults([{ kind: 'status', status: 403, after: 2 }]);
    const failing = setupOf({ items: contacts(6), parameters, retryOnFail: { maxTries: 2 } });
    const { outputs, error, run } = await runWorkflow(failing);
    expect(error).toBeUndefined();
    sentOnce(6);
    const byPhone = new Map(
      sandbox()
        .messages()
        .map((message) => [message.phone, message]),
    );
    expect(outputs[0]?.map(({ json, pairedItem }) => [json.phone, json.message_id, json.status, pairedItem])).toEqual(
      contacts(6).map(({ phone }, item) => [phone, byPhone.get(phone)?.id, 'sent', { item }]),
    );
    expect(run.data.executionData?.contextData['node:Send']).toEqual({});
  });

  test('returns the same items as without a failure, field by field', async () => {
    const setup = setupOf({ items: contacts(6), parameters, retryOnFail: { maxTries: 3 } });
    // The batch that failed was sent again, with another number.
    const shapeOf = (json: IDataObject) =>
      Object.entries(json)
        .filter(([name]) => name !== 'batch')
        .map(([name, value]) => [name, name === 'sent_at' ? typeof value : value]);
    const expected = (await runWorkflow(setup)).outputs;
    sandbox().reset();
    sandbox().setFaults([{ kind: 'status', status: 403, after: 1, times: 2 }]);
    const { outputs } = await runWorkflow(setup);
    const shapes = ([items]: typeof outputs) => items?.map(({ json, ...rest }) => ({ ...rest, json: shapeOf(json) }));
    expect(shapes(outputs)).toEqual(shapes(expected));
    sentOnce(6);
  });

  test.each([CONTINUE, ERROR_OUTPUT])(
    'sends no other item again if the first one failed, with On Error set to %s',
    async (_name, onError) => {
      const [first, ...others] = contacts(6);
      const items = [{ ...first, phone: '07700900000' }, ...others];
      const { outputs } = await runWorkflow(setupOf({ items, parameters, onError, retryOnFail: { maxTries: 4 } }));
      expect(receivedContacts(sandbox())).toEqual(others);
      expect(outputs[0]?.filter(({ json }) => json.error === undefined).map(({ json }) => json.phone)).toEqual(
        others.map(({ phone }) => phone),
      );
      expect(outputs.flat().filter(({ json }) => json.error !== undefined)).toHaveLength(1);
    },
  );

  test('sends the first item once it can be sent, with On Error set to Continue', async () => {
    sandbox().setFaults([{ kind: 'status', status: 422, detailsShape: 'none', times: 2 }]);
    const { outputs } = await runWorkflow(
      setupOf({ items: contacts(1), parameters, onError: 'continueRegularOutput', retryOnFail: { maxTries: 3 } }),
    );
    expect(outputs[0]?.map(({ json }) => json.phone)).toEqual([phoneAt(0)]);
    sentOnce(1);
    expect(sandbox().requests()).toHaveLength(3);
  });

  test.each([STOP, CONTINUE, ERROR_OUTPUT])(
    'does not send an uncertain message again, with On Error set to %s',
    async (_name, onError) => {
      sandbox().setFaults([{ kind: 'reset-after' }]);
      const { error, outputs } = await runWorkflow(
        setupOf({ items: contacts(2), parameters, onError, retryOnFail: { maxTries: 3 } }),
      );
      const phones = receivedPhones(sandbox());
      expect(new Set(phones).size).toBe(phones.length);
      const failed = outputs.flat().find(({ json }) => json.error !== undefined);
      expect(error?.message ?? detailsOf(failed).outcome).toBe(
        onError === 'stopWorkflow' ? 'The connection to the service was lost before its response arrived' : 'uncertain',
      );
    },
  );

  test("sends an uncertain message again with 'Send Again'", async () => {
    sandbox().setFaults([{ kind: 'reset-after' }]);
    const again = withOptions(parameters, { parallelRequests: 1, uncertain: 'sendAgain' });
    const { error, outputs } = await runWorkflow(
      setupOf({ items: contacts(2), parameters: again, retryOnFail: { maxTries: 2 } }),
    );
    expect(error).toBeUndefined();
    expect(outputs[0]).toHaveLength(2);
    expect(receivedPhones(sandbox()).filter((phone) => phone === phoneAt(0))).toHaveLength(2);
  });

  test('leaves a message uncertain that was sent again and failed, because the first attempt may have sent it', async () => {
    sandbox().setFaults([
      { kind: 'status', status: 500, handled: true },
      { kind: 'status', status: 401, times: 9 },
    ]);
    const again = withOptions(parameters, { parallelRequests: 1, uncertain: 'sendAgain' });
    const { outputs } = await runWorkflow(
      setupOf({
        items: contacts(1),
        parameters: again,
        onError: 'continueRegularOutput',
        retryOnFail: { maxTries: 2 },
      }),
    );
    expect(receivedPhones(sandbox())).toHaveLength(1);
    expect(outputs[0]?.[0]?.json.details).toMatchObject({ outcome: 'uncertain' });
  });
});

describe.each(CHANGING)('A text that contains {{ %s }}', (expression) => {
  const message = `={{ $json.text }} {{ ${expression} }}`;
  const sentOnceEach = () => expect(receivedPhones(sandbox()).sort()).toEqual(contacts(6).map(({ phone }) => phone));

  test.each(SENDING_ONE_BY_ONE)('is sent once with Retry On Fail by %s', async (_name, parameters) => {
    sandbox().setFaults([{ kind: 'status', status: 403, after: 2 }]);
    const setup = { items: contacts(6), parameters: { ...parameters, message }, retryOnFail: { maxTries: 2 } };
    expect((await runWorkflow(setupOf(setup))).error).toBeUndefined();
    sentOnceEach();
  });
});

describe('A node that runs more than once in an execution', () => {
  test('sends an uncertain message of one run in the next, with On Error set to Continue', async () => {
    sandbox().setFaults([{ kind: 'reset-before' }]);
    await runWorkflow(
      setupOf({
        items: contacts(1),
        moreItems: [contacts(1)],
        parameters: SEND,
        onError: 'continueRegularOutput',
        retryOnFail: { maxTries: 2 },
      }),
    );
    expect(receivedPhones(sandbox())).toHaveLength(1);
  });
});
