import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { API_KEY } from '../../tools/n8n/instance';
import { OLDEST } from '../../tools/n8n/releases';
import { chain, items, messagingSend, SENDER, START, start } from '../support/n8n/workflow';
import { instanceForTests } from './instanceForTests';

const SEND_BULK = {
  resource: 'message',
  operation: 'sendBulk',
  source: 'items',
  phone: '={{ $json.phone }}',
  message: '={{ $json.text }}',
};

// What the README says about releases before 2.35.5.
describe(`n8n ${OLDEST} differs from newer releases`, () => {
  const instance = instanceForTests({ release: OLDEST });

  test('With Continue (using error output), failed items leave through the first output, marked as failed', async () => {
    const { rest, sandbox, credential } = instance();
    const contacts = [
      { phone: '447700900001', text: 'A' },
      { phone: '07700 900002', text: 'B' },
      { phone: '447700900003', text: 'C' },
    ];
    const nodes = [start(), items(contacts), messagingSend(SEND_BULK, { onError: 'continueErrorOutput' })];
    const workflow = await rest.importWorkflow(chain('Error output', nodes), [credential]);
    const execution = await rest.run(workflow, START);
    const [first, second] = [execution.outputOf(SENDER, 0), execution.outputOf(SENDER, 1)];
    assert.deepEqual(
      first.map(({ json }) => [json.phone ?? null, json.error ?? null]),
      [
        ['447700900001', null],
        [null, 'The phone number begins with 0, so its country code is missing'],
        ['447700900003', null],
      ],
    );
    assert.deepEqual(second, []);
    assert.deepEqual(
      sandbox.messages().map(({ phone }) => phone),
      ['447700900001', '447700900003'],
    );
  });

  test('The credential test has only a general answer to a wrong address', async () => {
    const { rest, sandbox, credential } = instance();
    const result = await rest.testCredential(credential, { baseUrl: `${sandbox.url}/v2`, apiKey: API_KEY });
    assert.equal(result.status, 'Error');
    assert.match(result.message, /^The service rejected the request/);
  });
});
