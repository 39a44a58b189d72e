import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';

import { asObject, type JsonObject } from '../../tools/json';
import { type Execution } from '../../tools/n8n/execution';
import { type InstanceWithSandbox } from '../../tools/n8n/instance';
import { ITEMS, items, SENDER } from '../support/n8n/workflow';
import { type Crashes, reported } from './crashes';
import { ALL, bulkList, CONTINUE, MESSAGES, pairs, type Row, rowsOfPairs } from './victims';

const SEND_ONCE = { duplicateMessages: 'sendOnceEver' };
const ANOTHER_RETRY = /another retry/i;

/** What n8n is killed in before {@link testAttempts}. */
export const ATTEMPTED = [
  bulkList('pressed-twice'),
  bulkList('pressed-twice-continue', { settings: CONTINUE }),
  bulkList('once', { text: "'[once] ' + index + ' ' + $now", options: SEND_ONCE, settings: CONTINUE }),
  bulkList('once-corrected', { options: SEND_ONCE, settings: CONTINUE }),
  pairs('pairs'),
  pairs('keyed-pairs', { messageKey: '={{ $json.key }}' }),
  bulkList('second-output', { settings: { onError: 'continueErrorOutput' } }),
];

/** Several attempts of one execution: two at the same time, with something changed between them, or with one too many. */
export function testAttempts(instance: () => InstanceWithSandbox, crashes: Crashes): void {
  describe('Several attempts of one execution', () => {
    beforeEach(() => instance().sandbox.setFaults([]));

    const canBeRetried = async (name: string, id: string): Promise<boolean | undefined> => {
      const listed = await instance().rest.executionsOf(crashes.workflow(name));
      return listed.find((each) => each.id === id)?.canBeRetried;
    };

    /** An execution of which the service refuses all requests but the first two; returns its id. */
    const failAfterTwo = async (name: string): Promise<string> => {
      const { sandbox } = instance();
      sandbox.setFaults([{ kind: 'status', status: 403, text: `[${name}]`, after: 2 }]);
      const id = await crashes.fail(bulkList(name));
      assert.deepEqual(crashes.received(name), ALL.slice(0, 200));
      sandbox.setFaults([]);
      return id;
    };

    /** Presses Retry, and presses it again on the same execution as soon as the first Retry has sent something. */
    const retryTwice = async (name: string, id: string): Promise<[first: Execution, second: Execution]> => {
      const { sandbox } = instance();
      const earlier = crashes.received(name).length;
      // Each answer is late, so that the second Retry starts before the first has ended.
      sandbox.setFaults([{ kind: 'delay', ms: 2000, text: `[${name}]`, probability: 1 }]);
      const first = crashes.retry(name, id);
      await instance().waitFor(
        'the first Retry to send',
        30,
        () => crashes.received(name).length > earlier || undefined,
      );
      const second = await crashes.retry(name, id);
      return [await first, second];
    };

    test('Retry pressed again during a Retry sends nothing, says why, and n8n still offers Retry for it', async () => {
      const killed = await crashes.newestId('pressed-twice');
      const [first, second] = await retryTwice('pressed-twice', killed);
      assert.deepEqual(crashes.received('pressed-twice'), ALL);
      assert.equal(second.status, 'error');
      assert.match(second.error, ANOTHER_RETRY);
      assert.match(first.errorDescription, /350 of 450 messages were sent, and 100 may have been sent\./);
      assert.equal(await canBeRetried('pressed-twice', second.id), true);
      await crashes.retry('pressed-twice', second.id);
      assert.deepEqual(crashes.received('pressed-twice'), ALL);
    });

    test('With On Error: Continue, the items of the second Retry say that another one sends them', async () => {
      const killed = await crashes.newestId('pressed-twice-continue');
      const [, second] = await retryTwice('pressed-twice-continue', killed);
      assert.deepEqual(crashes.received('pressed-twice-continue'), ALL);
      const errors = second.outputOf(SENDER).map(({ json }) => String(json.error));
      assert.equal(errors.length, MESSAGES);
      for (const error of errors) assert.match(error, ANOTHER_RETRY);
    });

    test('Retry pressed again during a Retry of an execution that ended with an error sends nothing', async () => {
      const name = 'refused';
      const failed = await failAfterTwo(name);
      const [first, second] = await retryTwice(name, failed);
      assert.deepEqual(crashes.received(name), ALL);
      assert.equal(first.status, 'success');
      assert.equal(second.status, 'error');
      assert.match(second.error, ANOTHER_RETRY);
      assert.equal(await canBeRetried(name, second.id), true);
    });

    test('With Send Once, Across Executions, Retry recognizes messages whose texts contain the time', async () => {
      assert.deepEqual(counts(await crashes.retry('once')), RESUMED);
      assert.deepEqual(crashes.received('once'), ALL);
    });

    test('With Send Once, Across Executions, Retry with the saved workflow recognizes messages whose text was corrected', async () => {
      const retried = await crashes.retrySaved('once-corrected', SENDER, (parameters) => ({
        ...parameters,
        messages: String(parameters.messages).replace('+ index', "+ index + ' (corrected)'"),
      }));
      assert.deepEqual(counts(retried), RESUMED);
      assert.deepEqual(crashes.received('once-corrected'), ALL);
    });

    for (const name of ['pairs', 'keyed-pairs']) {
      test(`Two messages for each person (${name}) that come in the other order are not sent twice, nor reported wrongly`, async () => {
        const rows = rowsOfPairs(name).toSorted((left, right) => (left.index ^ 1) - (right.index ^ 1));
        const retried = await crashes.retrySaved(name, ITEMS, () => items(rows).parameters);
        const received = crashes.received(name);
        assert.deepEqual(received, [...new Set(received)], 'nothing was sent twice');
        assert.deepEqual(untrue(retried, rows, received), []);
      });
    }

    test('A dry run in a Retry ends with an error, and a Retry without it sends the rest', async () => {
      const name = 'dry';
      const failed = await failAfterTwo(name);
      const dry = await crashes.retrySaved(name, SENDER, (parameters) => ({
        ...parameters,
        options: { ...asObject(parameters.options, 'options'), dryRun: true },
      }));
      assert.deepEqual([dry.status, await canBeRetried(name, failed)], ['error', true]);
      assert.match(dry.error, /dry run/i);
      assert.deepEqual(crashes.received(name), ALL.slice(0, 200));
      assert.equal((await crashes.retry(name, failed)).status, 'success');
      assert.deepEqual(crashes.received(name), ALL);
    });

    test('With the second output the first Retry succeeds, and n8n offers no further one', async () => {
      const killed = await crashes.newestId('second-output');
      const retried = await crashes.retry('second-output', killed);
      assert.equal(retried.status, 'success');
      assert.deepEqual(
        [0, 1].map((output) => retried.outputOf(SENDER, output).length),
        [350, 100],
      );
      assert.deepEqual(crashes.received('second-output'), ALL);
      assert.equal(await canBeRetried('second-output', killed), false);
      assert.equal(await canBeRetried('second-output', retried.id), false);
      await assert.rejects(crashes.retry('second-output', retried.id), /succeeded, so it cannot be retried/);
    });
  });
}

/** What a Retry reports after the kill: see {@link counts}. */
const RESUMED = [
  ['before', 200],
  ['uncertain', 100],
  ['sent', 150],
];

/** What an execution reports, whatever the memory that knows it: an earlier attempt sent it, it is uncertain, or sent now. */
function counts(execution: Execution): Array<[outcome: string, messages: number]> {
  return reported(execution).map(([outcome, messages]) => {
    if (outcome.endsWith(' before')) return ['before', messages];
    return [outcome.replace(/ \(.*/, ''), messages];
  });
}

/** Items whose outcome is not what happened: sent without having arrived, or not sent although it has. */
function untrue(execution: Execution, rows: readonly Row[], received: readonly number[]): JsonObject[] {
  const outputs = execution.outputOf(SENDER);
  assert.equal(outputs.length, rows.length);
  return outputs.flatMap(({ json, pairedItem }) => {
    const arrived = received.includes(rows[pairedItem ?? -1]?.index ?? -1);
    const details = json.details as JsonObject | undefined;
    const isTrue = json.error === undefined ? arrived : details?.outcome === 'uncertain' || !arrived;
    return isTrue ? [] : [json];
  });
}
