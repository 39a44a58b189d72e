/** Retries with 'Send Once, Also in Later Runs', after a failure and after a kill. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { inFlight } from '../../tools/engine/lifetime';
import { KEY } from '../support/account';
import { contacts, phoneAt, phones } from '../support/contacts';
import { outcomes } from '../support/engine/campaign';
import type { Setup } from '../support/engine/workflow';
import { outcomesOf } from '../support/outputs';
import { inBatchesOf, SEND, SEND_BULK } from '../support/parameters';
import { once, sendOnceForTests } from '../support/sendOnce';

const NEW_KEY = 'made-up-new-key-1234567890';
const { sandbox, setupOf, run, retry, campaign, received } = sendOnceForTests({ keys: [KEY, NEW_KEY] });
const oneByOne = once(SEND, { parallelRequests: 1 });
const sendAgain = { parameters: once(SEND, { uncertain: 'sendAgain' }) };

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

  test('a Retry does not send what was sent, and sends again what may have been with Send Again', async () => {
    const retried = await failed(contacts(3), inBatchesOf(1, oneByOne), 1);
    expect(await retried({})).toEqual(['sent', 'uncertain', 'sent']);
    expect(await retried(sendAgain)).toEqual(['sent', 'sent', 'sent']);
  });

  test('a message that may have been sent stays reserved when the service rejects it with Send Again', async () => {
    const retried = await failed(contacts(1), once(SEND), 0);
    sandbox().setFaults([{ kind: 'status', status: 403, times: 99 }]);
    expect(await retried(sendAgain)).toEqual(['uncertain']);
    sandbox().setFaults([]);
    expect(outcomesOf(await run(contacts(1), once(SEND)))).toEqual(['uncertain']);
  });

  test('messages sent with Send Again are remembered, even if the first attempt ran without the option', async () => {
    const retried = await failed(contacts(1), SEND, 0);
    expect(await retried(sendAgain)).toEqual(['sent']);
    expect(outcomesOf(await run(contacts(1), once(SEND)))).toEqual(['skipped']);
    expect(received()).toEqual(phones(0));
  });

  test('Send Again sends nothing that another execution has sent in the meantime', async () => {
    const retried = await failed(contacts(3), SEND, 0);
    await run(contacts(1), once(SEND));
    expect(await retried(sendAgain)).toEqual(['skipped', 'sent', 'sent']);
    expect(received()).toEqual(phones(0, 1, 2));
  });
});

test('After a kill in a request, a Retry skips the message in it that another execution had sent before', async () => {
  await run(contacts(1), once(SEND_BULK));
  const killed = campaign({ items: contacts(2), parameters: once(SEND_BULK) });
  await killed.run(inFlight(1));
  expect(outcomes(await killed.finish())).toEqual(['skipped', 'uncertain']);
});

test('After a kill, a new execution sends messages that were not begun, and only those in flight are uncertain', async () => {
  await campaign({ items: contacts(5), parameters: oneByOne }).run(inFlight(3));
  const second = await run(contacts(5), once(SEND));
  expect(outcomesOf(second)).toEqual(['skipped', 'skipped', 'uncertain', 'sent', 'sent']);
  expect(received()).toEqual(phones(0, 1, 2, 3, 4));
});
