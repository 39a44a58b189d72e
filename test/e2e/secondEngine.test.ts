/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';

import getPort from 'get-port';

import { type Session } from '../../tools/cli/session';
import { type Execution } from '../../tools/n8n/execution';
import { CURRENT } from '../../tools/n8n/releases';
import { chain, items, messagingSend, START, start } from '../../tools/n8n/workflow';
import { contacts, phoneAt } from '../support/contacts';
import { instanceForTests } from './instanceForTests';
import { startPostgres } from './postgres';

const OPERATIONS = ['send', 'sendBulk', 'sendAndWait'];
const NEEDS = "Sending needs n8n's engine v1, and this workflow runs on another engine";

/** n8n's settings for its second engine, which has a database and an interface of its own. */
async function withSecondEngine(session: Session): Promise<NodeJS.ProcessEnv> {
  const first = await startPostgres(session);
  const second = await startPostgres(session);
  const { DB_POSTGRESDB_USER: user, DB_POSTGRESDB_DATABASE: database, DB_POSTGRESDB_HOST: folder } = second;
  return {
    ...first,
    N8N_ENABLED_MODULES: 'engine-v2',
    N8N_EXPRESSION_ENGINE: 'vm',
    N8N_ENGINE_DATABASE_URL: `postgres://${user}@localhost/${database}?host=${folder}`,
    N8N_ENGINE_HOST: '127.0.0.1',
    N8N_ENGINE_PORT: String(await getPort()),
    N8N_ENGINE_CONTROL_PLANE_PORT: String(await getPort()),
  };
}

// Older releases have only one engine.
describe(`A workflow on the second engine of n8n ${CURRENT}`, () => {
  const instance = instanceForTests({ release: CURRENT, database: withSecondEngine });
  beforeEach(() => instance().sandbox.reset());

  const send = async (operation: string): Promise<Execution> => {
    const { rest, credential } = instance();
    const fields = { source: 'items', phone: '={{ $json.phone }}', message: '={{ $json.text }}', sendTo: phoneAt(0) };
    const nodes = [start(), items(contacts(3)), messagingSend({ resource: 'message', operation, ...fields })];
    const workflow = { ...chain('On the second engine', nodes), settings: { engineType: 'v2' } };
    return await rest.run(await rest.importWorkflow(workflow, [credential]), START);
  };

  test('With On Error: Stop, every operation that sends ends before its first request, and names the engine that it needs', async () => {
    for (const operation of OPERATIONS) {
      const { status, error } = await send(operation);
      assert.deepEqual([operation, status, error], [operation, 'error', NEEDS]);
    }
    assert.deepEqual(instance().sandbox.requests(), []);
  });
});
