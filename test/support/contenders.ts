/** Workflows that send each item's `message` to its `phone`, with and without this node. */
import type { INodeParameters } from 'n8n-workflow';

import { NODE_TYPE } from '../../tools/engine/engine';
import { KEY } from './account';
import type { Step, Steps } from './engine/steps';

const FROM_ITEM = { phone: '={{ $json.phone }}', message: '={{ $json.message }}' };

/** The sandbox has no limit, so the node needs none. */
const UNLIMITED = { requestsPerMinute: 1_000_000 };

/** This node. */
export function messagingSend(operation: 'send' | 'sendBulk', changed: INodeParameters = {}): Steps {
  const parameters = { resource: 'message', operation, source: 'items', ...FROM_ITEM, options: UNLIMITED, ...changed };
  return [{ name: 'Messaging Send', type: NODE_TYPE, version: 1, parameters, outputs: [] }];
}

/** HTTP Request with a request for each item. */
export function requestPerItem(url: string, options: INodeParameters = {}): Steps {
  return [httpRequest(`${url}/v1/messages/send`, { ...keypairs(FROM_ITEM), options })];
}

/** HTTP Request with its "Batching": the default size, and the shortest pause. */
export function requestPerItemBatched(url: string): Steps {
  return requestPerItem(url, { batching: { batch: { batchSize: 50, batchInterval: 1 } } });
}

/** Loop Over Items takes 100 items at a time, and Aggregate puts them into one, so that HTTP Request sends 100 messages. */
export function loopAggregateRequest(url: string): Steps {
  return [
    {
      name: 'Loop Over Items',
      type: 'n8n-nodes-base.splitInBatches',
      version: 3,
      parameters: { batchSize: 100, options: {} },
      outputs: [[], ['Aggregate']],
    },
    {
      name: 'Aggregate',
      type: 'n8n-nodes-base.aggregate',
      version: 1,
      parameters: {
        aggregate: 'aggregateAllItemData',
        destinationFieldName: 'messages',
        include: 'specifiedFields',
        fieldsToInclude: 'phone, message',
        options: {},
      },
      outputs: [['HTTP Request']],
    },
    {
      ...httpRequest(`${url}/v1/messages/send-bulk`, {
        specifyBody: 'json',
        jsonBody: '={{ { messages: $json.messages } }}',
        options: {},
      }),
      outputs: [['Loop Over Items']],
    },
  ];
}

/** Edit Fields sets two fields to the values of these expressions, which is what reading the input costs. */
export function editFields(values: Readonly<Record<'phone' | 'message', string>> = FROM_ITEM): Steps {
  const assignments = Object.entries(values).map(([name, value]) => ({ id: name, name, value, type: 'string' }));
  const parameters = { mode: 'manual', assignments: { assignments }, includeOtherFields: false, options: {} };
  return [{ name: 'Edit Fields', type: 'n8n-nodes-base.set', version: 3.4, parameters, outputs: [] }];
}

function httpRequest(url: string, parameters: INodeParameters): Step {
  return {
    name: 'HTTP Request',
    type: 'n8n-nodes-base.httpRequest',
    version: 4.2,
    parameters: {
      method: 'POST',
      url,
      sendHeaders: true,
      headerParameters: { parameters: [{ name: 'Authorization', value: `Bearer ${KEY}` }] },
      sendBody: true,
      contentType: 'json',
      ...parameters,
    },
    outputs: [],
  };
}

function keypairs(values: Readonly<Record<string, string>>): INodeParameters {
  const parameters = Object.entries(values).map(([name, value]) => ({ name, value }));
  return { specifyBody: 'keypair', bodyParameters: { parameters } };
}
