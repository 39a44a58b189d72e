/** Retries of an execution during which n8n was killed. Here that is imitated; `test/e2e/retryAfterKill.test.ts` kills n8n. */

import { contacts, phoneAt } from '../support/contacts';
import { type Execution, killed, retryExecution, runWorkflow, type Setup } from '../support/engine/workflow';
import { detailsOf, outcomeOf } from '../support/outputs';
import { GET_BALANCE, SENDING_OPERATIONS, withOptions } from '../support/parameters';
import { accountOf, receivedPhones, sandboxForTests } from '../support/sandbox';

const sandbox = sandboxForTests();
const received = () => receivedPhones(sandbox()).sort();
const setupOf = (setup: Omit<Setup, 'account'>): Setup => ({ account: accountOf(sandbox()), ...setup });
const outcomesOf = ({ outputs }: Execution) => outputs.flat().map(outcomeOf);
const phones = (...indexes: number[]) => indexes.map(phoneAt).sort();

const KILLS: Array<[string, (ran: Execution) => Execution]> = [
  ['while the node ran, with its progress stored', (ran) => killed(ran, 'node')],
  ['while the node ran, with nothing stored', (ran) => killed(ran, 'start')],
  ['after the node had ended, with nothing stored', (ran) => killed(ran, 'start', true)],
];

describe.each(SENDING_OPERATIONS)('A retry of %s', (_name, parameters) => {
  /** Two messages were sent before; then an execution stops because the service refuses all of its messages. */
  const begun = async (setup: Setup) => {
    await runWorkflow(setupOf({ items: contacts(2), parameters }));
    sandbox().setFaults([{ kind: 'status', status: 403, times: 99 }]);
    const ran = await runWorkflow(setup);
    expect(ran.error).toBeDefined();
    sandbox().setFaults([]);
    return ran;
  };

  describe.each(KILLS)('after n8n was killed %s,', (_when, kill) => {
    test('sends nothing, and reports that every message may have been sent', async () => {
      const setup = setupOf({ items: contacts(4), parameters });
      const ran = kill(await begun(setup));
      const { error } = await retryExecution(ran, setup);
      expect(error?.message).toBe("n8n stopped during an earlier attempt, so this message's outcome is unknown");
      expect(error?.description).toContain('Send Again');
      expect(error?.description).toContain('0 of 4 messages were sent, and 4 may have been sent.');
      expect(received()).toEqual(phones(0, 1));
    });

    test('gives each item the outcome uncertain and no batch with On Error set to Continue', async () => {
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

    test("sends all messages again with 'Send Again', and those that are refused stay uncertain", async () => {
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

  describe('after n8n was killed', () => {
    test('does not report that nothing was sent if another item is invalid', async () => {
      const setup = setupOf({ items: contacts(4), parameters });
      const ran = killed(await begun(setup), 'node');
      const changed = { ...parameters, message: '={{ $json.text === "Hello 3" ? "" : $json.text }}' };
      const { error } = await retryExecution(ran, setup, { ...setup, parameters: changed });
      expect(error?.message).toBe('The message is empty');
      expect(error?.description).toContain('Nothing more was sent; 4 may have been sent in an earlier attempt.');
    });

    test('sends nothing if n8n stores the files of an item beside its fields', async () => {
      const setup = { ...setupOf({ items: contacts(4), parameters }), settings: { binaryMode: 'combined' } as const };
      const { error } = await retryExecution(killed(await begun(setup), 'start', true), setup);
      expect(error?.message).toContain('outcome is unknown');
      expect(received()).toEqual(phones(0, 1));
    });

    test('sends nothing if it is repeated', async () => {
      const setup = setupOf({ items: contacts(4), parameters });
      const first = await retryExecution(killed(await begun(setup), 'node'), setup);
      const { error } = await retryExecution(first, setup);
      expect(error?.message).toContain('outcome is unknown');
      expect(received()).toEqual(phones(0, 1));
    });

    test('sends nothing in any iteration of a loop that starts again', async () => {
      const setup = setupOf({ items: contacts(2), moreItems: [contacts(2)], parameters });
      const changed = { ...setup, onError: 'continueRegularOutput' } as const;
      const again = await retryExecution(killed(await begun(setup), 'start'), setup, changed);
      const rounds = again.run.data.resultData.runData.Send?.slice(1) ?? [];
      expect(rounds.map(({ data }) => data?.main?.[0]?.map(({ json }) => detailsOf({ json }).code))).toEqual([
        ['INTERRUPTED', 'INTERRUPTED'],
        ['INTERRUPTED', 'INTERRUPTED'],
      ]);
      expect(received()).toEqual(phones(0, 1));
    });

    test('sends nothing with Retry On Fail', async () => {
      const setup = setupOf({ items: contacts(4), parameters, retryOnFail: { maxTries: 3 } });
      const { error } = await retryExecution(killed(await begun(setup), 'node'), setup);
      expect(error?.message).toContain('outcome is unknown');
      expect(received()).toEqual(phones(0, 1));
    });
  });

  test('sends all messages of a run that failed before it sent any', async () => {
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

  test('sends all messages if the node was Get Balance when it failed', async () => {
    const setup = setupOf({ items: contacts(3), parameters });
    sandbox().setFaults([{ kind: 'status', status: 503, after: 1, times: 9 }]);
    const ran = await runWorkflow({ ...setup, parameters: GET_BALANCE });
    expect(ran.error).toBeDefined();
    sandbox().setFaults([]);
    const { error } = await retryExecution(ran, setup, setup);
    expect(error).toBeUndefined();
    expect(received()).toEqual(phones(0, 1, 2));
  });

  test('sends nothing after n8n was killed if the node was Get Balance in a Retry between', async () => {
    const setup = setupOf({ items: contacts(2), parameters });
    const ran = killed(await begun(setup), 'node');
    sandbox().setFaults([{ kind: 'status', status: 503, times: 9 }]);
    const between = await retryExecution(ran, setup, { ...setup, parameters: GET_BALANCE });
    expect(between.error).toBeDefined();
    sandbox().setFaults([]);
    const { error } = await retryExecution(between, setup, setup);
    expect(error?.message).toContain('outcome is unknown');
    expect(received()).toEqual(phones(0, 1));
  });

  test('sends all messages of a run whose credential could not be used', async () => {
    const setup = setupOf({ items: contacts(2), parameters });
    const ran = await runWorkflow({ ...setup, account: { baseUrl: 'nonsense', apiKey: '' } });
    expect(ran.error).toBeDefined();
    const { error } = await retryExecution(ran, setup);
    expect(error).toBeUndefined();
    expect(received()).toEqual(phones(0, 1));
  });

  test('sends the messages of a later iteration of a loop', async () => {
    const setup = setupOf({ items: contacts(2), moreItems: [contacts(2), contacts(2)], parameters });
    sandbox().setFaults([{ kind: 'status', status: 403, after: parameters.operation === 'send' ? 2 : 1 }]);
    const ran = await runWorkflow(setup);
    const { error, run } = await retryExecution(ran, setup);
    expect(error).toBeUndefined();
    expect(run.data.resultData.runData.Send).toHaveLength(3);
    expect(received()).toEqual(phones(0, 0, 0, 1, 1, 1));
  });
});
