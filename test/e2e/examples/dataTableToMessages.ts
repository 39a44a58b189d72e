/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

import { nodesOf } from '../../../tools/n8n/examples';
import { type JsonObject, type WorkflowNode } from '../../../tools/n8n/workflow';
import { copyOf, type ExampleWorld, itemsAt, PEOPLE, saleMessage, withOptions, withoutDryRun } from '../exampleWorld';

/** The list in a Data Table, sent again and again. */
export function tests({ instance, received, workflow, runFrom, succeedFrom, table }: ExampleWorld): void {
  /** Its made-up contacts, of whom one has no country code. */
  const REACHABLE = PEOPLE.slice(0, 3).map((name, index) => ({ name, phone: `44770090030${index + 1}` }));
  const DAN = { name: 'Dan Fiction', phone: '447700900304' };
  const messages = (people: typeof REACHABLE) => people.map(({ name, phone }) => saleMessage(name, phone));
  const statuses = async () =>
    Object.fromEntries((await table.rows()).map(({ name, status }) => [String(name), status] as const));
  const allOf = (status: string | null) => Object.fromEntries(REACHABLE.map(({ name }) => [name, status]));
  const reasons = async () => (await table.rows()).map(({ reason }) => String(reason));
  const fill = async (...rows: Array<[name: string | null, phone: string, status?: string]>) => {
    await table.insert(...rows.map(([name, phone, status]) => ({ name, phone, status })));
  };
  const fillAsImported = async () => {
    await fill(...REACHABLE.map(({ name, phone }): [string, string] => [name, phone]), [DAN.name, '07700 900304']);
  };
  /** A workflow that has sent nothing yet, as each person has their own. */
  const own = (change = withoutDryRun) => instance().rest.importWorkflow(copyOf(workflow(), change));
  /** Runs a workflow again after changes to its nodes. */
  const changed = async (stored: JsonObject, change: (node: WorkflowNode) => WorkflowNode) =>
    await instance().rest.saveNodes(stored, nodesOf(stored).map(change));
  /** Enters the campaign's name where its user does. */
  const named = async (stored: JsonObject, value: string) =>
    await changed(stored, (node) => (node.name === 'Campaign' ? withCampaign(node, value) : node));
  const sameNumber = (row: JsonObject | undefined) =>
    `Row ${String(row?.id)} (${String(row?.name)}) has the same number. To send this row as well, set its status to 'send anyway'.`;

  const isUpdate = ({ name }: JsonObject) => name === 'Write Outcomes';

  beforeEach(async () => {
    // Creates the table.
    await succeedFrom('Start');
    await table.clear();
  });

  test('As it is imported, it waits for contacts, and shows which of an imported file would get a message', async () => {
    const before = await succeedFrom('Start');
    assert.deepEqual([await table.rows(), itemsAt(before, 'Send Messages')], [[], []]);
    await fillAsImported();
    const execution = await succeedFrom('Start');
    const shown = itemsAt(execution, 'Send Messages').map(({ phone, message }) => ({ phone, message }));
    assert.deepEqual(shown, messages(REACHABLE));
    assert.deepEqual(received(), []);
    assert.deepEqual(await statuses(), { ...allOf(null), [DAN.name]: 'not sent' });
  });

  test('Once its node is activated, the made-up contacts are added to an empty table, and only then', async () => {
    const activated = await own((node) => ({ ...node, disabled: false }));
    await succeedFrom('Start', activated);
    await succeedFrom('Start', activated);
    assert.equal((await table.rows()).length, 4);
    assert.deepEqual(await statuses(), { ...allOf(null), [DAN.name]: 'not sent' });
    assert.deepEqual(received(), []);
  });

  test('With Dry Run off, it sends and writes each outcome into its row; then it sends only to the corrected row', async () => {
    await fillAsImported();
    const sending = await own();
    await succeedFrom('Start', sending);
    assert.deepEqual(received(), messages(REACHABLE));
    const rows = await table.rows();
    assert.equal(rows.length, 4);
    for (const { status, campaign, message_id: id, sent_at: sentAt, reason } of rows.slice(0, 3)) {
      assert.deepEqual([status, campaign], ['sent', 'Summer sale']);
      assert.equal(typeof id, 'number');
      assert.ok(Math.abs(Date.now() - Date.parse(String(sentAt))) < 600_000);
      assert.equal(reason ?? '', '');
    }
    const { status, message_id: id, reason } = rows[3] ?? {};
    assert.deepEqual([status, id], ['not sent', null]);
    assert.match(String(reason), /country code is missing\. .*447700900123/);

    await table.change(DAN.name, { phone: '+44 7700 900304' });
    await succeedFrom('Start', sending);
    await succeedFrom('Start', sending);
    assert.deepEqual(received(), messages([...REACHABLE, DAN]));
    assert.deepEqual(await statuses(), { ...allOf('sent'), [DAN.name]: 'sent' });
  });

  test("'Default Country Code' in its only node that sends is all that numbers without a country code need", async () => {
    await fillAsImported();
    await fill(['Cleo Sample', '07700 900301', 'opted out']);
    await succeedFrom(
      'Start',
      await own((node) => withOptions(withoutDryRun(node), () => ({ defaultCountryCode: 'GB' }))),
    );
    assert.deepEqual(received(), messages([...REACHABLE.slice(1), DAN]));
  });

  test('A list that is imported twice is sent once: its second rows are duplicates, in later runs as well', async () => {
    const sending = await own();
    await fillAsImported();
    await succeedFrom('Start', sending);
    await fillAsImported();
    for (let run = 2; run <= 3; run += 1) {
      await succeedFrom('Start', sending);
      assert.deepEqual(received(), messages(REACHABLE));
      const rows = await table.rows();
      assert.deepEqual(
        rows.slice(4, 7).map(({ status, reason, message_id: id }) => [status, reason, id]),
        rows.slice(0, 3).map((first) => ['duplicate', sameNumber(first), null]),
      );
    }
  });

  test('Another name in Campaign sends to every row again, once, except to people who opted out', async () => {
    await fillAsImported();
    await fill(['Eve Invented', '+44 7700 900305', 'opted out'], ['Finn Pretend', '+44 7700 900301']);
    const sending = await own();
    await succeedFrom('Start', sending);
    await table.change('Ben Made-Up', { status: 'uncertain' });
    await table.change('Cleo Sample', { status: 'Opted out' });
    const next = await named(sending, 'Winter sale');
    await succeedFrom('Start', next);
    await succeedFrom('Start', next);
    const twice = REACHABLE.slice(0, 2).flatMap((person) => [person, person]);
    assert.deepEqual(received(), messages([...twice, ...REACHABLE.slice(2)]));
    const rows = await table.rows();
    assert.deepEqual(
      rows.map(({ status, campaign }) => [status, campaign]),
      [
        ['sent', 'Winter sale'],
        ['sent', 'Winter sale'],
        ['Opted out', 'Summer sale'],
        ['not sent', 'Winter sale'],
        ['opted out', null],
        ['duplicate', 'Winter sale'],
      ],
    );
  });

  test('Without a name in Campaign, nothing is sent', async () => {
    await fillAsImported();
    await runFrom('Start', await named(await own(), ''));
    assert.deepEqual(received(), []);
    assert.match(String((await reasons())[0]), /'Message Key'/);
  });

  test('A run after n8n stopped before it wrote the outcomes sends nothing again, and writes them', async () => {
    await fillAsImported();
    const sending = await own();
    const cut = await changed(sending, (node) => (isUpdate(node) ? { ...node, disabled: true } : node));
    await succeedFrom('Start', cut);
    assert.deepEqual(await statuses(), { ...allOf(null), [DAN.name]: null });
    assert.deepEqual(received(), messages(REACHABLE));

    await table.change(DAN.name, { name: 'Dan F.' });
    await succeedFrom('Start', await changed(cut, (node) => (isUpdate(node) ? { ...node, disabled: false } : node)));
    assert.deepEqual(received(), messages(REACHABLE));
    assert.deepEqual(await statuses(), { ...allOf('sent'), 'Dan F.': 'not sent' });
  });

  test('What a run that n8n stopped may have sent is uncertain, and is sent again only to rows that say so', async () => {
    await fillAsImported();
    const sending = await own();
    const cut = await changed(sending, (node) => (isUpdate(node) ? { ...node, disabled: true } : node));
    instance().sandbox.setFaults([{ kind: 'reset-after', on: 'bulk', times: 1 }]);
    await succeedFrom('Start', cut);
    const mended = await changed(cut, (node) => (isUpdate(node) ? { ...node, disabled: false } : node));
    await succeedFrom('Start', mended);
    await succeedFrom('Start', mended);
    assert.deepEqual(received(), messages(REACHABLE));
    assert.deepEqual(await statuses(), { ...allOf('uncertain'), [DAN.name]: 'not sent' });

    await table.change('Ada Example', { status: 'Send anyway' });
    await succeedFrom('Start', mended);
    await succeedFrom('Start', mended);
    assert.equal(received().length, 4);
    assert.deepEqual(await statuses(), { ...allOf('uncertain'), 'Ada Example': 'sent', [DAN.name]: 'not sent' });
  });

  test('A test run leaves the rows as they are', async () => {
    await fill(...REACHABLE.map(({ name, phone }): [string, string, string] => [name, phone, 'to send']));
    await succeedFrom('Start', await own((node) => withOptions(withoutDryRun(node), () => ({ testRun: DAN.phone }))));
    assert.deepEqual(received(), messages(REACHABLE.map(({ name }) => ({ name, phone: DAN.phone }))));
    assert.deepEqual(await statuses(), allOf('to send'));
  });

  test('A number in two rows is a duplicate before and after sending, and the second row is sent only if it says so', async () => {
    await fill(['Ada Example', '+44 7700 900301', 'to send'], ['Ben Made-Up', '+44 (0)7700 900301', 'To send']);
    await succeedFrom('Start');
    const [first, second] = await table.rows();
    assert.deepEqual([first?.status, second?.status], ['to send', 'duplicate']);
    const sending = await own();
    for (let run = 1; run <= 2; run += 1) {
      await succeedFrom('Start', sending);
      assert.deepEqual(received(), messages([{ name: 'Ada Example', phone: '447700900301' }]));
      assert.deepEqual(await statuses(), { 'Ada Example': 'sent', 'Ben Made-Up': 'duplicate' });
      const { reason, message_id: id } = (await table.rows())[1] ?? {};
      assert.deepEqual([reason, id], [sameNumber(first), null]);
    }

    await table.change('Ben Made-Up', { status: 'Send anyway' });
    await succeedFrom('Start', sending);
    await succeedFrom('Start', sending);
    assert.equal(received().length, 2);
    assert.deepEqual(await statuses(), { 'Ada Example': 'sent', 'Ben Made-Up': 'sent' });
  });

  test('Numbers that cannot be read are not the same, and of two rows with one number the one that can be sent is', async () => {
    await fill(
      ['Ada Example', '4.47701E+11', 'to send'],
      ['Ben Made-Up', '4.47701E+11', 'to send'],
      [null, '+44 7700 900304', 'to send'],
      [DAN.name, '+44 7700 900304', 'to send'],
    );
    await succeedFrom('Start', await own());
    assert.deepEqual(received(), messages([DAN]));
    assert.deepEqual(await statuses(), {
      'Ada Example': 'not sent',
      'Ben Made-Up': 'not sent',
      null: 'not sent',
      [DAN.name]: 'sent',
    });
    assert.equal((await reasons())[2], 'Empty in this row, but part of the text: name.');
    for (const reason of await reasons()) assert.doesNotMatch(reason, /same number/);
  });

  test('Rows with another status are counted and stay as they are, and nobody who opted out gets a message', async () => {
    await fill(
      ['Ada Example', '0044 7700 900301', 'send anyway'],
      ['Ben Made-Up', '+44 7700 900301', 'Opted out'],
      [DAN.name, DAN.phone, 'draft'],
    );
    const sending = await own();
    const counts = itemsAt(await succeedFrom('Start', sending), 'Count by Status');
    assert.deepEqual(counts, [{ left_out: 2, 'opted out': 1, draft: 1 }]);
    assert.deepEqual(await statuses(), { 'Ada Example': 'not sent', 'Ben Made-Up': 'Opted out', [DAN.name]: 'draft' });
    assert.equal((await reasons())[0], "A row with this number has the status 'opted out'. Delete this row.");

    await table.change('Ben Made-Up', { phone: '07700 900301' });
    await runFrom('Start', sending);
    assert.match(String((await reasons())[0]), /'Never Send To'/);
    assert.deepEqual(received(), []);
  });
}

function withCampaign(node: WorkflowNode, value: string): WorkflowNode {
  const { assignments } = node.parameters.assignments as { assignments: JsonObject[] };
  const changed = [{ ...assignments[0], value }];
  return { ...node, parameters: { ...node.parameters, assignments: { assignments: changed } } };
}
