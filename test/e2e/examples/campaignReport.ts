/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type ExampleWorld } from '../exampleWorld';

/** The report of a dry run, of a campaign and of its second run. */
export function tests({ instance, mailServer, received, sending, own, succeedFrom, table }: ExampleWorld): void {
  const counts = ['sent', 'not_sent', 'uncertain', 'skipped'];
  const stored = async () => (await table.rows()).map((row) => counts.map((count) => row[count]));
  const latest = () => mailServer().mails().at(-1);

  test('As it is imported, it reports by mail what would be sent, and sends nothing', async () => {
    await succeedFrom('Start');
    assert.equal(latest()?.subject, 'Summer sale: 2 would be sent, 1 not sent, 1 skipped');
    assert.deepEqual(received(), []);
  });

  test('The report of a campaign has its counts, and who got no message and why, as text', async () => {
    await succeedFrom('Start', sending());
    await succeedFrom('Start', sending());
    assert.equal(received().length, 2);
    const mails = mailServer().mails();
    for (const { subject, text } of mails) {
      assert.equal(subject, 'Summer sale: 2 sent, 1 not sent, 1 skipped');
      const words = text.replaceAll(/\s+/g, ' ');
      assert.match(
        words,
        /Ben Made-Up <ben@example\.com> ?07700 900902 ?not sent ?The .*country code is missing\. Write/,
      );
      assert.match(words, /Cleo Sample ?447700900903 ?skipped ?Another row has the same number/);
      assert.doesNotMatch(words, /Ada/);
    }
    assert.deepEqual(await stored(), [
      [0, 1, 0, 1],
      [2, 1, 0, 1],
      [2, 1, 0, 1],
    ]);
  });

  test('Messages that may have been sent are in the report', async () => {
    instance().sandbox.setFaults([{ kind: 'reset-after', on: 'bulk' }]);
    await succeedFrom('Start', await own());
    assert.match(latest()?.subject ?? '', /^Summer sale: 1 not sent, \d uncertain/);
    assert.match(latest()?.text ?? '', /Ada Example/);
  });
}
