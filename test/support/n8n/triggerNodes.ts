import { asObjects, type JsonObject } from '../../../tools/json';
import { type WorkflowNode } from './workflow';

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

/** The same, but it answers before the workflow has run. */
export function immediateWebhook(path: string): WorkflowNode {
  return { ...webhook(path), parameters: { httpMethod: 'POST', path, responseMode: 'onReceived' } };
}

/** A form at `<n8n>/form/<path>` with a text field of each of these labels; it answers as soon as it is submitted. */
export function formTrigger(path: string, labels: string[]): WorkflowNode {
  return {
    name: 'On form submission',
    type: 'n8n-nodes-base.formTrigger',
    typeVersion: 2.2,
    webhookId: path,
    parameters: {
      formTitle: 'Write to somebody',
      formFields: { values: labels.map((fieldLabel) => ({ fieldLabel, requiredField: true })) },
      options: { path },
    },
  };
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

/** Completes a form of n8n in the order of its fields, and submits it as its page does. */
export async function submitForm(n8nUrl: string, path: string, values: string[]): Promise<Response> {
  const body = new FormData();
  values.forEach((value, index) => body.set(`field-${index}`, value));
  return await fetch(`${n8nUrl}/form/${path}`, { method: 'POST', body });
}
