import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { Agent, setGlobalDispatcher } from 'undici';

import type { JsonObject } from '../../demo/json';
import { CURRENT } from '../../demo/releases';
import type { StoredCredential } from '../../demo/rest';
import { type Sandbox, startSandbox } from '../../sandbox/server';
import { callAtRate, type Called, describeLatencies } from './openLoop';
import { startPostgres } from './postgres';
import { listOf, phoneAt, plain } from './recipients';
import { KEY, type Stage, stageForTests, stopped } from './stage';
import { callWebhook, webhook, type WebhookAnswer } from './triggerNodes';
import { chain, messagingSend } from './workflow';

const DEADLINE = { seconds: 60, signal: stopped.signal };
const PER_SECOND = 50;
const SECONDS = 60;
const WITHOUT_LIMIT = { requestsPerMinute: 1_000_000 };

// `fetch` gives up after five minutes; here, calls wait for as long as the machine takes.
setGlobalDispatcher(new Agent({ headersTimeout: 900_000 }));

/** How many executions n8n runs at once; the others wait in n8n's own line. Without it, they wait for its database, and fail. */
const AT_ONCE = 10;

describe(`n8n ${CURRENT} under load`, () => {
  const stage = stageForTests({
    release: CURRENT,
    // On SQLite, n8n can't keep its own records of so many executions, and fails some.
    database: startPostgres,
    environment: { DB_POSTGRESDB_POOL_SIZE: String(AT_ONCE), N8N_CONCURRENCY_PRODUCTION_LIMIT: String(AT_ONCE) },
  });

  test(`of ${PER_SECOND} calls a second for ${SECONDS} s, each ends in one message`, async () => {
    const count = PER_SECOND * SECONDS;
    await activate(stage(), 'load', stage().credential, WITHOUT_LIMIT);
    const calls = await callAtRate(count, PER_SECOND, async (index) => await call(stage(), 'load', index));
    console.log(describeLatencies(calls));
    assertEachSent(calls, stage().sandbox);
  });
});

describe(`n8n ${CURRENT} with 100 calls at once, where the service allows 60`, () => {
  const stage = stageForTests({ release: CURRENT, sandbox: { limit: 60, windowSeconds: 60 } });

  test('those above the limit wait for the next minute, and none is refused', async () => {
    const { sandbox, credential } = stage();
    await activate(stage(), 'paced', credential, {});
    const calls = await callAtRate(100, Infinity, async (index) => await call(stage(), 'paced', index));
    console.log(describeLatencies(calls));
    assertEachSent(calls, sandbox);
    assert.deepEqual(new Set(sandbox.requests().map(({ status }) => status)), new Set([201]));
    assert.equal(calls.filter(({ milliseconds }) => milliseconds >= 60_000).length, 40);
  });

  test('those the service refuses, because the node takes the limit for a higher one, go out later', async (context) => {
    const sandbox = await startSandbox({ keys: [KEY], limit: 60, windowSeconds: 5 });
    context.after(() => sandbox.close());
    const account = { baseUrl: `${sandbox.url}/v1`, apiKey: KEY };
    const credential = await stage().rest.createCredential('Limited account', 'messagingSendApi', account);
    await activate(stage(), 'refused', credential, WITHOUT_LIMIT);
    const calls = await callAtRate(100, Infinity, async (index) => await call(stage(), 'refused', index));
    const refusals = sandbox.requests().filter(({ status }) => status === 429).length;
    console.log(`${describeLatencies(calls)}; ${refusals} refusals`);
    assert.ok(refusals > 0);
    assertEachSent(calls, sandbox);
  });
});

/** Makes a workflow that sends one message for each call of the webhook at this path, and answers when it has. */
async function activate(
  { rest }: Stage,
  path: string,
  credential: StoredCredential,
  options: JsonObject,
): Promise<void> {
  const phone = '={{ $json.body.phone }}';
  const message = '={{ $json.body.message }}';
  const sender = messagingSend({ resource: 'message', operation: 'send', phone, message, options });
  await rest.activate(await rest.importWorkflow(chain(path, [webhook(path), sender]), [credential]), DEADLINE);
}

async function call({ n8n }: Stage, path: string, index: number): Promise<WebhookAnswer> {
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
    `${failed.length} of ${calls.length} calls failed, and ${sandbox.messages().length} messages went out`,
  );
  assert.deepEqual(plain(sandbox.messages()), listOf(calls.length));
  assert.deepEqual(
    calls.map(({ answer }) => answer.items[0]?.phone),
    listOf(calls.length).map(({ phone }) => phone),
  );
}
