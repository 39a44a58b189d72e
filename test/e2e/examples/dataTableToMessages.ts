import assert from 'node:assert/strict';
import { test } from 'node:test';

import { asObject, type JsonObject } from '../../../tools/json';
import { nodesOf } from '../../../tools/n8n/examples/files';
import { dataTable } from './dataTable';
import { copyOf, type ExampleWorld } from './world';

/** The list in a Data Table, sent again and again. */
export function testDataTable({ instance, received, workflow, succeedFrom }: ExampleWorld): void {
  const table = dataTable(instance, 'Contacts to message', ['name']);
  /** Its made-up contacts, of whom one has no country code. */
  const REACHABLE = [
    { name: 'Ada Example', phone: '447700900301' },
    { name: 'Ben Made-Up', phone: '447700900302' },
    { name: 'Cleo Sample', phone: '447700900303' },
  ];
  const DAN = { name: 'Dan Fiction', phone: '447700900304' };
  const messages = (people: typeof REACHABLE) =>
    people.map(({ name, phone }) => ({ phone, message: `Hello ${name}, our summer sale begins on Saturday at 9.` }));
  const statuses = async () =>
    Object.fromEntries((await table.rows()).map(({ name, status }) => [String(name), status] as const));
  const allOf = (status: string) => Object.fromEntries(REACHABLE.map(({ name }) => [name, status]));
  const run = async () => await succeedFrom('Start');

  test('The first run creates the table, fills it, sends and writes each outcome into its row', async () => {
    await run();
    assert.deepEqual(received(), messages(REACHABLE));
    const rows = await table.rows();
    assert.equal(rows.length, 4);
    for (const { status, message_id: id, sent_at: sentAt, reason } of rows.slice(0, 3)) {
      assert.equal(status, 'sent');
      assert.equal(typeof id, 'number');
      assert.ok(Math.abs(Date.now() - Date.parse(String(sentAt))) < 600_000);
      assert.equal(reason ?? '', '');
    }
    const { status, message_id: id, reason } = rows[3] ?? {};
    assert.deepEqual([status, id], ['not sent', null]);
    assert.match(String(reason), /country code is missing\. .*447700900123/);
  });

  test('A second run sends only to the row that was corrected', async () => {
    await table.change(DAN.name, { phone: '+44 7700 900304' });
    await run();
    assert.deepEqual(received(), messages([DAN]));
    assert.deepEqual(await statuses(), { ...allOf('sent'), [DAN.name]: 'sent' });
    await run();
    assert.deepEqual(received(), messages([DAN]));
  });

  test('Uncertain rows are left alone until somebody sets them back', async () => {
    await table.clear();
    instance().sandbox.setFaults([{ kind: 'reset-after', on: 'bulk' }]);
    await run();
    assert.deepEqual(await statuses(), { ...allOf('uncertain'), [DAN.name]: 'not sent' });
    assert.equal(received().length, 3);
    await run();
    assert.equal(received().length, 3);
    await table.change('Ada Example', { status: 'to send' });
    await run();
    assert.equal(received().length, 4);
    assert.equal((await statuses())['Ada Example'], 'sent');
  });

  test('A run after n8n stopped before it wrote the outcomes sends nothing again, and writes them', async () => {
    await table.clear();
    const { rest } = instance();
    const nodes = nodesOf(workflow());
    const cut = await rest.saveNodes(workflow(), nodes.map(withoutUpdate));
    await succeedFrom('Start', cut);
    assert.deepEqual(await statuses(), { ...allOf('to send'), [DAN.name]: 'to send' });
    assert.deepEqual(received(), messages(REACHABLE));

    await succeedFrom('Start', await rest.saveNodes(cut, nodes));
    assert.deepEqual(received(), messages(REACHABLE));
    assert.deepEqual(await statuses(), { ...allOf('sent'), [DAN.name]: 'not sent' });
  });

  test('A dry run changes no row that it would send to', async () => {
    await table.clear();
    await succeedFrom('Start', copyOf(workflow(), withDryRun));
    assert.deepEqual(received(), []);
    assert.deepEqual(await statuses(), { ...allOf('to send'), [DAN.name]: 'not sent' });
  });
}

function withoutUpdate(node: JsonObject): JsonObject {
  return String(node.name).startsWith('Mark as ') ? { ...node, disabled: true } : node;
}

function withDryRun(node: JsonObject): JsonObject {
  if (node.name !== 'Send Messages') return node;
  const parameters = asObject(node.parameters, 'parameters');
  return {
    ...node,
    parameters: { ...parameters, options: { ...asObject(parameters.options, 'options'), dryRun: true } },
  };
}
