/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { CALLER } from '../../../tools/n8n/exampleCredentials';
import { type JsonObject } from '../../../tools/n8n/workflow';
import { type ExampleWorld } from '../exampleWorld';

/** The webhook, called as a shop does that repeats its calls. n8n remembers the orders from test to test, so each has its own. */
export function tests({ instance, received, whileActive }: ExampleWorld): void {
  whileActive();
  const PHONE = '+44 7700 900123';
  const SENT = { status: 200, body: { outcome: 'sent', sent_before: false } };
  const SENT_BEFORE = { status: 200, body: { outcome: 'sent', sent_before: true } };

  /** Calls it with the secret in its credential, or with another one. */
  const call = async (order: JsonObject, secret = CALLER.value) => {
    const headers = { 'content-type': 'application/json', [CALLER.name]: secret };
    const body = JSON.stringify(order);
    return await fetch(`${instance().n8n.url}/webhook/order-shipped`, { method: 'POST', headers, body });
  };
  const answerTo = async (order: JsonObject) => {
    const answer = await call(order);
    return { status: answer.status, body: (await answer.json()) as JsonObject };
  };
  const messageOf = (order: string) => ({ phone: '447700900123', message: `Your order ${order} is on its way.` });

  test('A repeated call for an order sends nothing, and another order is sent', async () => {
    assert.deepEqual(await answerTo({ order_id: 'A-1', phone: PHONE }), SENT);
    assert.deepEqual(await answerTo({ order_id: 'A-1', phone: PHONE }), SENT_BEFORE);
    assert.deepEqual(received(), [messageOf('A-1')]);
    assert.deepEqual(await answerTo({ order_id: 'A-2', phone: PHONE }), SENT);
    assert.deepEqual(received(), [messageOf('A-1'), messageOf('A-2')]);
  });

  test('A call whose message was not sent can be repeated', async () => {
    const later = {
      status: 503,
      body: { outcome: 'not_sent', error: 'The message was not sent. Make the same call again later.' },
    };
    instance().sandbox.setCredits(0);
    assert.deepEqual(await answerTo({ order_id: 'C-1', phone: PHONE }), later);
    instance().sandbox.setCredits(1);
    assert.deepEqual(await answerTo({ order_id: 'C-1', phone: PHONE }), SENT);
    assert.deepEqual(received(), [messageOf('C-1')]);
  });

  test('A call whose message may have been sent is answered with 504, and so are its repetitions, which send nothing', async () => {
    const uncertain = {
      status: 504,
      body: {
        outcome: 'uncertain',
        error:
          'The message may have been sent. Another call for this order does not send it again. Check with the recipient.',
      },
    };
    instance().sandbox.setFaults([{ kind: 'reset-after' }]);
    assert.deepEqual(await answerTo({ order_id: 'D-1', phone: PHONE }), uncertain);
    assert.deepEqual(await answerTo({ order_id: 'D-1', phone: PHONE }), uncertain);
    assert.deepEqual(received(), [messageOf('D-1')]);
  });

  test('A call without an order ID or with a bad number is answered with 422', async () => {
    assert.deepEqual(await answerTo({ phone: PHONE }), {
      status: 422,
      body: {
        outcome: 'not_sent',
        code: 'INVALID_PARAMETER',
        error: "'Message Key' needs a text or a number from 'body.order_id', and this item has none",
      },
    });
    const { status, body } = await answerTo({ order_id: 'E-1', phone: '07700 900123' });
    assert.deepEqual([status, body.code], [422, 'INVALID_PHONE']);
    assert.deepEqual(received(), []);
    assert.deepEqual(await answerTo({ order_id: 'E-1', phone: PHONE }), SENT);
  });

  test('A call without the secret sends nothing', async () => {
    const body = { order_id: 'F-1', phone: PHONE };
    assert.equal((await call(body, 'another')).status, 403);
    assert.deepEqual(received(), []);
  });
}
