/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';

import { z } from 'zod/v4';

import { API_KEY } from '../../tools/n8n/instance';
import { CURRENT, SUPPORTED } from '../../tools/n8n/releases';
import { chain, items, messagingSend, SENDER, START, start } from '../../tools/n8n/workflow';
import { contacts } from '../support/contacts';
import { instanceForTests } from './instanceForTests';

const NAME = 'n8n-nodes-messaging-send.messagingSend';
const OTHER_KEY = 'made-up-other-key-0123';

/** What n8n tells its editor about a type of node or credential. */
const TYPES = z.array(
  z.object({
    name: z.string(),
    codex: z.object({ categories: z.array(z.string()).default([]) }).default({ categories: [] }),
    iconUrl: z.union([z.string(), z.record(z.string(), z.string())]).default(''),
  }),
);

/** The key of each item; for one of them, the expression in the credential fails. */
const KEYS = ['no node', API_KEY, OTHER_KEY, ''];

for (const release of SUPPORTED) {
  describe(`The package and its credential in n8n ${release}`, () => {
    const instance = instanceForTests({ release, hasInterface: true, sandbox: { keys: [API_KEY, OTHER_KEY] } });
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
      // The first item's value decides whether the node asks for the others.
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
        const once = (path: string) => [1, 2].map((key) => `${path}/messages/send-bulk key ${key} 1`);
        assert.deepEqual(requests.sort(), [...once('/api/v1'), ...once('/v1')]);
      }
    });

    // The remaining tests don't depend on the release.
    if (release !== CURRENT) return;

    test('n8n has loaded the node, its tool, the trigger and the credential, with icons and categories', async () => {
      const { rest } = instance();
      const typesIn = async (file: string) => TYPES.parse(JSON.parse(await rest.readFile(`/types/${file}.json`)));
      const nodes = (await typesIn('nodes')).filter(({ name }) => name.startsWith('n8n-nodes-messaging-send.'));
      const own = nodes.map(({ name }) => name).sort();
      assert.deepEqual(own, [NAME, `${NAME}HitlTool`, `${NAME}Tool`, `${NAME}Trigger`]);
      for (const { codex, name } of nodes) assert.ok(codex.categories.length > 0, name);
      const credentials = (await typesIn('credentials')).filter(({ name }) => name === 'messagingSendApi');
      assert.equal(credentials.length, 1);
      for (const { iconUrl } of [...nodes, ...credentials]) {
        const icons = typeof iconUrl === 'string' ? [iconUrl] : Object.values(iconUrl);
        assert.equal(icons.length, 2);
        for (const icon of icons) assert.match(await rest.readFile(`/${icon}`), /<svg/);
      }
    });

    const credentials: Array<[what: string, path: string, apiKey: string, answer: string]> = [
      ['the right key', '/v1', API_KEY, 'Connection successful!'],
      ['no key', '/v1', ' ', "'API Key' in the credential is empty"],
      ['a wrong key', '/v1', 'another', 'The API key is not valid. Copy it from your account settings.'],
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
