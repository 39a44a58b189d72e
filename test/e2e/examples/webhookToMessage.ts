import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type JsonObject } from '../../../tools/json';
import { callAsProgram, type ExampleWorld } from './world';

/** The webhook, called as another program does. */
export function testWebhook(world: ExampleWorld): void {
  const { instance, received, whileActive } = world;
  whileActive();
  const GOOD = { phone: '+44 7700 900123', message: 'Hello' };
  const SENT = [{ phone: '447700900123', message: 'Hello' }];

  const answerTo = async (body: JsonObject) => await callAsProgram(world, 'send-a-message', body);

  test('A call whose message was sent is answered with 200 and its id', async () => {
    assert.deepEqual(await answerTo(GOOD), {
      status: 200,
      body: { outcome: 'sent', message_id: 1001, status: 'sent' },
    });
    assert.deepEqual(received(), SENT);
  });

  test('A bad number, a missing text and what the service does not accept are answered with 422', async () => {
    assert.deepEqual(await answerTo({ ...GOOD, phone: '07700 900123' }), {
      status: 422,
      body: {
        outcome: 'not_sent',
        code: 'INVALID_PHONE',
        error: 'The phone number begins with 0, so its country code is missing',
      },
    });
    assert.deepEqual(await answerTo({ phone: GOOD.phone }), {
      status: 422,
      body: { outcome: 'not_sent', code: 'INVALID_MESSAGE', error: 'The message is empty' },
    });
    instance().sandbox.setFaults([
      { kind: 'status', status: 422, code: 'VALIDATION_ERROR', details: [{ field: 'message', message: 'No links' }] },
    ]);
    const { status, body } = await answerTo(GOOD);
    assert.equal(status, 422);
    assert.equal(body.code, 'VALIDATION_ERROR');
    assert.match(String(body.error), /rejected/);
    assert.deepEqual(received(), []);
  });

  test('A call whose message may have been sent is answered with 504, and the advice not to repeat it', async () => {
    const uncertain = {
      status: 504,
      body: {
        outcome: 'uncertain',
        error: 'The message may have been sent. Check with the recipient before you repeat the call.',
      },
    };
    instance().sandbox.setFaults([{ kind: 'reset-after' }]);
    assert.deepEqual(await answerTo(GOOD), uncertain);
    instance().sandbox.setFaults([{ kind: 'status', status: 500, code: 'SERVER_ERROR' }]);
    assert.deepEqual(await answerTo(GOOD), uncertain);
    assert.deepEqual(received(), SENT);
  });

  test('A call without the secret sends nothing', async () => {
    assert.equal((await callAsProgram(world, 'send-a-message', GOOD, 'another')).status, 403);
    assert.deepEqual(received(), []);
  });
}
