import assert from 'node:assert/strict';

import { type InstanceWithSandbox } from '../../sandbox/n8n/instance';
import { type Sandbox } from '../../sandbox/server';
import { type JsonObject } from '../../tools/json';
import { listOf, phoneAt } from '../support/contacts';
import { type Called } from '../support/n8n/openLoop';
import { callWebhook, webhook, type WebhookAnswer } from '../support/n8n/triggerNodes';
import { chain, messagingSend } from '../support/n8n/workflow';
import { receivedBy } from './recipients';

/** Activates a workflow that sends one message for each call of the webhook at this path, and then answers. */
export async function activateSender(
  { rest, credential }: InstanceWithSandbox,
  path: string,
  options: JsonObject,
): Promise<void> {
  const phone = '={{ $json.body.phone }}';
  const message = '={{ $json.body.message }}';
  const sender = messagingSend({ resource: 'message', operation: 'send', phone, message, options });
  await rest.activate(await rest.importWorkflow(chain(path, [webhook(path), sender]), [credential]));
}

export async function callSender({ n8n }: InstanceWithSandbox, path: string, index: number): Promise<WebhookAnswer> {
  return await callWebhook(n8n.url, path, { phone: phoneAt(index), message: `Hello ${index}` });
}

/** Each call was answered with its own message, and the sandbox has each message once. */
export function assertEachSent(calls: ReadonlyArray<Called<WebhookAnswer>>, sandbox: Sandbox): void {
  const failed = calls.flatMap(({ answer: { status, text } }, index) =>
    status === 200 ? [] : [`call ${index}: ${status} ${text}`],
  );
  assert.deepEqual(
    failed.slice(0, 5),
    [],
    `${failed.length} of ${calls.length} calls failed, and ${sandbox.messages().length} messages were sent`,
  );
  assert.deepEqual(receivedBy(sandbox), listOf(calls.length));
  assert.deepEqual(
    calls.map(({ answer }) => answer.items[0]?.phone),
    listOf(calls.length).map(({ phone }) => phone),
  );
}
