/** Retries after a kill of an execution in the editor, about which n8n's database knows nothing. */
import { inFlight } from '../../tools/engine/lifetime';
import { contacts, phoneAt, phones } from '../support/contacts';
import { arrivals, type Campaign, outcomes } from '../support/engine/campaign';
import { nodeForTests } from '../support/engine/nodeForTests';
import type { Setup } from '../support/engine/workflow';
import { outcomesOf } from '../support/outputs';
import { GET_BALANCE, SEND, SENDING_OPERATIONS } from '../support/parameters';

const { sandbox, run, campaign, received: arrived } = nodeForTests();
const received = () => arrived().sort();
const refuseAll = () => sandbox().setFaults([{ kind: 'status', status: 403, times: 99 }]);

type Kill = (begun: Campaign) => Promise<unknown>;
const whileItRan: Kill = async (begun) => await begun.run(inFlight(1));
const afterItEnded: Kill = async (begun) => await begun.runAndForget('kept');
const PROGRESS_SAVED = { settings: { saveExecutionProgress: true } };

describe.each(SENDING_OPERATIONS)('A retry of %s', (_name, parameters) => {
  /** Two messages were sent before; then n8n is killed in an execution in which the service rejects all messages. */
  const killed = async (changes: Partial<Setup> = {}, kill = whileItRan) => {
    await run({ items: contacts(2), parameters });
    refuseAll();
    const begun = campaign({ mode: 'manual', items: contacts(4), parameters, ...changes });
    await kill(begun);
    sandbox().setFaults([]);
    return begun;
  };

  describe.each<[string, Partial<Setup>, Kill]>([
    ['while the node ran, with its progress stored', PROGRESS_SAVED, whileItRan],
    ['after the node had ended, with nothing stored', {}, afterItEnded],
  ])('after n8n was killed %s,', (_when, setup, kill) => {
    test('sends nothing, and reports that every message may have been sent', async () => {
      const { error } = await (await killed(setup, kill)).run();
      expect(error?.message).toBe(
        "n8n stopped during an earlier attempt, or another retry has run since, so this message's outcome is unknown",
      );
      expect(error?.description).toContain('in a new execution, with only these items');
      expect(error?.description).toContain('0 sent, 4 uncertain (may have been sent), ');
      expect(received()).toEqual(phones(0, 1));
    });

    test('gives each item the outcome uncertain and no batch with On Error set to Continue', async () => {
      const again = await (await killed(setup, kill)).run({ changes: { onError: 'continueErrorOutput' } });
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

    test('still sends nothing when it is retried again', async () => {
      const begun = await killed(setup, kill);
      await begun.run();
      expect(outcomes(await begun.finish())).toEqual(['uncertain', 'uncertain', 'uncertain', 'uncertain']);
      expect(received()).toEqual(phones(0, 1));
    });
  });

  test('after n8n was killed sends nothing, even after a Retry in which the node was Get Balance', async () => {
    const begun = await killed(PROGRESS_SAVED);
    sandbox().setFaults([{ kind: 'status', status: 503, times: 9 }]);
    const between = await begun.run({ changes: { parameters: GET_BALANCE } });
    expect(between.error).toBeDefined();
    sandbox().setFaults([]);
    const { error } = await begun.run({ changes: {} });
    expect(error?.message).toContain('outcome is unknown');
    expect(received()).toEqual(phones(0, 1));
  });
});

test('A single message is not sent again by the Retry after one whose second try was killed', async () => {
  const begun = campaign({ items: contacts(1), parameters: SEND, retryOnFail: { maxTries: 2 } });
  await begun.run(inFlight(1));
  await begun.runAndForget('kept');
  const fates = await begun.finish();
  expect(outcomes(fates)).toEqual(['uncertain']);
  expect(arrivals(fates)).toEqual([1]);
});
