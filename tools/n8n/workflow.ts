import { randomUUID } from 'node:crypto';

import { z } from 'zod/v4';

export type JsonObject = Record<string, unknown>;

const OBJECT = z.record(z.string(), z.unknown());

/** A node of a workflow, as n8n exports it; {@link chain} gives it an ID and a position. */
const NODE = z.looseObject({
  name: z.string(),
  type: z.string(),
  typeVersion: z.number(),
  parameters: OBJECT,
  credentials: OBJECT.optional(),
});
export type WorkflowNode = z.infer<typeof NODE>;

/** A workflow, as n8n exports it. */
export const WORKFLOW = z.looseObject({ name: z.string(), nodes: z.array(NODE), connections: OBJECT });
export type Workflow = z.infer<typeof WORKFLOW>;

/** A workflow that n8n has stored. */
export const STORED_WORKFLOW = WORKFLOW.extend({ id: z.string(), versionId: z.string() });
export type StoredWorkflow = z.infer<typeof STORED_WORKFLOW>;

/** The name of {@link start}, to run a workflow from. */
export const START = 'Start';

/** The name of {@link messagingSend}, unless it is given another. */
export const SENDER = 'Messaging Send';

/** The trigger of the editor's button. */
export function start(): WorkflowNode {
  return { name: START, type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, parameters: {} };
}

/** The name of {@link items}, unless it is given another. */
export const ITEMS = 'Items';

/** A Code node that outputs these items, no matter what its input is. */
export function items(rows: JsonObject[], name = ITEMS): WorkflowNode {
  const jsCode = `return ${JSON.stringify(rows)}.map((json) => ({ json }));`;
  return { name, type: 'n8n-nodes-base.code', typeVersion: 2, parameters: { jsCode } };
}

/** @param rest  what the node's Settings tab sets, such as `onError`, or another `name` or `type` */
export function messagingSend(parameters: JsonObject, rest: JsonObject = {}): WorkflowNode {
  return {
    name: SENDER,
    type: 'n8n-nodes-messaging-send.messagingSend',
    typeVersion: 1,
    parameters,
    // The import of the workflow replaces it with the stored credential.
    credentials: { messagingSendApi: { id: '', name: '' } },
    ...rest,
  };
}

/** The name of {@link messagingSendTrigger}. */
export const TRIGGER = 'Messaging Send Trigger';

/** @param parameters  n8n fills in Poll Times if they are left out */
export function messagingSendTrigger(parameters: JsonObject): WorkflowNode {
  return messagingSend(parameters, { name: TRIGGER, type: 'n8n-nodes-messaging-send.messagingSendTrigger' });
}

/**
 * A webhook that takes POST requests at `<n8n>/webhook/<path>`, once its workflow is active, and answers before the
 * workflow has run, or with all items of its last node's output.
 */
export function webhook(path: string, answers: 'before' | 'with the last output' = 'before'): WorkflowNode {
  const mode =
    answers === 'before' ? { responseMode: 'onReceived' } : { responseMode: 'lastNode', responseData: 'allEntries' };
  const parameters = { httpMethod: 'POST', path, ...mode };
  return { name: 'Webhook', type: 'n8n-nodes-base.webhook', typeVersion: 2, webhookId: path, parameters };
}

/** Calls a webhook of n8n as another program does. */
export async function callWebhook(n8nUrl: string, path: string, body: JsonObject) {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${n8nUrl}/webhook/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: answer.status, text: await answer.text() };
}

/** A workflow of these nodes one after the other, each connected to the next by its first output. */
export function chain(name: string, nodes: readonly WorkflowNode[]): Workflow {
  const connections = nodes.slice(1).map((next, index) => {
    const previous = nodes[index]?.name ?? '';
    return [previous, { main: [[{ node: next.name, type: 'main', index: 0 }]] }];
  });
  return {
    name,
    nodes: nodes.map((node, index) => ({ id: randomUUID(), position: [index * 220, 0], ...node })),
    connections: Object.fromEntries(connections) as JsonObject,
    settings: { executionOrder: 'v1' },
  };
}
