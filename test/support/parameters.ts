/** The parameters of each operation, as the editor saves them. */
import type { INodeParameters } from 'n8n-workflow';

/** Only tests about limits wait for a limit. */
export const WITHOUT_WAITING: INodeParameters = { requestsPerMinute: 1_000_000, longestWait: 0 };
export const GET_BALANCE: INodeParameters = { resource: 'balance', operation: 'get', options: WITHOUT_WAITING };

const FROM_ITEM: INodeParameters = {
  resource: 'message',
  options: WITHOUT_WAITING,
  phone: '={{ $json.phone }}',
  message: '={{ $json.text }}',
};
export const SEND: INodeParameters = { ...FROM_ITEM, operation: 'send' };
export const SEND_AND_WAIT: INodeParameters = {
  resource: 'message',
  operation: 'sendAndWait',
  sendTo: '={{ $json.phone }}',
  message: '={{ $json.text }}',
  options: WITHOUT_WAITING,
};
export const SEND_BULK: INodeParameters = { ...FROM_ITEM, operation: 'sendBulk', source: 'items' };
export const SEND_LIST: INodeParameters = {
  resource: 'message',
  options: WITHOUT_WAITING,
  operation: 'sendBulk',
  source: 'json',
  messages: '={{ $json.list }}',
};

/** The two operations that send one message per item, with their names in the editor. */
export const SENDERS: Array<[string, INodeParameters]> = [
  ['Send', SEND],
  ['Send Bulk', SEND_BULK],
];

/** Sets options, in place of those that the operation had. */
export const withOptions = (parameters: INodeParameters, options: INodeParameters): INodeParameters => ({
  ...parameters,
  options: { ...WITHOUT_WAITING, ...options },
});

/** Sets 'Items per Batch', so that a few items make several requests, and 'Batch Interval' in milliseconds. */
export const inBatchesOf = (batchSize: number, parameters: INodeParameters, batchInterval = 0): INodeParameters => ({
  ...parameters,
  requestOptions: { batching: { batch: { batchSize, batchInterval } } },
});

export const oneByOne = (parameters: INodeParameters): INodeParameters =>
  withOptions(parameters, { parallelRequests: 1 });

/** The operations that send one message per item, one request at a time, some of them with two messages. */
export const ONE_BY_ONE: Array<[string, INodeParameters]> = [
  ['Send', oneByOne(SEND)],
  ['Send Bulk', oneByOne(inBatchesOf(2, SEND_BULK))],
];
