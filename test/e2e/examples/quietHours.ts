import assert from 'node:assert/strict';
import { test } from 'node:test';

import { asString, type JsonObject } from '../../../tools/json';
import { copyOf, type ExampleWorld, itemsAt } from './world';

/** The message that waits until morning, with quiet hours that fit the time of the test. */
export function testQuietHours({ instance, received, workflow, succeedFrom }: ExampleWorld): void {
  const WAIT = 'Wait Until Morning';
  const SENT = [{ phone: '447700900123', message: 'Hello Ada Example, your order is ready.' }];
  /** Always, until midnight. */
  const ALWAYS = { quiet_from: '00:00', quiet_until: '24:00' };
  const NEVER = { quiet_from: '00:00', quiet_until: '00:00' };

  /** A copy with these quiet hours, and its Wait node changed. */
  const copyWith = async (hours: Record<string, string>, wait: (node: JsonObject) => JsonObject = (node) => node) =>
    await instance().rest.importWorkflow(
      copyOf(workflow(), (node) => {
        if (node.name === WAIT) return wait(node);
        return node.name === 'Quiet Hours' ? withAssignments(node, hours) : node;
      }),
    );

  test('Outside the quiet hours, the message is sent immediately', async () => {
    await succeedFrom('Start', await copyWith(NEVER));
    assert.deepEqual(received(), SENT);
  });

  test('When the wait is over, the message is sent', async () => {
    const shortly = (node: JsonObject) => withParameter(node, 'dateTime', '={{ $now.plus({ seconds: 2 }).toISO() }}');
    await succeedFrom('Start', await copyWith(ALWAYS, shortly));
    assert.deepEqual(received(), SENT);
  });

  test('The wait ends the next time the quiet hours end', async () => {
    for (const until of ['00:00', '08:00', '15:30', '23:59']) {
      const inItem = (node: JsonObject) =>
        withAssignments({ ...node, type: 'n8n-nodes-base.set', typeVersion: 3.4 }, { time: dateTimeOf(node) });
      // From the minute after, so that it is always quiet but for that minute.
      const hours = { quiet_from: `${until}:01`, quiet_until: until };
      const execution = await succeedFrom('Start', await copyWith(hours, inItem));
      const [item] = itemsAt(execution, WAIT);
      if (item === undefined) continue;
      const time = asString(item.time, 'time');
      assert.equal(time.slice(11, 16), until);
      const hoursFromNow = (Date.parse(time) - Date.now()) / 3_600_000;
      assert.ok(hoursFromNow > -0.1 && hoursFromNow < 25.1, time);
    }
  });
}

function withParameter(node: JsonObject, name: string, value: unknown): JsonObject {
  return { ...node, parameters: { ...(node.parameters as JsonObject), [name]: value } };
}

function dateTimeOf(node: JsonObject): string {
  return asString((node.parameters as JsonObject).dateTime, 'dateTime');
}

/** An Edit Fields node with these texts in place of its own. */
function withAssignments(node: JsonObject, values: Record<string, string>): JsonObject {
  const assignments = Object.entries(values).map(([name, value]) => ({ id: name, name, value, type: 'string' }));
  return { ...node, parameters: { assignments: { assignments }, includeOtherFields: true, options: {} } };
}
