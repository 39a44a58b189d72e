/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

import { type WorkflowNode } from '../../../tools/n8n/workflow';
import { type ExampleWorld, itemsAt, sendingWith } from '../exampleWorld';

/** The campaign whose messages end with a link, and the page behind it. */
export function tests(world: ExampleWorld): void {
  const { instance, received, sending, own, onForm, succeedFrom, whileActive, table } = world;
  whileActive();
  const [ADA, BEN, CLEO, DAN] = ['447700900811', '447700900812', '447700900813', '447700900814'];
  beforeEach(() => table.clear());
  const phones = () => received().map(({ phone }) => phone);
  const optedOut = async () =>
    (await table.rows()).filter(({ opted_out_at: at }) => at !== null).map(({ phone }) => phone);
  const links = async () =>
    itemsAt(await succeedFrom('Start'), 'All Outcomes').map(({ message }) => {
      const [, origin, path] = /^Hello .+ No more messages: (.+)\/form\/(stop\?c=\w{12})$/.exec(String(message)) ?? [];
      assert.equal(origin, instance().n8n.url);
      return String(path);
    });
  const tap = async (path: string, answer: string) => {
    await onForm(path, async (page) => {
      await page.getByRole('button', { name: 'Stop messages' }).click();
      await page.getByText(answer).waitFor();
    });
  };

  test('As it is imported, it shows each text with a link of its own, which stays the same, and sends nothing', async () => {
    const shown = await links();
    assert.equal(new Set(shown).size, 4);
    assert.deepEqual(await links(), shown);
    assert.deepEqual(received(), []);
  });

  test('One tap on the page of the link opts out its owner, and nobody else', async () => {
    const [, ben = ''] = await links();
    await onForm(ben, async (page) => {
      await page.getByRole('button', { name: 'Stop messages' }).waitFor();
    });
    await tap('stop?c=0123456789ab', 'This link is not complete');
    await tap('stop', 'This link is not complete');
    assert.deepEqual(await optedOut(), []);
    await tap(ben, 'You get no more messages');
    assert.deepEqual(await optedOut(), ['+44 7700 900812']);

    await table.insert({ phone: '0044 7700 900813', opted_out_at: new Date().toISOString() });
    const outcomes = itemsAt(await succeedFrom('Start', sending()), 'All Outcomes');
    assert.deepEqual(phones(), [ADA, DAN]);
    assert.equal(outcomes.map(({ reason = 'none' }) => reason).join(), 'none,opted_out,opted_out,none');
  });

  test('Someone who opts out while the campaign runs is left out of its next request', async () => {
    const inTwos = await own((node) => {
      const text = JSON.stringify(sendingWith()(node)).replace('"batchSize":100', '"batchSize":2');
      return JSON.parse(text) as WorkflowNode;
    });
    const [, , cleo = ''] = await links();
    instance().sandbox.setFaults([{ kind: 'delay', ms: 8000, on: 'bulk', times: 1 }]);
    const { rest } = instance();
    const id = await rest.start(inTwos, 'Start');
    await instance().waitFor('the first request', 60, () => (received().length > 0 ? true : undefined));
    await tap(cleo, 'You get no more messages');
    assert.deepEqual(phones(), [ADA, BEN]);
    const outcomes = itemsAt(await rest.waitForExecution(id), 'All Outcomes');
    assert.deepEqual(phones(), [ADA, BEN, DAN]);
    assert.deepEqual([outcomes[2]?.phone, outcomes[2]?.reason], [CLEO, 'opted_out']);
  });
}
