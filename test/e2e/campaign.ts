import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';

import { type JsonObject } from '../../tools/json';
import { type Execution } from '../../tools/n8n/execution';
import { chain, messagingSend, SENDER, type WorkflowNode } from '../support/n8n/workflow';
import { type QueueInstance } from './queueInstance';

/** A workflow started by a webhook, with messages of their own for each number that a call brings. */
export interface Campaign {
  /** Starts it; returns the execution's id. */
  start(number: number): Promise<string>;
  /** Waits until so many executions have ended; returns them, the oldest first. */
  ended(count: number): Promise<Execution[]>;
  /** The phones that the messages of this number go to. */
  phones(number: number): string[];
}

/**
 * @param messages  how many each call sends
 * @param options  of the sending node
 * @param rest  what its Settings tab sets, such as `onError`
 */
export async function makeCampaign(
  instance: QueueInstance,
  messages: number,
  options: JsonObject = {},
  rest: JsonObject = {},
): Promise<Campaign> {
  const path = randomUUID();
  const list = `={{ Array.from({ length: ${messages} }, (_, index) => ({
    phone: '4477' + $json.body.number + String(index).padStart(6, '0'),
    message: 'Hello ' + index,
  })) }}`;
  const parameters = { resource: 'message', operation: 'sendBulk', source: 'json', messages: list, options };
  const sender = messagingSend(parameters, rest);
  const workflow = await instance.rest.importWorkflow(chain('Campaign', [webhook(path), sender]), [
    instance.credential,
  ]);
  await instance.rest.activate(workflow);
  return {
    start: async (number) => {
      const earlier = await executionIds(instance, workflow);
      const answer = await fetch(`${instance.n8n.url}/webhook/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ number }),
      });
      assert.equal(answer.status, 200, await answer.text());
      // n8n may answer before it lists the execution.
      return await instance.waitFor('the execution to be listed', 30, async () =>
        (await executionIds(instance, workflow)).find((id) => !earlier.includes(id)),
      );
    },
    ended: async (count) => {
      const ids = await instance.waitFor(`${count} executions to end`, 300, async () => {
        const listed = await instance.rest.executionsOf(workflow);
        const ended = listed.filter(({ status }) => !['new', 'running', 'waiting'].includes(status));
        return ended.length === count
          ? ended.map(({ id }) => id).sort((left, right) => Number(left) - Number(right))
          : undefined;
      });
      return await Promise.all(ids.map((id) => instance.rest.waitForExecution(id)));
    },
    phones: (number) =>
      Array.from({ length: messages }, (_slot, index) => `4477${number}${String(index).padStart(6, '0')}`),
  };
}

async function executionIds({ rest }: QueueInstance, workflow: JsonObject): Promise<string[]> {
  return (await rest.executionsOf(workflow)).map(({ id }) => id);
}

function webhook(path: string): WorkflowNode & { webhookId: string } {
  const parameters = { httpMethod: 'POST', path };
  return { name: 'Webhook', type: 'n8n-nodes-base.webhook', typeVersion: 2, parameters, webhookId: path };
}

/** The messages that an execution reports as sent. */
export function sentItems(execution: Execution): Array<{ id: unknown; phone: unknown }> {
  return execution.outputOf(SENDER).map(({ json }) => ({ id: json.message_id, phone: json.phone }));
}
