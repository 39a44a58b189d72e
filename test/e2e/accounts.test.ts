import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { API_KEY } from '../../tools/n8n/instance';
import { CURRENT } from '../../tools/n8n/releases';
import { contacts } from '../support/contacts';
import { chain, items, messagingSend, SENDER, START, start } from '../support/n8n/workflow';
import { instanceForTests } from './instanceForTests';

const OTHER_KEY = 'made-up-other-key-0123';
const KEYS = [API_KEY, OTHER_KEY, ''];

describe(`A credential of n8n ${CURRENT} with expressions`, () => {
  const instance = instanceForTests({ sandbox: { keys: [API_KEY, OTHER_KEY] } });

  for (const operation of ['send', 'sendBulk']) {
    test(`The operation ${operation} sends each item from its own account`, async () => {
      const { rest, sandbox } = instance();
      sandbox.reset();
      const data = { baseUrl: `=${sandbox.url}{{ $json.path }}`, apiKey: '={{ $json.key }}' };
      const credential = await rest.createCredential(`By item ${operation}`, 'messagingSendApi', data);
      const rows = contacts(6).map((contact, index) => ({
        ...contact,
        key: KEYS[index % KEYS.length],
        path: index < 3 ? '/v1' : '/api/v1',
      }));
      const parameters = {
        resource: 'message',
        operation,
        source: 'items',
        phone: '={{ $json.phone }}',
        message: '={{ $json.text }}',
      };
      const nodes = [start(), items(rows), messagingSend(parameters, { onError: 'continueRegularOutput' })];
      const workflow = await rest.importWorkflow(chain(`Accounts ${operation}`, nodes), [credential]);
      const execution = await rest.run(workflow, START);

      const output = execution.outputOf(SENDER, 0);
      assert.deepEqual(
        output.map(({ json }) => json.error ?? json.status),
        rows.map(({ key }) => (key === '' ? "'API Key' in the credential is empty" : 'sent')),
      );
      assert.deepEqual(
        sandbox
          .messages()
          .map(({ phone, key }) => [phone, key])
          .sort(),
        rows.flatMap(({ phone, key }) => (key === '' ? [] : [[phone, key === API_KEY ? 'key 1' : 'key 2']])),
      );
      const requests = sandbox.requests().map(({ path, key, messages }) => `${path} ${key} ${messages}`);
      const route = operation === 'send' ? 'send' : 'send-bulk';
      assert.deepEqual(
        requests.sort(),
        ['/api/v1', '/v1'].flatMap((path) => [1, 2].map((key) => `${path}/messages/${route} key ${key} 1`)),
      );
    });
  }
});
