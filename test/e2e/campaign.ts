import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';

import type { Execution } from '../../demo/execution';
import type { JsonObject } from '../../demo/json';
import type { QueueStage } from './queueStage';
import { stopped } from './stage';
import { chain, messagingSend, SENDER, type WorkflowNode } from './workflow';

/** A workflow that is started by a webhook, with its own messages for each number it is started with. */
export interface Campaign {
  /** Starts it; returns the execution's id. */
  begin(number: number): Promise<string>;
  /** Waits until so many executions have ended; returns them, the oldest first. */
  ended(count: number): Promise<Execution[]>;
  /** The phones that the messages of this number go to. */
  phones(number: number): string[];
}

/** @param messages  how many each start sends */
export async function makeCampaign(stage: QueueStage, messages: number): Promise<Campaign> {
  const path = randomUUID();
  const list = `={{ Array.from({ length: ${messages} }, (_, index) => ({
    phone: '4477' + $json.body.number + String(index).padStart(6, '0'),
    message: 'Hello ' + index,
  })) }}`;
  const sender = messagingSend({ resource: 'message', operation: 'sendBulk', source: 'json', messages: list });
  const workflow = await stage.rest.importWorkflow(chain('Campaign', [webhook(path), sender]), [stage.credential]);
  await stage.rest.activate(workflow, { seconds: 30, signal: stopped.signal });
  return {
    begin: async (number) => {
      const earlier = await executionIds(stage, workflow);
      const answer = await fetch(`${stage.main.url}/webhook/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ number }),
      });
      assert.equal(answer.status, 200, await answer.text());
      return (await executionIds(stage, workflow)).find((id) => !earlier.includes(id)) ?? '';
    },
    ended: async (count) => {
      const ids = await stage.waitFor(`${count} executions to end`, 300, async () => {
        const listed = await stage.rest.executionsOf(workflow);
        const ended = listed.filter(({ status }) => !['new', 'running', 'waiting'].includes(status));
        return ended.length === count
          ? ended.map(({ id }) => id).sort((left, right) => Number(left) - Number(right))
          : undefined;
      });
      return await Promise.all(
        ids.map(async (id) => await stage.rest.waitForExecution(id, { seconds: 30, signal: stopped.signal })),
      );
    },
    phones: (number) =>
      Array.from({ length: messages }, (_slot, index) => `4477${number}${String(index).padStart(6, '0')}`),
  };
}

async function executionIds({ rest }: QueueStage, workflow: JsonObject): Promise<string[]> {
  return (await rest.executionsOf(workflow)).map(({ id }) => id);
}

function webhook(path: string): WorkflowNode & { webhookId: string } {
  const parameters = { httpMethod: 'POST', path };
  return { name: 'Webhook', type: 'n8n-nodes-base.webhook', typeVersion: 2, parameters, webhookId: path };
}

/** What an execution tells of the messages it has sent. */
export function sentItems(execution: Execution): Array<{ id: unknown; phone: unknown }> {
  const items = execution.runsOf(SENDER).flatMap(({ outputs }) => outputs[0] ?? []);
  return items.map(({ json }) => ({ id: json.message_id, phone: json.phone }));
}

/** Puts messages in order: with requests at once, they reach the service in any. */
export function byPhone(left: { phone: unknown }, right: { phone: unknown }): number {
  return String(left.phone).localeCompare(String(right.phone));
}
