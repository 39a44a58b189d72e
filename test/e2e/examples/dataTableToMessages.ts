import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type JsonObject } from '../../../tools/json';
import { nodesOf } from '../../../tools/n8n/examples/files';
import { type ExampleWorld, itemsAt, PEOPLE, saleMessage, withOptions } from '../exampleWorld';

/** The list in a Data Table, sent again and again. */
export function tests({ instance, received, sending, runFrom, succeedFrom, table }: ExampleWorld): void {
  /** Its made-up contacts, of whom one has no country code. */
  const REACHABLE = PEOPLE.slice(0, 3).map((name, index) => ({ name, phone: `44770090030${index + 1}` }));
  const DAN = { name: 'Dan Fiction', phone: '447700900304' };
  const messages = (people: typeof REACHABLE) => people.map(({ name, phone }) => saleMessage(name, phone));
  const statuses = async () =>
    Object.fromEntries((await table.rows()).map(({ name, status }) => [String(name), status] as const));
  const allOf = (status: string) => Object.fromEntries(REACHABLE.map(({ name }) => [name, status]));
  const run = async () => await succeedFrom('Start', sending());
  const fill = async (...rows: Array<[name: string, phone: string, status?: string]>) => {
    await table.clear();
    await table.insert(...rows.map(([name, phone, status]) => ({ name, phone, status })));
  };

  test('As it is imported, it fills the table and shows what would be sent and what cannot be, and sends nothing', async () => {
    const execution = await succeedFrom('Start');
    assert.deepEqual(
      itemsAt(execution, 'Send Messages').map(({ phone, message }) => ({ phone, message })),
      messages(REACHABLE),
    );
    assert.deepEqual(received(), []);
    assert.deepEqual(await statuses(), { ...allOf('to send'), [DAN.name]: 'not sent' });
  });

  test('With Dry Run off, it sends and writes each outcome into its row', async () => {
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

  test('A run after n8n stopped before it wrote the outcomes sends nothing again, and writes them', async () => {
    await table.clear();
    const { rest } = instance();
    const nodes = nodesOf(sending());
    const cut = await rest.saveNodes(sending(), nodes.map(withoutUpdate));
    await succeedFrom('Start', cut);
    assert.deepEqual(await statuses(), { ...allOf('to send'), [DAN.name]: 'to send' });
    assert.deepEqual(received(), messages(REACHABLE));

    await succeedFrom('Start', await rest.saveNodes(cut, nodes));
    assert.deepEqual(received(), messages(REACHABLE));
    assert.deepEqual(await statuses(), { ...allOf('sent'), [DAN.name]: 'not sent' });
  });

  test('A test run leaves the rows as they are', async () => {
    await fill(...REACHABLE.map(({ name, phone }): [string, string, string] => [name, phone, 'to send']));
    const { rest } = instance();
    const nodes = nodesOf(sending());
    const byDan = nodes.map((node) =>
      node.name === 'Send Messages' ? withOptions(node, () => ({ testRun: DAN.phone })) : node,
    );
    const tested = await rest.saveNodes(sending(), byDan);
    await succeedFrom('Start', tested);
    assert.deepEqual(received(), messages(REACHABLE.map(({ name }) => ({ name, phone: DAN.phone }))));
    assert.deepEqual(await statuses(), allOf('to send'));
    await rest.saveNodes(tested, nodes);
  });

  test('A number in two rows is shown before anything is sent, and the second row is sent only if it says so', async () => {
    await fill(['Ada Example', '+44 7700 900301', 'to send'], ['Ben Made-Up', '+44 (0)7700 900301', 'To send']);
    await succeedFrom('Start');
    const [first, second] = await table.rows();
    assert.deepEqual([first?.status, second?.status], ['to send', 'not sent']);
    assert.equal(
      second?.reason,
      `Row ${String(first?.id)} (Ada Example) has the same number. Delete this row, or set its status to 'send anyway'.`,
    );
    await run();
    await run();
    assert.deepEqual(received(), messages([{ name: 'Ada Example', phone: '447700900301' }]));
    assert.deepEqual(await statuses(), { 'Ada Example': 'sent', 'Ben Made-Up': 'not sent' });

    await table.change('Ben Made-Up', { status: 'Send anyway' });
    await run();
    assert.equal(received().length, 2);
    assert.deepEqual(await statuses(), { 'Ada Example': 'sent', 'Ben Made-Up': 'sent' });
  });

  test('Numbers that cannot be read are not the same, and of two rows with one number the one that can be sent is', async () => {
    await fill(
      ['Ada Example', '4.47701E+11', 'to send'],
      ['Ben Made-Up', '4.47701E+11', 'to send'],
      ['Cleo Sample', '07700 900304', 'to send'],
      [DAN.name, '+44 7700 900304', 'to send'],
    );
    await run();
    assert.deepEqual(received(), messages([DAN]));
    assert.deepEqual(await statuses(), { ...allOf('not sent'), [DAN.name]: 'sent' });
    for (const { reason } of await table.rows()) assert.doesNotMatch(String(reason), /same number/);
  });

  test('Rows with another status are counted and stay as they are, and nobody who opted out gets a message', async () => {
    await fill(
      ['Ada Example', '0044 7700 900301', 'send anyway'],
      ['Ben Made-Up', '+44 7700 900301', 'Opted out'],
      ['Cleo Sample', '+44 7700 900303'],
      [DAN.name, DAN.phone, 'draft'],
    );
    const counts = itemsAt(await run(), 'Count by Status');
    assert.deepEqual(counts, [{ left_out: 3, 'opted out': 1, '(no status)': 1, draft: 1 }]);
    const leftOut = { 'Ben Made-Up': 'Opted out', 'Cleo Sample': null, [DAN.name]: 'draft' };
    assert.deepEqual(await statuses(), { 'Ada Example': 'not sent', ...leftOut });
    assert.match(String((await table.rows())[0]?.reason), /\(Ben Made-Up\) has the same number and opted out\./);

    await table.change('Ben Made-Up', { phone: '07700 900301' });
    const { error } = await runFrom('Start', sending());
    assert.match(error, /\(Ben Made-Up\) opted out, but the number can't be read/);
    assert.deepEqual(received(), []);
  });
}

function withoutUpdate(node: JsonObject): JsonObject {
  return String(node.name).startsWith('Mark as ') ? { ...node, disabled: true } : node;
}
