import { asObjects, type JsonObject } from '../../../tools/json';
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

/** How n8n answered a call of a {@link webhook}. */
export interface WebhookAnswer {
  status: number;
  text: string;
  /** The output of the workflow; empty if it failed, or if the webhook answers without data. */
  items: JsonObject[];
}

/** Calls a webhook of n8n as another program does. */
export async function callWebhook(n8nUrl: string, path: string, body: unknown): Promise<WebhookAnswer> {
  const answer = await fetch(`${n8nUrl}/webhook/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok || text === '') return { status: answer.status, text, items: [] };
  const parsed: unknown = JSON.parse(text);
  return { status: answer.status, text, items: asObjects(parsed, 'the answer') };
}
