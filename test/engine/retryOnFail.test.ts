/** What the second attempt of Retry On Fail sends. */
import type { IDataObject } from 'n8n-workflow';

import { contacts, phoneAt } from '../support/contacts';
import { nodeForTests } from '../support/engine/nodeForTests';
import { SENDING_ONE_BY_ONE } from '../support/parameters';

const { sandbox, setupOf, run, received, contactsReceived } = nodeForTests();

describe.each(SENDING_ONE_BY_ONE)('%s with Retry On Fail', (_name, parameters) => {
  test('sends only what was not sent, and returns the same items as without a failure, field by field', async () => {
    const setup = setupOf({ items: contacts(6), parameters, retryOnFail: { maxTries: 3 } });
    // The batch that failed was sent again, with another number.
    const shapeOf = (json: IDataObject) =>
      Object.entries(json)
        .filter(([name]) => name !== 'batch')
        .map(([name, value]) => [name, name === 'sent_at' ? typeof value : value]);
    const expected = (await run(setup)).outputs;
    sandbox().reset();
    // A 403 is certain: the messages were not sent.
    sandbox().setFaults([{ kind: 'status', status: 403, after: 1, times: 2 }]);
    const ran = await run(setup);
    const shapes = ([items]: typeof expected) => items?.map(({ json, ...rest }) => ({ ...rest, json: shapeOf(json) }));
    expect(ran.error).toBeUndefined();
    expect(shapes(ran.outputs)).toEqual(shapes(expected));
    expect(contactsReceived()).toEqual(contacts(6));
    expect(ran.run.data.executionData?.contextData['node:Send']).toEqual({});
  });

  test('does not send an uncertain message again', async () => {
    sandbox().setFaults([{ kind: 'reset-after' }]);
    const { error } = await run({ items: contacts(2), parameters, retryOnFail: { maxTries: 3 } });
    expect(error).toBeDefined();
    expect(received().filter((phone) => phone === phoneAt(0))).toHaveLength(1);
  });
});
