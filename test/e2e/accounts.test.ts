/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';

import { API_KEY } from '../../tools/n8n/instance';
import { CURRENT, SUPPORTED } from '../../tools/n8n/releases';
import { chain, items, messagingSend, SENDER, START, start } from '../../tools/n8n/workflow';
import { contacts } from '../support/contacts';
import { instanceForTests } from './instanceForTests';

const OTHER_KEY = 'made-up-other-key-0123';

/** The key of each item; for one of them, the expression in the credential fails. */
const KEYS = ['no node', API_KEY, OTHER_KEY, ''];

for (const release of SUPPORTED) {
  describe(`The package and its credential in n8n ${release}`, () => {
    const instance = instanceForTests({ release, hasInterface: true, sandbox: { keys: [API_KEY, OTHER_KEY] } });
    beforeEach(() => instance().sandbox.reset());

    test('A credential with expressions sends each item from its own account', async () => {
      const { rest, sandbox } = instance();
      const data = {
        baseUrl: `${sandbox.url}/v1`,
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
      // The first item's value decides whether the node asks for the others.
      for (const keys of [KEYS, KEYS.toReversed()]) {
        sandbox.reset();
        const rows = contacts(2 * keys.length).map((contact, index) => ({
          ...contact,
          key: keys[index % keys.length] ?? '',
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
        const requests = sandbox.requests().map(({ key, messages }) => `${messages} with ${key}`);
        assert.deepEqual(requests.sort(), ['2 with key 1', '2 with key 2']);
      }
    });

    // The remaining tests don't depend on the release.
    if (release !== CURRENT) return;

    const credentials: Array<[what: string, path: string, apiKey: string, answer: string]> = [
      ['no key', '/v1', ' ', "'API Key' in the credential is empty"],
      [
        'an address where another service answers',
        '/?',
        API_KEY,
        'The response is not from the messaging service. Copy the Base URL from your account settings.',
      ],
    ];
    for (const [what, path, apiKey, answer] of credentials) {
      test(`The credential test has its own answer to ${what}`, async () => {
        const { rest, sandbox, credential } = instance();
        const { message } = await rest.testCredential(credential, { baseUrl: `${sandbox.url}${path}`, apiKey });
        assert.equal(message, answer);
      });
    }
  });
}
