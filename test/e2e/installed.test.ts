import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { asArray, asObject, asObjects, asString } from '../../tools/json';
import { API_KEY } from '../../tools/n8n/instance';
import { CURRENT } from '../../tools/n8n/releases';
import { instanceForTests } from './instanceForTests';

const NAME = 'n8n-nodes-messaging-send.messagingSend';

describe(`The package in n8n ${CURRENT}`, () => {
  const instance = instanceForTests();

  test('n8n has loaded the node, its tool, the trigger and the credential, with icons and categories', async () => {
    const { rest } = instance();
    const typesIn = async (file: string) => asObjects(JSON.parse(await rest.readFile(`/types/${file}.json`)), file);
    const nodes = (await typesIn('nodes')).filter(({ name }) => String(name).startsWith('n8n-nodes-messaging-send.'));
    const own = nodes.map(({ name }) => String(name)).sort();
    assert.deepEqual(own, [NAME, `${NAME}HitlTool`, `${NAME}Tool`, `${NAME}Trigger`]);
    for (const { codex, name } of nodes)
      assert.ok(asArray(asObject(codex, `the codex of ${String(name)}`).categories, 'categories').length > 0);
    const credential = (await typesIn('credentials')).find(({ name }) => name === 'messagingSendApi');
    for (const type of [...nodes, asObject(credential, 'the credential')]) {
      const icons = Object.values(asObject(type.iconUrl, `the icons of ${String(type.name)}`));
      assert.equal(icons.length, 2);
      for (const icon of icons) assert.match(await rest.readFile(`/${asString(icon, 'icon')}`), /<svg/);
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
