import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { Agent, setGlobalDispatcher } from 'undici';

import { type Sandbox } from '../../sandbox/server';
import { type InstanceWithSandbox } from '../../sandbox/n8n/instance';
import { type JsonObject } from '../../tools/json';
import { CURRENT } from '../../tools/n8n/releases';
import { listOf, phoneAt } from '../support/contacts';
import { callAtRate, type Called, describeLatencies } from '../support/n8n/openLoop';
import { startPostgres } from '../support/n8n/postgres';
import { callWebhook, webhook, type WebhookAnswer } from '../support/n8n/triggerNodes';
import { chain, messagingSend } from '../support/n8n/workflow';
import { instanceForTests, stopSignal } from './instanceForTests';
import { receivedBy } from './recipients';

const PER_SECOND = 50;
const SECONDS = 60;

// `fetch` gives up after five minutes; here, calls wait for as long as the machine takes.
setGlobalDispatcher(new Agent({ headersTimeout: 900_000 }));

/** Concurrent executions; the others wait in n8n's own queue. Without it, they wait for its database, and fail. */
const CONCURRENCY = 10;

describe(`n8n ${CURRENT} under load`, () => {
  const instance = instanceForTests({
    release: CURRENT,
    // On SQLite, n8n can't keep its own records of so many executions, and fails some.
    database: startPostgres,
    environment: {
      DB_POSTGRESDB_POOL_SIZE: String(CONCURRENCY),
      N8N_CONCURRENCY_PRODUCTION_LIMIT: String(CONCURRENCY),
    },
  });

  test(`Each of ${PER_SECOND} webhook calls a second for ${SECONDS} s sends one message`, async () => {
    const count = PER_SECOND * SECONDS;
    await activate(instance(), 'load', { requestsPerMinute: 1_000_000 });
    const calls = await callAtRate(count, PER_SECOND, (index) => call(instance(), 'load', index), stopSignal);
    console.log(describeLatencies(calls));
    assertEachSent(calls, instance().sandbox);
  });
});

describe(`n8n ${CURRENT} with 100 calls at the same time, where the service allows 60 a minute`, () => {
  const instance = instanceForTests({ release: CURRENT, sandbox: { limit: 60, windowSeconds: 60 } });

  test('Calls above the limit wait for the next minute, and the service refuses none', async () => {
    const { sandbox } = instance();
    await activate(instance(), 'paced', {});
    const calls = await callAtRate(100, Infinity, (index) => call(instance(), 'paced', index), stopSignal);
    console.log(describeLatencies(calls));
    assertEachSent(calls, sandbox);
    assert.deepEqual(new Set(sandbox.requests().map(({ status }) => status)), new Set([201]));
    assert.equal(calls.filter(({ milliseconds }) => milliseconds >= 60_000).length, 40);
  });
});

/** Activates a workflow that sends one message for each call of the webhook at this path, and then answers. */
async function activate({ rest, credential }: InstanceWithSandbox, path: string, options: JsonObject): Promise<void> {
  const phone = '={{ $json.body.phone }}';
  const message = '={{ $json.body.message }}';
  const sender = messagingSend({ resource: 'message', operation: 'send', phone, message, options });
  await rest.activate(await rest.importWorkflow(chain(path, [webhook(path), sender]), [credential]));
}

async function call({ n8n }: InstanceWithSandbox, path: string, index: number): Promise<WebhookAnswer> {
  return await callWebhook(n8n.url, path, { phone: phoneAt(index), message: `Hello ${index}` });
}

/** Each call was answered with its own message, and the sandbox has each message once. */
function assertEachSent(calls: ReadonlyArray<Called<WebhookAnswer>>, sandbox: Sandbox): void {
  const failed = calls.flatMap(({ answer: { status, text } }, index) =>
    status === 200 ? [] : [`call ${index}: ${status} ${text}`],
  );
  assert.deepEqual(
    failed.slice(0, 5),
    [],
    `${failed.length} of ${calls.length} calls failed, and ${sandbox.messages().length} messages were sent`,
  );
  assert.deepEqual(receivedBy(sandbox), listOf(calls.length));
  assert.deepEqual(
    calls.map(({ answer }) => answer.items[0]?.phone),
    listOf(calls.length).map(({ phone }) => phone),
  );
}
