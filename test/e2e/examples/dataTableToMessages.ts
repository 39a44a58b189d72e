/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

import { type JsonObject, type StoredWorkflow, type WorkflowNode } from '../../../tools/n8n/workflow';
import { assertNow, type ExampleWorld, itemsAt, PEOPLE, saleMessage, sendingWith } from '../exampleWorld';

/** The list in a Data Table, sent again and again. */
export function tests({ instance, received, own, runFrom, succeedFrom, table }: ExampleWorld): void {
  /** Its made-up contacts, of whom one has no country code. */
  const REACHABLE = PEOPLE.slice(0, 3).map((name, index) => ({ name, phone: `44770090030${index + 1}` }));
  const DAN = { name: 'Dan Fiction', phone: '447700900304' };
  const [ADA, BEN, CLEO] = REACHABLE.map(({ name }) => name);
  const messages = (people: typeof REACHABLE) => people.map(({ name, phone }) => saleMessage(name, phone));
  const statuses = async () => (await table.rows()).map(({ status }) => (status ?? 'none') as string).join();
  const reasons = async () => (await table.rows()).map(({ reason }) => String(reason));
  const fill = async (...rows: Array<[name: string | null | undefined, phone: string, status?: string]>) => {
    await table.insert(...rows.map(([name, phone, status]) => ({ name, phone, status })));
  };
  const fillAsImported = async () => {
    await fill(...REACHABLE.map(({ name, phone }): [string, string] => [name, phone]), [DAN.name, '07700 900304']);
  };
  const run = async (copy: StoredWorkflow, times = 1) => {
    for (let count = 0; count < times; count += 1) await succeedFrom('Start', copy);
  };
  /** After its user has changed a node. */
  const changed = async (stored: StoredWorkflow, name: string, change: (node: WorkflowNode) => Partial<WorkflowNode>) =>
    await instance().rest.saveNodes(
      stored,
      stored.nodes.map((node) => (node.name === name ? { ...node, ...change(node) } : node)),
    );
  const named = async (stored: StoredWorkflow, campaign: string) =>
    await changed(stored, 'Campaign', ({ parameters }) => {
      const text = JSON.stringify(parameters).replace('Summer sale', campaign);
      return { parameters: JSON.parse(text) as JsonObject };
    });
  const writing = async (stored: StoredWorkflow, isOn: boolean) =>
    await changed(stored, 'Write Outcomes', () => ({ disabled: !isOn }));
  const sameNumber = (row: JsonObject | undefined) =>
    `Row ${String(row?.id)} (${String(row?.name)}) has the same number. To send this row as well, set its status to 'send anyway'.`;

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
    assert.equal(await statuses(), 'none,none,none,not sent');
  });

  test('Once its node is activated, the made-up contacts are added to an empty table, and only then', async () => {
    await run(await own((node) => ({ ...node, disabled: false })), 2);
    const names = (await table.rows()).map(({ name }) => name);
    assert.deepEqual(names, [ADA, BEN, CLEO, DAN.name]);
    assert.equal(await statuses(), 'none,none,none,not sent');
    assert.deepEqual(received(), []);
  });

  test('With Dry Run off, it sends and writes each outcome into its row; then it sends only to the corrected row', async () => {
    await fillAsImported();
    const sending = await own();
    await run(sending);
    assert.deepEqual(received(), messages(REACHABLE));
    assert.equal(await statuses(), 'sent,sent,sent,not sent');
    const [dan, ...others] = (await table.rows()).reverse();
    for (const { campaign, message_id: id, sent_at: sentAt, reason } of others) {
      assert.deepEqual([campaign, typeof id, reason ?? ''], ['Summer sale', 'number', '']);
      assertNow(sentAt);
    }
    assert.equal(dan?.message_id, null);
    assert.match(String(dan.reason), /country code is missing\. .*447700900123/);

    await table.change(DAN.name, { phone: '+44 7700 900304' });
    await run(sending, 2);
    assert.deepEqual(received(), messages([...REACHABLE, DAN]));
    assert.equal(await statuses(), 'sent,sent,sent,sent');
  });

  test("'Default Country Code' in its only node that sends is all that numbers without a country code need", async () => {
    await fillAsImported();
    await fill([CLEO, '07700 900301', 'opted out']);
    await run(await own(sendingWith({ defaultCountryCode: 'GB' })));
    assert.deepEqual(received(), messages([...REACHABLE.slice(1), DAN]));
  });

  test('A list that is imported twice is sent once: its second rows are duplicates, in later runs as well', async () => {
    const sending = await own();
    await fillAsImported();
    await run(sending);
    await fillAsImported();
    for (let again = 1; again <= 2; again += 1) {
      await run(sending);
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
    await run(sending);
    await table.change('Ben Made-Up', { status: 'uncertain' });
    await table.change('Cleo Sample', { status: 'Opted out' });
    await run(await named(sending, 'Winter sale'), 2);
    const twice = REACHABLE.slice(0, 2).flatMap((person) => [person, person]);
    assert.deepEqual(received(), messages([...twice, ...REACHABLE.slice(2)]));
    assert.equal(await statuses(), 'sent,sent,Opted out,not sent,opted out,duplicate');
    const campaigns = (await table.rows()).map(({ campaign }) => String(campaign).replace(' sale', ''));
    assert.equal(campaigns.join(), 'Winter,Winter,Summer,Winter,null,Winter');
  });

  test('Without a name in Campaign, nothing is sent', async () => {
    await fillAsImported();
    await runFrom('Start', await named(await own(), ''));
    assert.deepEqual(received(), []);
    assert.match(String((await reasons())[0]), /'Message Key'/);
  });

  test('A run after n8n stopped before it wrote the outcomes sends nothing again, and writes them', async () => {
    await fillAsImported();
    const cut = await writing(await own(), false);
    await run(cut);
    assert.equal(await statuses(), 'none,none,none,none');
    assert.deepEqual(received(), messages(REACHABLE));

    await table.change(DAN.name, { name: 'Dan F.' });
    await run(await writing(cut, true));
    assert.deepEqual(received(), messages(REACHABLE));
    assert.equal(await statuses(), 'sent,sent,sent,not sent');
  });

  test('What a run that n8n stopped may have sent is uncertain, and is sent again only to rows that say so', async () => {
    await fillAsImported();
    const cut = await writing(await own(), false);
    instance().sandbox.setFaults([{ kind: 'reset-after', on: 'bulk', times: 1 }]);
    await run(cut);
    const mended = await writing(cut, true);
    await run(mended, 2);
    assert.deepEqual(received(), messages(REACHABLE));
    assert.equal(await statuses(), 'uncertain,uncertain,uncertain,not sent');

    await table.change('Ada Example', { status: 'Send anyway' });
    await run(mended, 2);
    assert.equal(received().length, 4);
    assert.equal(await statuses(), 'sent,uncertain,uncertain,not sent');
  });

  test('A test run leaves the rows as they are', async () => {
    await fill(...REACHABLE.map(({ name, phone }): [string, string, string] => [name, phone, 'to send']));
    await run(await own(sendingWith({ testRun: DAN.phone })));
    assert.deepEqual(received(), messages(REACHABLE.map(({ name }) => ({ name, phone: DAN.phone }))));
    assert.equal(await statuses(), 'to send,to send,to send');
  });

  test('A number in two rows is a duplicate before and after sending, and the second row is sent only if it says so', async () => {
    await fill([ADA, '+44 7700 900301', 'to send'], [BEN, '+44 (0)7700 900301', 'To send']);
    await succeedFrom('Start');
    const [first] = await table.rows();
    assert.equal(await statuses(), 'to send,duplicate');
    const sending = await own();
    for (let count = 1; count <= 2; count += 1) {
      await run(sending);
      assert.deepEqual(received(), messages(REACHABLE.slice(0, 1)));
      assert.equal(await statuses(), 'sent,duplicate');
      const { reason, message_id: id } = (await table.rows())[1] ?? {};
      assert.deepEqual([reason, id], [sameNumber(first), null]);
    }

    await table.change('Ben Made-Up', { status: 'Send anyway' });
    await run(sending, 2);
    assert.equal(received().length, 2);
    assert.equal(await statuses(), 'sent,sent');
  });

  test('Numbers that cannot be read are not the same, and of two rows with one number the one that can be sent is', async () => {
    await fill(
      [ADA, '4.47701E+11', 'to send'],
      [BEN, '4.47701E+11', 'to send'],
      [null, '+44 7700 900304', 'to send'],
      [DAN.name, '+44 7700 900304', 'to send'],
    );
    await run(await own());
    assert.deepEqual(received(), messages([DAN]));
    assert.equal(await statuses(), 'not sent,not sent,not sent,sent');
    assert.equal((await reasons())[2], 'The text uses a column that is empty in this row: name.');
    for (const reason of await reasons()) assert.doesNotMatch(reason, /same number/);
  });

  test('Rows with another status are counted and stay as they are, and nobody who opted out gets a message', async () => {
    await fill(
      [ADA, '0044 7700 900301', 'send anyway'],
      [BEN, '+44 7700 900301', 'Opted out'],
      [DAN.name, DAN.phone, 'draft'],
    );
    const sending = await own();
    const counts = itemsAt(await succeedFrom('Start', sending), 'Count by Status');
    assert.deepEqual(counts, [{ left_out: 2, 'opted out': 1, draft: 1 }]);
    assert.equal(await statuses(), 'not sent,Opted out,draft');
    assert.equal((await reasons())[0], "A row with this number has the status 'opted out'. Delete this row.");

    await table.change('Ben Made-Up', { phone: '07700 900301' });
    await runFrom('Start', sending);
    assert.match(String((await reasons())[0]), /'Never Send To'/);
    assert.deepEqual(received(), []);
  });
}
