/** Ways to send a message to each item's `phone` with its `message`, as workflows. */
import type { INodeParameters } from 'n8n-workflow';

import { NODE_TYPE } from '../test/engine/n8n';
import { KEY } from './sandbox';
import type { Step, Steps } from './workflows';

const FROM_ITEM = { phone: '={{ $json.phone }}', message: '={{ $json.message }}' };

/** No limit in the sandbox, so none in the node. */
const UNLIMITED = { requestsPerMinute: 1_000_000 };

/** This node. */
export function messagingSend(operation: 'send' | 'sendBulk', changed: INodeParameters = {}): Steps {
  const parameters = { resource: 'message', operation, source: 'items', ...FROM_ITEM, options: UNLIMITED, ...changed };
  return [{ name: 'Messaging Send', type: NODE_TYPE, version: 1, parameters, outputs: [] }];
}

/** What one does without it: a request for each item. */
export function requestPerItem(url: string, options: INodeParameters = {}): Steps {
  return [httpRequest(`${url}/v1/messages/send`, { ...keypairs(FROM_ITEM), options })];
}

/** The same, held back as the HTTP Request node can: its "Batching" with its usual size, and the least pause. */
export function requestPerItemBatched(url: string): Steps {
  return requestPerItem(url, { batching: { batch: { batchSize: 50, batchInterval: 1 } } });
}

/** Loop Over Items, 100 at a time, and Aggregate, so that HTTP Request sends 100 messages in each request. */
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

/** Edit Fields that sets two fields to what these expressions come to: what reading the input costs. */
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
