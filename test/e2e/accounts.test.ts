import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';

import { API_KEY } from '../../tools/n8n/instance';
import { SUPPORTED } from '../../tools/n8n/releases';
import { contacts } from '../support/contacts';
import { chain, items, messagingSend, SENDER, START, start } from '../support/n8n/workflow';
import { instanceForTests } from './instanceForTests';

const OTHER_KEY = 'made-up-other-key-0123';

/** What the items give as their key; for one of them, the expression in the credential fails. */
const KEYS = ['no node', API_KEY, OTHER_KEY, ''];

for (const release of SUPPORTED) {
  describe(`The accounts of n8n ${release}`, () => {
    const instance = instanceForTests({
      release,
      sandbox: { keys: [API_KEY, OTHER_KEY] },
    });
    beforeEach(() => instance().sandbox.reset());

    test('A credential with expressions sends each item from its own account', async () => {
      const { rest, sandbox } = instance();
      const data = {
        baseUrl: `=${sandbox.url}{{ $json.path }}`,
        apiKey: '={{ $json.key === "no node" ? $("No such node").first().json.key : $json.key }}',
      };
      const credential = await rest.createCredential('By item', 'messagingSendApi', data);
      const expected: Record<string, RegExp> = {
        '': /^'API Key' in the credential is empty$/,
        'no node': /^The credential can't be read: /,
      };
      const fromItem = { source: 'items', phone: '={{ $json.phone }}', message: '={{ $json.text }}' };
      const sender = messagingSend(
        { resource: 'message', operation: 'sendBulk', ...fromItem },
        { onError: 'continueRegularOutput' },
      );
      // What n8n gives for the first item decides whether the node asks for the others.
      for (const keys of [KEYS, KEYS.toReversed()]) {
        sandbox.reset();
        const rows = contacts(2 * keys.length).map((contact, index) => ({
          ...contact,
          key: keys[index % keys.length] ?? '',
          path: index < keys.length ? '/v1' : '/api/v1',
        }));
        const workflow = await rest.importWorkflow(chain('By item', [start(), items(rows), sender]), [credential]);
        const execution = await rest.run(workflow, START);

        const outcomes = execution.outputOf(SENDER).map(({ json }) => String(json.error ?? json.status));
        assert.equal(outcomes.length, rows.length);
        for (const [index, { key }] of rows.entries()) assert.match(outcomes[index] ?? '', expected[key] ?? /^sent$/);
        assert.deepEqual(
          sandbox
            .messages()
            .map(({ phone, key }) => [phone, key])
            .sort(),
          rows.flatMap(({ phone, key }) => (key in expected ? [] : [[phone, key === API_KEY ? 'key 1' : 'key 2']])),
        );
        const requests = sandbox.requests().map(({ path, key, messages }) => `${path} ${key} ${messages}`);
        assert.deepEqual(
          requests.sort(),
          ['/api/v1', '/v1'].flatMap((path) => [1, 2].map((key) => `${path}/messages/send-bulk key ${key} 1`)),
        );
      }
    });
  });
}
