import { type JsonObject } from '../../../tools/json';
import { type WorkflowNode } from '../../../tools/n8n/workflow';

/**
 * A webhook that takes POST requests at `<n8n>/webhook/<path>`, once its workflow is active, and answers when the
 * workflow has ended, with all items of its last node's output.
 */
export function webhook(path: string): WorkflowNode {
  return {
    name: 'Webhook',
    type: 'n8n-nodes-base.webhook',
    typeVersion: 2,
    webhookId: path,
    parameters: { httpMethod: 'POST', path, responseMode: 'lastNode', responseData: 'allEntries' },
  };
}

/** Like {@link webhook}, but answers before the workflow has run. */
export function immediateWebhook(path: string): WorkflowNode {
  return { ...webhook(path), parameters: { httpMethod: 'POST', path, responseMode: 'onReceived' } };
}

/** Calls a webhook of n8n as another program does. */
export async function callWebhook(
  n8nUrl: string,
  path: string,
  body: JsonObject,
): Promise<{ status: number; text: string }> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${n8nUrl}/webhook/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: answer.status, text: await answer.text() };
}
