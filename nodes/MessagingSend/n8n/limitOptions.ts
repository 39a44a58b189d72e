import type { INodeProperties } from 'n8n-workflow';

import { isRecord } from '../api/records';
import type { RequestLimits } from '../requests/requests';
import { readNumber } from './optionReaders';

/** The options that every operation and the trigger have: how long requests wait for the service's limit. */

export const longestWait: INodeProperties = {
  displayName: 'Longest Wait (Minutes)',
  name: 'longestWait',
  type: 'number',
  typeOptions: { minValue: 0 },
  default: 5,
  description:
    'How long a request waits when the service says that there are too many. After that, what is left is not sent.',
};

export const requestsPerMinute: INodeProperties = {
  displayName: 'Requests per Minute',
  name: 'requestsPerMinute',
  type: 'number',
  typeOptions: { minValue: 1 },
  default: 60,
  description:
    'How many requests the service allows this API key in a minute. Lower it if other programs use the same key.',
};

/**
 * Reads them from the collection `options` of a node.
 * @throws FailureError if a value can't be used; its message names the option
 */
export function readLimitOptions(options: unknown): Omit<RequestLimits, 'interval'> {
  const given = isRecord(options) ? options : {};
  return {
    maxWait: 60_000 * readNumber(given, longestWait),
    requestsPerMinute: Math.floor(readNumber(given, requestsPerMinute)),
  };
}
