/** Retry of an execution in whose middle n8n was killed; `test/e2e/crash.test.ts` really kills it. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { contacts, phoneAt } from '../support/contacts';
import { type Execution, killed, retryExecution, runWorkflow, type Setup } from '../support/engine/workflow';
import { SEND, SEND_BULK, withOptions } from '../support/parameters';
import { accountOf, sandboxForTests } from '../support/sandbox';

const sandbox = sandboxForTests();
const received = () =>
  sandbox()
    .messages()
    .map(({ phone }) => phone)
    .sort();
const setupOf = (setup: Omit<Setup, 'account'>): Setup => ({ account: accountOf(sandbox()), ...setup });
const outcomesOf = ({ outputs }: Execution) =>
  outputs.flat().map(({ json }) => (json.error === undefined ? json.status : (json.details as IDataObject).outcome));
const phones = (...indexes: number[]) => indexes.map(phoneAt).sort();

const ways: Array<[string, INodeParameters]> = [
  ['Send', SEND],
  ['Send Bulk', SEND_BULK],
];
const deaths: Array<[string, (ran: Execution) => Execution]> = [
  ['while the node ran, with the progress stored', (ran) => killed(ran, 'node')],
  ['while the node ran, with nothing stored', (ran) => killed(ran, 'start')],
  ['after the node had ended, with nothing stored', (ran) => killed(ran, 'start', true)],
];

describe.each(ways)('%s', (_name, parameters) => {
  /** Two messages of four went out, and the service refused the others. */
  const begun = async (setup: Setup) => {
    await runWorkflow(setupOf({ items: contacts(2), parameters }));
    sandbox().setFaults([{ kind: 'status', status: 403, times: 99 }]);
    const ran = await runWorkflow(setup);
    expect(ran.error).toBeDefined();
    sandbox().setFaults([]);
    return ran;
  };

  describe.each(deaths)('killed %s', (_death, kill) => {
    test('sends nothing, and says that every message may have gone out', async () => {
      const setup = setupOf({ items: contacts(4), parameters });
      const ran = kill(await begun(setup));
      const { error } = await retryExecution(ran, setup);
      expect(error?.message).toBe(
        'n8n was ended in the middle of an earlier try, and what became of this message was lost',
      );
      expect(error?.description).toContain('Send Again');
      expect(error?.description).toContain('0 of 4 messages had gone out before, and 4 may have.');
      expect(received()).toEqual(phones(0, 1));
    });

    test('with Continue, gives each item the outcome uncertain, and no batch', async () => {
      const setup = setupOf({ items: contacts(4), parameters });
      const ran = kill(await begun(setup));
      const again = await retryExecution(ran, setup, { ...setup, onError: 'continueErrorOutput' });
      expect(outcomesOf(again)).toEqual(['uncertain', 'uncertain', 'uncertain', 'uncertain']);
      expect(again.outputs[1]?.[0]?.json.details).toEqual({
        code: 'INTERRUPTED',
        http_status: null,
        outcome: 'uncertain',
        phone: phoneAt(0),
        description: expect.any(String) as string,
      });
      expect(received()).toEqual(phones(0, 1));
    });

    test('once the user wants it so, sends all of them again, and what is refused stays uncertain', async () => {
      const setup = setupOf({ items: contacts(4), parameters });
      const first = await retryExecution(kill(await begun(setup)), setup);
      const sendAgain = { ...setup, parameters: withOptions(parameters, { uncertain: 'sendAgain' }) };
      sandbox().setFaults([{ kind: 'status', status: 403, times: 99 }]);
      const refused = await retryExecution(first, setup, { ...sendAgain, onError: 'continueRegularOutput' });
      expect(new Set(outcomesOf(refused))).toEqual(new Set(['uncertain']));
      sandbox().setFaults([]);
      const again = await retryExecution(first, setup, sendAgain);
      expect(again.error).toBeUndefined();
      expect(received()).toEqual(phones(0, 0, 1, 1, 2, 3));
    });
  });

  test('does not say that nothing was sent if another item is wrong, too', async () => {
    const setup = setupOf({ items: contacts(4), parameters });
    const ran = killed(await begun(setup), 'node');
    const changed = { ...parameters, message: '={{ $json.text === "Hello 3" ? "" : $json.text }}' };
    const { error } = await retryExecution(ran, setup, { ...setup, parameters: changed });
    expect(error?.message).toBe('The message is empty');
    expect(error?.description).toContain('Nothing more was sent; 3 may have gone out in an earlier try.');
  });

  test('says so where n8n stores the files of an item beside its fields, too', async () => {
    const setup = { ...setupOf({ items: contacts(4), parameters }), settings: { binaryMode: 'combined' } as const };
    const { error } = await retryExecution(killed(await begun(setup), 'start', true), setup);
    expect(error?.message).toContain('was lost');
    expect(received()).toEqual(phones(0, 1));
  });

  test('a further Retry sends nothing either', async () => {
    const setup = setupOf({ items: contacts(4), parameters });
    const first = await retryExecution(killed(await begun(setup), 'node'), setup);
    const { error } = await retryExecution(first, setup);
    expect(error?.message).toContain('was lost');
    expect(received()).toEqual(phones(0, 1));
  });

  test('a loop that begins anew sends in none of its rounds', async () => {
    const setup = setupOf({ items: contacts(2), moreItems: [contacts(2)], parameters });
    const changed = { ...setup, onError: 'continueRegularOutput' } as const;
    const again = await retryExecution(killed(await begun(setup), 'start'), setup, changed);
    const rounds = again.run.data.resultData.runData.Send?.slice(1) ?? [];
    expect(rounds.map(({ data }) => data?.main?.[0]?.map(({ json }) => (json.details as IDataObject).code))).toEqual([
      ['INTERRUPTED', 'INTERRUPTED'],
      ['INTERRUPTED', 'INTERRUPTED'],
    ]);
    expect(received()).toEqual(phones(0, 1));
  });

  test('Retry On Fail in the retried execution sends nothing either', async () => {
    const setup = setupOf({ items: contacts(4), parameters, retryOnFail: { maxTries: 3 } });
    const { error } = await retryExecution(killed(await begun(setup), 'node'), setup);
    expect(error?.message).toContain('was lost');
    expect(received()).toEqual(phones(0, 1));
  });
});

describe.each(ways)('what is no sign of it: %s', (_name, parameters) => {
  test('a run that failed before it had sent anything', async () => {
    const setup = setupOf({
      items: contacts(2),
      parameters: withOptions(parameters, { defaultCountryCode: '={{ nonsense( }}' }),
    });
    const ran = await runWorkflow(setup);
    expect(ran.error).toBeDefined();
    const { error } = await retryExecution(ran, setup, { ...setup, parameters });
    expect(error).toBeUndefined();
    expect(received()).toEqual(phones(0, 1));
  });

  test('a run whose credential could not be used', async () => {
    const setup = setupOf({ items: contacts(2), parameters });
    const ran = await runWorkflow({ ...setup, account: { baseUrl: 'nonsense', apiKey: '' } });
    expect(ran.error).toBeDefined();
    const { error } = await retryExecution(ran, setup);
    expect(error).toBeUndefined();
    expect(received()).toEqual(phones(0, 1));
  });

  test('a later round of a loop, though the node has run before', async () => {
    const setup = setupOf({ items: contacts(2), moreItems: [contacts(2), contacts(2)], parameters });
    sandbox().setFaults([{ kind: 'status', status: 403, after: parameters.operation === 'send' ? 2 : 1 }]);
    const ran = await runWorkflow(setup);
    const { error, run } = await retryExecution(ran, setup);
    expect(error).toBeUndefined();
    expect(run.data.resultData.runData.Send).toHaveLength(3);
    expect(received()).toEqual(phones(0, 0, 0, 1, 1, 1));
  });
});
