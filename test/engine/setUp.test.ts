/** A set-up that is wrong, and what an earlier attempt of the same execution did. */
import type { INodeParameters } from 'n8n-workflow';

import { contacts, listOf, phoneAt } from '../support/contacts';
import { type Execution, killed, retryExecution, runWorkflow, type Setup } from '../support/engine/workflow';
import { detailsOf, hintsOf, outcomeOf } from '../support/outputs';
import {
  GET_BALANCE,
  inBatchesOf,
  SEND,
  SEND_BULK,
  SEND_LIST,
  SENDING_OPERATIONS,
  withOptions,
  WITHOUT_WAITING,
} from '../support/parameters';
import { accountOf, receivedPhones, sandboxForTests } from '../support/sandbox';

const sandbox = sandboxForTests();
const setupOf = (setup: Omit<Setup, 'account'>): Setup => ({ account: accountOf(sandbox()), ...setup });
const CONTINUE = 'continueRegularOutput';

/** An expression that n8n can't evaluate. */
const FAILS = '={{ $("No such node").first().json.value }}';
/** The same, for the item with this phone alone. */
const failsFor = (index: number, otherwise: string) =>
  `={{ $json.phone === "${phoneAt(index)}" ? $("No such node").first().json.value : ${otherwise} }}`;

const outcomesOf = ({ outputs }: Execution) => outputs.flat().map(outcomeOf);

/** An execution that has sent the first two of four messages, and stopped because the service refused the third. */
async function stoppedAfterTwo(setup: Setup): Promise<Execution> {
  sandbox().setFaults([{ kind: 'status', status: 403, after: 2, times: 99 }]);
  const ran = await runWorkflow(setup);
  expect(ran.error).toBeDefined();
  sandbox().setFaults([]);
  expect(receivedPhones(sandbox())).toEqual([0, 1].map(phoneAt));
  return ran;
}

const OPERATIONS: Array<[string, INodeParameters]> = [
  ['Send', withOptions(SEND, { parallelRequests: 1 })],
  ['Send Bulk', withOptions(inBatchesOf(1, SEND_BULK), { parallelRequests: 1 })],
];

const BROKEN: Array<[string, (setup: Setup) => Setup, RegExp]> = [
  [
    'the Base URL is no address',
    (setup) => ({ ...setup, account: { ...setup.account, baseUrl: 'http://' } }),
    /^'Base URL' in the credential is not an address/,
  ],
  [
    'the API key is empty',
    (setup) => ({ ...setup, account: { ...setup.account, apiKey: ' ' } }),
    /^'API Key' .* empty$/,
  ],
  [
    'the credential has an expression that fails',
    (setup) => ({ ...setup, account: { ...setup.account, apiKey: FAILS } }),
    /^The credential can't be read: /,
  ],
  [
    'an option has a value that is none',
    (setup) => ({ ...setup, parameters: withOptions(setup.parameters, { parallelRequests: 0 }) }),
    /^The option 'Parallel Requests' must be/,
  ],
  [
    'an option has an expression that fails',
    (setup) => ({ ...setup, parameters: withOptions(setup.parameters, { longestWait: FAILS }) }),
    /^The option 'Max Wait' can't be read: /,
  ],
  [
    'the option Output has a value that is none',
    (setup) => ({ ...setup, parameters: { ...withOptions(SEND_BULK, { output: 'all' }) } }),
    /^The option 'Output' must be one of/,
  ],
  [
    'a Request Option has an expression that fails',
    (setup) => ({ ...setup, parameters: { ...setup.parameters, requestOptions: { proxy: FAILS } } }),
    /^The option 'Proxy' can't be read: /,
  ],
];

describe.each(OPERATIONS)('A retry of %s', (_name, parameters) => {
  describe.each(BROKEN)('where %s', (_what, breakIt, message) => {
    test('reports with On Error set to Continue what was sent before as sent', async () => {
      const setup = setupOf({ items: contacts(4), parameters });
      const ran = await stoppedAfterTwo(setup);
      const again = await retryExecution(ran, setup, { ...breakIt(setup), onError: CONTINUE });
      expect(outcomesOf(again)).toEqual(['sent', 'sent', 'not_sent', 'not_sent']);
      expect(again.outputs[0]?.map(({ json }) => json.phone ?? detailsOf({ json }).phone)).toEqual(
        [0, 1, 2, 3].map(phoneAt),
      );
      expect(again.outputs[0]?.[2]?.json.error).toMatch(message);
      expect(hintsOf(again)[0]?.message).toMatch(/^2 sent \(2 of them in an earlier attempt\), 2 not sent/);
    });

    test('reports with On Error set to Stop how many were sent before', async () => {
      const setup = setupOf({ items: contacts(4), parameters });
      const { error } = await retryExecution(await stoppedAfterTwo(setup), setup, breakIt(setup));
      expect(error?.message).toMatch(message);
      expect(error?.description).toContain('Nothing more was sent; 2 were sent in an earlier attempt.');
    });

    test('sends the rest once it is right again', async () => {
      const setup = setupOf({ items: contacts(4), parameters });
      const second = await retryExecution(await stoppedAfterTwo(setup), setup, breakIt(setup));
      const third = await retryExecution(second, setup, setup);
      expect(outcomesOf(third)).toEqual(['sent', 'sent', 'sent', 'sent']);
      expect(receivedPhones(sandbox())).toEqual([0, 1, 2, 3].map(phoneAt));
    });

    test('reports after a kill that every message may have been sent', async () => {
      const setup = setupOf({ items: contacts(4), parameters });
      const ran = killed(await stoppedAfterTwo(setup), 'node');
      const again = await retryExecution(ran, setup, { ...breakIt(setup), onError: CONTINUE });
      expect(new Set(outcomesOf(again))).toEqual(new Set(['uncertain']));
    });
  });

  test("sends what is left after a retry with 'Dry Run', which ends with an error and forgets nothing", async () => {
    const setup = setupOf({ items: contacts(4), parameters });
    const ran = await stoppedAfterTwo(setup);
    const dry = { ...setup, parameters: { ...parameters, options: { ...WITHOUT_WAITING, dryRun: true } } };
    const again = await retryExecution(ran, setup, dry);
    expect(again.error?.message).toContain("'Dry Run' can't be used in a retry");
    expect(receivedPhones(sandbox())).toEqual([0, 1].map(phoneAt));
    expect(outcomesOf(await retryExecution(again, setup, setup))).toEqual(['sent', 'sent', 'sent', 'sent']);
    expect(receivedPhones(sandbox())).toEqual([0, 1, 2, 3].map(phoneAt));
  });

  test.each(['phone', 'message'])('reports an item as sent whose %s can no longer be evaluated', async (name) => {
    const setup = setupOf({ items: contacts(4), parameters });
    const ran = await stoppedAfterTwo(setup);
    const changed = { ...parameters, [name]: failsFor(1, name === 'phone' ? '$json.phone' : '$json.text') };
    const again = await retryExecution(ran, setup, { ...setup, parameters: changed, onError: CONTINUE });
    expect(outcomesOf(again)).toEqual(['sent', 'sent', 'sent', 'sent']);
    expect(again.outputs[0]?.[1]?.json).toMatchObject({
      message_id: 1002,
      phone: name === 'phone' ? null : phoneAt(1),
    });
    expect(receivedPhones(sandbox())).toEqual([0, 1, 2, 3].map(phoneAt));
  });

  test('reports an item as uncertain that can no longer be evaluated and whose record n8n has lost', async () => {
    const setup = setupOf({ items: contacts(4), parameters });
    const ran = killed(await stoppedAfterTwo(setup), 'node');
    const changed = { ...parameters, phone: failsFor(1, '$json.phone') };
    const again = await retryExecution(ran, setup, { ...setup, parameters: changed, onError: CONTINUE });
    expect(outcomesOf(again)).toEqual(['uncertain', 'uncertain', 'uncertain', 'uncertain']);
    expect(again.outputs[0]?.[1]?.json.error).toMatch(/^An expression can't be evaluated: /);
    expect(detailsOf(again.outputs[0]?.[1]).description).toContain('The message may have been sent');
  });

  test('goes on with On Error set to Stop if what can no longer be evaluated was sent', async () => {
    const setup = setupOf({ items: contacts(4), parameters });
    const changed = { ...parameters, phone: failsFor(1, '$json.phone') };
    const again = await retryExecution(await stoppedAfterTwo(setup), setup, { ...setup, parameters: changed });
    expect(again.error).toBeUndefined();
    expect(receivedPhones(sandbox())).toEqual([0, 1, 2, 3].map(phoneAt));
  });
});

test('An item that can no longer be evaluated has the last outcome of its message', async () => {
  const parameters = withOptions(SEND, { parallelRequests: 1, uncertain: 'sendAgain' });
  const setup = setupOf({ items: contacts(3), parameters });
  sandbox().setFaults([{ kind: 'reset-after' }]);
  const first = await runWorkflow(setup);
  sandbox().setFaults([{ kind: 'status', status: 403, on: 'send', after: 1, times: 99 }]);
  const second = await retryExecution(first, setup, setup);
  sandbox().setFaults([]);
  const changed = { ...parameters, phone: failsFor(0, '$json.phone') };
  const third = await retryExecution(second, setup, { ...setup, parameters: changed, onError: CONTINUE });
  expect(outcomesOf(third)).toEqual(['sent', 'sent', 'sent']);
});

test('A retry reports the entries of a list that were sent, and the list as uncertain, if it can no longer be read', async () => {
  const setup = setupOf({
    items: [{ list: listOf(4) }],
    parameters: inBatchesOf(2, withOptions(SEND_LIST, { parallelRequests: 1 })),
  });
  sandbox().setFaults([{ kind: 'status', status: 403, after: 1, times: 99 }]);
  const ran = await runWorkflow(setup);
  const again = await retryExecution(ran, setup, {
    ...setup,
    parameters: { ...setup.parameters, messages: FAILS },
    onError: CONTINUE,
  });
  expect(outcomesOf(again).sort()).toEqual(['sent', 'sent', 'uncertain']);
});

test('A retry reports the parts of a text that were sent, and the item as uncertain, if it can no longer be read', async () => {
  const items = [{ phone: phoneAt(0), text: 'Hello '.repeat(400) }];
  const setup = setupOf({ items, parameters: withOptions(SEND, { longMessages: 'split', parallelRequests: 1 }) });
  sandbox().setFaults([{ kind: 'status', status: 403, after: 1, times: 99 }]);
  const ran = await runWorkflow(setup);
  const again = await retryExecution(ran, setup, {
    ...setup,
    parameters: { ...setup.parameters, message: FAILS },
    onError: CONTINUE,
  });
  expect(outcomesOf(again).sort()).toEqual(['sent', 'uncertain']);
});

test('A message that another item has now is not taken for that of an item that can no longer be evaluated', async () => {
  const parameters = withOptions(SEND, { parallelRequests: 1, duplicateMessages: 'sendOnce' });
  const setup = setupOf({ items: contacts(4), parameters });
  const ran = await stoppedAfterTwo(setup);
  // Item 1 has the number and text that item 0 had, so what was sent for item 0 is item 1's now.
  const changed = {
    ...parameters,
    phone: `={{ $itemIndex === 0 ? $("No such node").first().json.value : $itemIndex === 1 ? "${phoneAt(0)}" : $json.phone }}`,
    message: '={{ $itemIndex === 1 ? "Hello 0" : $json.text }}',
  };
  const again = await retryExecution(ran, setup, { ...setup, parameters: changed, onError: CONTINUE });
  expect(outcomesOf(again)).toEqual(['not_sent', 'sent', 'sent', 'sent']);
});

describe.each(SENDING_OPERATIONS)('%s', (_name, parameters) => {
  test("concerns one item alone if the option 'Default Country Code' can't be evaluated for the first one", async () => {
    const items = [
      { phone: '07700 900000', text: 'Hello', code: '44' },
      { phone: '07700 900001', text: 'Hello', code: '44' },
    ];
    const code = '={{ $itemIndex === 0 ? $("No such node").first().json.value : $json.code }}';
    const { outputs } = await runWorkflow(
      setupOf({ items, parameters: withOptions(parameters, { defaultCountryCode: code }), onError: CONTINUE }),
    );
    expect(outputs[0]?.map(outcomeOf)).toEqual(['not_sent', 'sent']);
    expect(detailsOf(outputs[0]?.[0])).toMatchObject({ code: 'INVALID_PARAMETER', phone: '07700 900000' });
    expect(receivedPhones(sandbox())).toEqual(['447700900001']);
  });
});

test("Get Balance names an option that can't be used", async () => {
  const { error } = await runWorkflow(
    setupOf({ items: [{}], parameters: { ...GET_BALANCE, options: { longestWait: 'long' } } }),
  );
  expect(error?.message).toMatch(/^The option 'Max Wait' must be/);
});
