import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { OLDEST } from '../../demo/releases';
import { KEY, stageForTests, stopped } from './stage';
import { chain, items, messagingSend, SENDER, START, start } from './workflow';

const SEND_BULK = {
  resource: 'message',
  operation: 'sendBulk',
  source: 'items',
  phone: '={{ $json.phone }}',
  message: '={{ $json.text }}',
};

/** What the README says of releases before 2.35.5, so that it stays true. */
describe(`n8n ${OLDEST} differs`, () => {
  const stage = stageForTests({ release: OLDEST });

  test('with Continue (using error output), failed items leave through the first output, as what they are', async () => {
    const { rest, sandbox, credential } = stage();
    const contacts = [
      { phone: '447700900001', text: 'A' },
      { phone: '07700 900002', text: 'B' },
      { phone: '447700900003', text: 'C' },
    ];
    const nodes = [start(), items(contacts), messagingSend(SEND_BULK, { onError: 'continueErrorOutput' })];
    const workflow = await rest.importWorkflow(chain('Error output', nodes), [credential]);
    const execution = await rest.waitForExecution(await rest.run(workflow, START), {
      seconds: 30,
      signal: stopped.signal,
    });
    const [first = [], second = []] = execution.runsOf(SENDER)[0]?.outputs ?? [];
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

  test('the credential test answers a wrong address in general words', async () => {
    const { rest, sandbox, credential } = stage();
    const test = await rest.testCredential(credential, { baseUrl: `${sandbox.url}/v2`, apiKey: KEY });
    assert.equal(test.status, 'Error');
    assert.match(test.message, /^The service refused the request/);
  });
});
