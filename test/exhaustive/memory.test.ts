/** What the list in n8n's database remembers after weeks and years, by what the node itself writes. */
import { pack } from '../../nodes/MessagingSend/delivery/dispatch';
import { CrashLedger } from '../../nodes/MessagingSend/journal/crash/crashLedger';
import { DeliveryRecord } from '../../nodes/MessagingSend/journal/deliveryRecord';
import { Journal } from '../../nodes/MessagingSend/journal/journal';
import { FactList, type ListStorage } from '../../nodes/MessagingSend/journal/list/factList';
import { Facts } from '../../nodes/MessagingSend/journal/list/facts';
import { Reservations } from '../../nodes/MessagingSend/journal/reservations';
import { isOpen, type Row, settle } from '../../nodes/MessagingSend/messages/row';
import { intentOf, noPause, rowAt, rowsUpTo, SENT } from '../unit/samples';
import { IS_WHOLE } from './extent';

jest.setTimeout(600_000);

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** A node in an n8n that can be restarted, at a time that a test moves. */
class Node {
  now = 0;
  private readonly entries = new Set<string>();
  private list = new FactList(() => this.now);
  private runs = 0;
  private calls = 0;

  private readonly storage: ListStorage = {
    add: async (entries) => {
      this.calls += 1;
      const present = entries.filter((entry) => this.entries.has(entry));
      for (const entry of entries) this.entries.add(entry);
      return await Promise.resolve(new Set(present));
    },
    remove: async (entries) => {
      this.calls += 1;
      for (const entry of entries) this.entries.delete(entry);
      await Promise.resolve();
    },
    shorten: async () => {
      for (const entry of this.entries) if (this.entries.size > 60_000) this.entries.delete(entry);
      await Promise.resolve();
    },
    waitForOthers: noPause,
  };

  restart(): void {
    this.list = new FactList(() => this.now);
  }

  get length(): number {
    return this.entries.size;
  }

  /**
   * Sends a list in an execution of its own, or in a Retry of one that n8n has not stored, by its number from 1.
   * @returns the messages that left, and the calls of the list
   */
  async run(rows: readonly Row[], isAsked = true, retried: number | null = null) {
    const before = this.calls;
    const lineage = String(retried ?? (this.runs += 1));
    const record = new DeliveryRecord({}, 0);
    const factsWith = (secret: string, isShared: boolean) => new Facts(this.list, this.storage, secret, isShared);
    const start = { isRetry: retried !== null, followsKill: false };
    const crash = new CrashLedger(factsWith('workflow', false), { lineage, ordinal: 0 }, record, start);
    const open = () => new Reservations(factsWith('account', true), 1);
    const journal = new Journal(record, crash, { open, isAsked });
    await journal.recall(intentOf(rows), noPause);
    const reservations = journal.reservationsOf('account');
    if (reservations !== null && rows.length > 100) await journal.takeOut(rows, reservations);
    const left: Row[] = [];
    for (const batch of pack(rows.filter(isOpen), 100)) {
      for (let own = batch; own.length > 0; own = own.filter(isOpen)) {
        if ((await journal.beforeRequest(own, reservations)) !== 'leave') continue;
        journal.afterFlight(own);
        for (const row of own) settle(row, SENT);
        journal.note(own, reservations);
        left.push(...own);
      }
    }
    await journal.finish(rows, () => ({ account: 'account' }));
    await this.list.turns.last;
    return { left, calls: this.calls - before };
  }
}

const orders = (from: number, count: number) => Array.from({ length: count }, (_, index) => rowAt(from + index));

test.each(IS_WHOLE ? [5, 20, 300] : [5])('A sheet of %s rows read each minute is remembered whole', async (count) => {
  const node = new Node();
  expect((await node.run(rowsUpTo(count))).left).toHaveLength(count);
  for (let day = 1; day <= (IS_WHOLE ? 365 : 40); day += 1) {
    node.restart();
    // What ran earlier on the day is forgotten in its last two hours.
    for (let minute = 0; minute <= 120; minute += 1) {
      node.now = day * DAY + minute * MINUTE;
      expect((await node.run(rowsUpTo(count))).left).toEqual([]);
    }
  }
  expect(node.length).toBeLessThan(30_000);
});

test.each([
  ['one at a time', 1, IS_WHOLE ? 60_000 : 3_000],
  ['by the hundred', 100, 60_000],
  ['by the thousand', 1_000, IS_WHOLE ? 60_000 : 3_000],
])('Of 60,000 orders that come in %s, the newest 50,000 are remembered', async (_how, size, total) => {
  const node = new Node();
  for (let order = 0; order < total; order += size) {
    node.now += 10_000;
    await node.run(orders(order, size));
  }
  const first = Math.max(0, total - 50_000);
  expect((await node.run(orders(first, total - first))).left).toEqual([]);
});

test('A list that n8n has not stored is not sent again by its Retry, no matter how many lists came after it', async () => {
  const node = new Node();
  for (let list = 0; list < 40; list += 1) await node.run(orders(list * 100, 100), false);
  expect((await node.run(orders(0, 100), false, 1)).left).toEqual([]);
});

test('Of a list of 500 rows with 250 new ones each day, everybody is remembered after 90 days', async () => {
  const node = new Node();
  for (let day = 0; day < 90; day += 1) {
    node.now = day * DAY;
    expect((await node.run(orders(day * 250, 500))).left).toHaveLength(day === 0 ? 500 : 250);
  }
  expect((await node.run(orders(0, 22_750))).left).toEqual([]);
});

test('Of a list of 50,010 rows that is sent without asking, the newest 50,000 are remembered', async () => {
  const node = new Node();
  expect((await node.run(rowsUpTo(50_010), false)).left).toHaveLength(50_010);
  expect((await node.run(rowsUpTo(20))).left.map(({ item }) => item)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('What a node that never asks leaves does not grow with its runs', async () => {
  const node = new Node();
  for (let run = 0; run < 2_000; run += 1) {
    node.now += 10_000;
    await node.run([rowAt(run % 5)], false);
  }
  expect(node.length).toBeLessThan(4_000);
});

test('Of a list of 5,000 rows with 50 new ones among them only these are sent, and with nothing new, the list is asked in few calls', async () => {
  const node = new Node();
  await node.run(rowsUpTo(5_000).filter(({ item }) => item % 100 !== 7));
  node.restart();
  const { left } = await node.run(rowsUpTo(5_000));
  expect(left).toHaveLength(50);
  // The messages, and the plans and pages of both runs.
  expect(node.length).toBeLessThan(6_000);
  node.restart();
  const calls = async () => (await node.run(rowsUpTo(5_000))).calls;
  // The start, and five questions with their ends; then only the start.
  expect([await calls(), await calls()]).toEqual([11, 1]);
  // The start, the claim, a look whether it was overwritten, its mark, and what the message needs no longer.
  expect((await node.run([rowAt(5_000)])).calls).toBeLessThanOrEqual(6);
});
