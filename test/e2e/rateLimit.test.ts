import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { CURRENT } from '../../tools/n8n/releases';
import { callAtRate, describeLatencies } from '../support/n8n/openLoop';
import { instanceForTests, stopSignal } from './instanceForTests';
import { activateSender, assertEachSent, callSender } from './webhookCalls';

describe(`n8n ${CURRENT} with 100 calls at the same time, where the service allows 60 a minute`, () => {
  const instance = instanceForTests({ release: CURRENT, sandbox: { limit: 60, windowSeconds: 60 } });

  test('Calls above the limit wait for the next minute, and the service refuses none', async () => {
    const { sandbox } = instance();
    await activateSender(instance(), 'paced', {});
    const calls = await callAtRate(100, Infinity, (index) => callSender(instance(), 'paced', index), stopSignal);
    console.log(describeLatencies(calls));
    assertEachSent(calls, sandbox);
    assert.deepEqual(new Set(sandbox.requests().map(({ status }) => status)), new Set([201]));
    assert.equal(calls.filter(({ milliseconds }) => milliseconds >= 60_000).length, 40);
  });
});
