/** Workflows that send each item's `message` to its `phone`, with and without this node. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { baseNode, loadPackage, runSteps, type Step, type Steps } from '../tools/engine/steps';
import { API_KEY } from '../tools/n8n/instance';
import type { RemoteSandbox } from './sandbox';

const FROM_ITEM = { phone: '={{ $json.phone }}', message: '={{ $json.message }}' };

/** How many requests the node, and what it is compared with, have in flight. */
export const PARALLEL = 16;

/** The sandbox has no limit, so the node needs none. */
export const UNLIMITED = { requestsPerMinute: 1_000_000, parallelRequests: PARALLEL };

/** This many contacts, each with its own phone number. */
export function contacts(count: number): IDataObject[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `Made-up Person ${index}`,
    phone: `4477${String(index).padStart(8, '0')}`,
    message: `Hello Made-up Person ${index}, a reminder of your appointment on Monday ${index % 28} May.`,
  }));
}

/** How long a workflow takes over items, in milliseconds. */
export async function timeOf(steps: Steps, items: readonly IDataObject[], sandbox: RemoteSandbox): Promise<number> {
  await sandbox.reset();
  const started = performance.now();
  await runSteps(items, steps, sandbox.account);
  const time = performance.now() - started;
  await sandbox.expectOnce(items.length);
  return time;
}

export async function messagingSend(
  operation: 'send' | 'sendBulk',
  folder?: string,
  changed: INodeParameters = {},
): Promise<Step> {
  const { node } = await loadPackage(folder);
  const parameters = { resource: 'message', operation, source: 'items', ...FROM_ITEM, options: UNLIMITED, ...changed };
  return { name: 'Messaging Send', type: node, parameters };
}

/** HTTP Request with one request per item. */
export async function requestPerItem(url: string): Promise<Step> {
  return await httpRequest(requestParameters(`${url}/v1/messages/send`, FROM_ITEM));
}

/** Loop Over Items takes 100 items at a time, and Aggregate puts them into one, so that HTTP Request sends 100 messages. */
export async function loopAggregateRequest(url: string): Promise<Steps> {
  const parameters = requestParameters(`${url}/v1/messages/send-bulk`, {});
  const request = { ...parameters, specifyBody: 'json', jsonBody: '={{ { messages: $json.messages } }}' };
  return [
    {
      name: 'Loop Over Items',
      type: await baseNode('n8n-nodes-base.splitInBatches'),
      version: 3,
      parameters: { batchSize: 100, options: {} },
      outputs: [[], ['Aggregate']],
    },
    {
      name: 'Aggregate',
      type: await baseNode('n8n-nodes-base.aggregate'),
      parameters: {
        aggregate: 'aggregateAllItemData',
        destinationFieldName: 'messages',
        include: 'specifiedFields',
        fieldsToInclude: 'phone, message',
        options: {},
      },
      outputs: [['HTTP Request']],
    },
    { ...(await httpRequest(request)), outputs: [['Loop Over Items']] },
  ];
}

async function httpRequest(parameters: INodeParameters): Promise<Step> {
  return { name: 'HTTP Request', type: await baseNode('n8n-nodes-base.httpRequest'), version: 4.2, parameters };
}

/** HTTP Request's parameters: a POST with these fields. */
export function requestParameters(url: string, fields: Readonly<Record<string, string>>): INodeParameters {
  return {
    method: 'POST',
    url,
    sendHeaders: true,
    headerParameters: { parameters: [{ name: 'Authorization', value: `Bearer ${API_KEY}` }] },
    sendBody: true,
    contentType: 'json',
    specifyBody: 'keypair',
    bodyParameters: { parameters: Object.entries(fields).map(([name, value]) => ({ name, value })) },
    options: {},
  };
}
