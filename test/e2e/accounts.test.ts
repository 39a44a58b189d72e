import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';

import { API_KEY } from '../../tools/n8n/instance';
import { CURRENT } from '../../tools/n8n/releases';
import { contacts } from '../support/contacts';
import { callAtRate, describeLatencies } from '../support/n8n/openLoop';
import { chain, items, messagingSend, SENDER, START, start } from '../support/n8n/workflow';
import { instanceForTests, stopSignal } from './instanceForTests';
import { activateSender, assertEachSent, callSender } from './webhookCalls';

const OTHER_KEY = 'made-up-other-key-0123';
const KEYS = [API_KEY, OTHER_KEY, ''];

describe(`The accounts of n8n ${CURRENT}`, () => {
  const instance = instanceForTests({ sandbox: { keys: [API_KEY, OTHER_KEY], limit: 60, windowSeconds: 60 } });
  beforeEach(() => instance().sandbox.reset());

  // The first test, because it counts the requests of a minute.
  test('Of 100 calls at the same time, those above the limit wait for the next minute, and the service refuses none', async () => {
    const { sandbox } = instance();
    await activateSender(instance(), 'paced', {});
    const calls = await callAtRate(100, Infinity, (index) => callSender(instance(), 'paced', index), stopSignal);
    console.log(describeLatencies(calls));
    assertEachSent(calls, sandbox);
    assert.deepEqual(new Set(sandbox.requests().map(({ status }) => status)), new Set([201]));
    assert.equal(calls.filter(({ milliseconds }) => milliseconds >= 60_000).length, 40);
  });

  test('A credential with expressions sends each item from its own account', async () => {
    const { rest, sandbox } = instance();
    const data = { baseUrl: `=${sandbox.url}{{ $json.path }}`, apiKey: '={{ $json.key }}' };
    const credential = await rest.createCredential('By item', 'messagingSendApi', data);
    const rows = contacts(6).map((contact, index) => ({
      ...contact,
      key: KEYS[index % KEYS.length],
      path: index < 3 ? '/v1' : '/api/v1',
    }));
    const fromItem = { source: 'items', phone: '={{ $json.phone }}', message: '={{ $json.text }}' };
    const sender = messagingSend(
      { resource: 'message', operation: 'sendBulk', ...fromItem },
      { onError: 'continueRegularOutput' },
    );
    const workflow = await rest.importWorkflow(chain('By item', [start(), items(rows), sender]), [credential]);
    const execution = await rest.run(workflow, START);

    assert.deepEqual(
      execution.outputOf(SENDER).map(({ json }) => json.error ?? json.status),
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
    assert.deepEqual(
      requests.sort(),
      ['/api/v1', '/v1'].flatMap((path) => [1, 2].map((key) => `${path}/messages/send-bulk key ${key} 1`)),
    );
  });
});
