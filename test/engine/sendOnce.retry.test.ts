/** Retries with 'Send Once, Also in Later Runs', after a failure and after a kill. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { inFlight } from '../../tools/engine/lifetime';
import { KEY } from '../support/account';
import { contacts, phoneAt, phones } from '../support/contacts';
import { outcomes } from '../support/engine/campaign';
import type { Setup } from '../support/engine/workflow';
import { outcomesOf } from '../support/outputs';
import { inBatchesOf, SEND, SEND_BULK } from '../support/parameters';
import { once, reasonsOf, sendOnceForTests } from '../support/sendOnce';

const NEW_KEY = 'made-up-new-key-1234567890';
const { sandbox, setupOf, run, retry, campaign, received } = sendOnceForTests({ keys: [KEY, NEW_KEY] });
const oneByOne = once(SEND, { parallelRequests: 1 });

describe('After a failure', () => {
  /** An execution whose message to this contact is uncertain. */
  const failed = async (items: IDataObject[], parameters: INodeParameters, uncertain: number) => {
    sandbox().setFaults([{ kind: 'status', status: 503, phones: [phoneAt(uncertain)] }]);
    const setup = setupOf({ items, parameters, onError: 'stopWorkflow' });
    const ran = await run(items, parameters, setup);
    expect(ran.error).toBeDefined();
    sandbox().setFaults([]);
    return async (changes: Partial<Setup>) =>
      outcomesOf(await retry(ran, setup, { onError: 'continueRegularOutput', ...changes }));
  };

  test('a Retry does not send what was sent or may have been, and later executions leave out both', async () => {
    const retried = await failed(contacts(3), inBatchesOf(1, oneByOne), 1);
    expect(await retried({})).toEqual(['sent', 'uncertain', 'sent']);
    expect(reasonsOf(await run(contacts(3), oneByOne))).toEqual(['sent_before', 'may_have_been_sent', 'sent_before']);
    expect(received()).toEqual(phones(0, 2));
  });

  test('a Retry sends nothing that another execution has sent in the meantime', async () => {
    const retried = await failed(contacts(3), inBatchesOf(1, SEND), 0);
    await run(contacts(2).slice(1), once(SEND));
    expect(await retried({ parameters: once(SEND) })).toEqual(['uncertain', 'skipped', 'sent']);
    expect(received()).toEqual(phones(1, 2));
  });
});

test('After a kill in a request, a Retry skips the message in it that another execution had sent before', async () => {
  await run(contacts(1), once(SEND_BULK));
  const killed = campaign({ items: contacts(2), parameters: once(SEND_BULK) });
  await killed.run(inFlight(1));
  expect(outcomes(await killed.finish())).toEqual(['skipped', 'uncertain']);
});

test('After a kill, a new execution sends messages that were not begun, and leaves out those in flight', async () => {
  await campaign({ items: contacts(5), parameters: oneByOne }).run(inFlight(3));
  const second = await run(contacts(5), once(SEND));
  expect(reasonsOf(second)).toEqual(['sent_before', 'sent_before', 'may_have_been_sent', undefined, undefined]);
  expect(received()).toEqual(phones(0, 1, 2, 3, 4));
});
