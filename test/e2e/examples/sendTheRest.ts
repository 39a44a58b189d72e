/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

import { type ExampleWorld, itemsAt, PEOPLE, saleMessage } from '../exampleWorld';

/** The campaign, and its second start later. */
export function tests(world: ExampleWorld): void {
  const { instance, received, sending, table } = world;
  const succeedFrom = async (trigger: string) => await world.succeedFrom(trigger, sending());
  const CAMPAIGN = 'Start';
  const LATER = 'Every Morning at 10';
  const DAN = 'Dan Fiction';
  const names = PEOPLE.slice(0, 3);
  const REACHABLE = names.map((name, index) => saleMessage(name, `44770090040${index + 1}`));
  const kept = async () =>
    Object.fromEntries((await table.rows()).map(({ name, outcome }) => [String(name), outcome] as const));
  beforeEach(() => table.clear());

  test('As it is imported, it sends nothing and keeps nothing', async () => {
    await world.succeedFrom(CAMPAIGN);
    assert.deepEqual([received(), await kept()], [[], {}]);
  });

  test('Who got nothing is kept in the table, and gets the message later, once the number is corrected', async () => {
    const execution = await succeedFrom(CAMPAIGN);
    assert.deepEqual(received(), REACHABLE);
    assert.equal(itemsAt(execution, 'Sent').length, 3);
    const [row, ...more] = await table.rows();
    assert.deepEqual(more, []);
    assert.deepEqual([row?.name, row?.phone, row?.outcome], [DAN, '07700 900404', 'not_sent']);
    assert.match(String(row?.reason), /country code is missing/);

    await succeedFrom(LATER);
    assert.deepEqual(await kept(), { [DAN]: 'not_sent' });
    assert.deepEqual(received(), REACHABLE);

    await table.change(DAN, { phone: '+44 7700 900404' });
    await succeedFrom(LATER);
    assert.deepEqual(received(), [...REACHABLE, saleMessage(DAN, '447700900404')]);
    assert.deepEqual(await kept(), {});
  });

  test('Uncertain messages are listed for a person, and not sent again', async () => {
    instance().sandbox.setFaults([{ kind: 'reset-after', on: 'bulk' }]);
    await succeedFrom(CAMPAIGN);
    const uncertain = Object.fromEntries(names.map((name) => [name, 'uncertain']));
    assert.deepEqual(await kept(), { ...uncertain, [DAN]: 'not_sent' });
    const execution = await succeedFrom(LATER);
    const byHand = itemsAt(execution, 'Check by Hand').map(({ name }) => name);
    assert.deepEqual(byHand, names);
    assert.deepEqual(await kept(), { ...uncertain, [DAN]: 'not_sent' });
    assert.deepEqual(received(), REACHABLE);
  });
}
