/** 'Test Run': the first messages go to the tester's phone, and nothing goes to a recipient. */
import type { INodeParameters } from 'n8n-workflow';

import { killedAtNth } from '../../tools/engine/lifetime';
import { contacts, listOf, phoneAt, phones } from '../support/contacts';
import { nodeForTests } from '../support/engine/nodeForTests';
import { detailsOf, hintsOf, outcomesOf } from '../support/outputs';
import { inBatchesOf, SEND_BULK, SEND_LIST, SENDING_OPERATIONS, withOptions } from '../support/parameters';

const { sandbox, setupOf, run, refused, retry, campaign: start, received, texts } = nodeForTests();
const TESTER = '447700900999';
const testOf = (parameters: INodeParameters, options: INodeParameters = {}): INodeParameters =>
  withOptions(parameters, { ...options, testRun: '+44 7700 900999' });

test.each(SENDING_OPERATIONS)(
  '%s sends the first messages to the tester, and the others to nobody',
  async (_name, parameters) => {
    const ran = await run({ items: contacts(5), parameters: testOf(parameters) });
    expect(received()).toEqual([TESTER, TESTER, TESTER]);
    expect(texts().sort()).toEqual(['Hello 0', 'Hello 1', 'Hello 2']);
    expect(outcomesOf(ran)).toEqual(['sent', 'sent', 'sent', 'skipped', 'skipped']);
    expect(ran.outputs[0]?.[1]?.json).toMatchObject({ phone: TESTER, test_for: phoneAt(1), status: 'sent' });
    expect(ran.outputs[0]?.[3]?.json).toMatchObject({ phone: phoneAt(3), reason: 'test_run', message_id: null });
    const hint = hintsOf(ran)[0]?.message;
    expect(hint).toMatch(
      /^Test run: 3 sent, 2 skipped because of 'Test Run', 3 credits used, .* request(?:s)?\.<br>Numbers/,
    );
  },
);

test('Messages that are not sent anyway keep their own reason, and are not among the first', async () => {
  const items = [{ phone: phoneAt(0), text: 'Hello 0' }, { phone: phoneAt(1), text: 'a' }, ...contacts(5)];
  const options = { neverSendTo: phoneAt(1), duplicateMessages: 'sendOnce' };
  const { outputs } = await run({ items, parameters: testOf(SEND_BULK, options) });
  expect(outputs[0]?.map(({ json }) => json.reason ?? json.status)).toEqual([
    'sent',
    'opted_out',
    'duplicate',
    'opted_out',
    'sent',
    'sent',
    'test_run',
  ]);
  expect(received()).toEqual([TESTER, TESTER, TESTER]);
});

const UNREADABLE = ['', ' ', 'mine', '={{ $json.missing }}', '={{ null }}', '={{ {} }}', {}];
test.each<unknown>([...UNREADABLE, { values: { phone: '447700900999', count: 3 } }])(
  'With %j as its phone nothing is sent',
  async (testRun) => {
    const parameters = withOptions(SEND_BULK, { testRun } as INodeParameters);
    expect(await refused(parameters)).toContain("The phone of 'Test Run' can't be used");
  },
);

describe('Nothing of a test counts as sent', () => {
  const REMEMBERED = { duplicateMessages: 'sendOnceEver', parallelRequests: 1 };

  test.each(['send', 'sendOnce', 'sendOnceEver'])(
    'in a later execution, with the duplicates set to %s',
    async (choice) => {
      const options = { duplicateMessages: choice };
      const setup = { items: contacts(3) };
      await run({ ...setup, parameters: testOf(SEND_BULK, options) });
      const ran = await run({ ...setup, parameters: withOptions(SEND_BULK, options) });
      expect(outcomesOf(ran)).toEqual(['sent', 'sent', 'sent']);
      expect(received()).toEqual([TESTER, TESTER, TESTER, ...phones(0, 1, 2)]);
    },
  );

  test.each(SENDING_OPERATIONS)('in a Retry of %s without it, also of the own number', async (_name, operation) => {
    sandbox().setFaults([{ kind: 'status', status: 403, after: 1, times: 1 }]);
    const items = [{ phone: TESTER, text: 'Hello 0' }, ...contacts(3).slice(1)];
    const parameters = inBatchesOf(1, testOf(operation, REMEMBERED));
    const setup = setupOf({ items, parameters, mode: 'trigger' });
    const first = await run(setup);
    expect(first.error).toBeDefined();
    const second = await retry(first, setup, { parameters: withOptions(operation, REMEMBERED) });
    expect(outcomesOf(second)).toEqual(['sent', 'sent', 'sent']);
    expect(received()).toEqual([TESTER, TESTER, phoneAt(1), phoneAt(2)]);
  });

  test.each(['kept', 'gone'] as const)(
    'in a Retry after n8n was killed during it (event log: %s)',
    async (eventLog) => {
      const campaign = start({ items: contacts(3), parameters: testOf(SEND_BULK) });
      await campaign.run({ lifetime: killedAtNth('left', 1), eventLog });
      const fates = await campaign.finish({ parameters: SEND_BULK });
      expect(fates.map(({ outcome, arrivals }) => [outcome, arrivals])).toEqual(Array(3).fill(['sent', 1]));
    },
  );
});

test('A Retry with it ends with an error, and can be retried', async () => {
  sandbox().setFaults([{ kind: 'status', status: 403, times: 1 }]);
  const setup = setupOf({ items: [{ list: listOf(2) }], parameters: SEND_LIST, mode: 'trigger' });
  const first = await run(setup);
  const second = await retry(first, setup, { parameters: testOf(SEND_LIST), onError: 'stopWorkflow' });
  expect(second.error?.message).toContain("'Dry Run' and 'Test Run' can't be used in a retry");
  const continued = await retry(first, setup, { parameters: testOf(SEND_LIST), onError: 'continueRegularOutput' });
  expect(continued.outputs[0]?.map((item) => [detailsOf(item).code, detailsOf(item).phone])).toEqual(
    phones(0, 1).map((phone) => ['NOT_SET_UP', phone]),
  );
  expect(received()).toEqual([]);
});
