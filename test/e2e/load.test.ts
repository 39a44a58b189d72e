import { describe, test } from 'node:test';

import { Agent, setGlobalDispatcher } from 'undici';

import { CURRENT } from '../../tools/n8n/releases';
import { callAtRate, describeLatencies } from '../support/n8n/openLoop';
import { startPostgres } from '../support/n8n/postgres';
import { instanceForTests, stopSignal } from './instanceForTests';
import { activateSender, assertEachSent, callSender } from './webhookCalls';

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
    await activateSender(instance(), 'load', { requestsPerMinute: 1_000_000 });
    const calls = await callAtRate(count, PER_SECOND, (index) => callSender(instance(), 'load', index), stopSignal);
    console.log(describeLatencies(calls));
    assertEachSent(calls, instance().sandbox);
  });
});
