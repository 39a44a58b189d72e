import type { IHttpRequestOptions, INodeProperties } from 'n8n-workflow';

import { MAX_BATCH_SIZE } from '../../api/endpoints';
import { isNumber } from '../../api/records';
import { failure, FailureError } from '../../failures/failure';
import type { GivenOptions } from './options';

/** What the user set under "Request Options", which n8n adds to every declarative node. */
export interface RequestOptions {
  /** "Items per Batch", limited to 1 to 100; null where batching isn't set or is switched off (-1). */
  readonly batchSize: number | null;
  /** "Batch Interval", in milliseconds: the minimum time between the starts of two requests. */
  readonly interval: number;
  readonly http: Pick<IHttpRequestOptions, 'proxy' | 'skipSslCertificateValidation'> & {
    /** In milliseconds. */
    readonly timeout: number;
  };
}

/** In milliseconds, as long as n8n itself waits in a declarative node. */
const DEFAULT_TIMEOUT = 300_000;

const batching: INodeProperties = {
  displayName: 'Batching',
  name: 'batching',
  type: 'fixedCollection',
  placeholder: 'Add batching',
  default: { batch: {} },
  description: 'How many messages each request contains, and how much time passes between requests',
  options: [
    {
      displayName: 'Batching',
      name: 'batch',
      values: [
        {
          displayName: 'Items per Batch',
          name: 'batchSize',
          type: 'number',
          typeOptions: { minValue: -1, maxValue: MAX_BATCH_SIZE },
          default: MAX_BATCH_SIZE,
          description: `How many messages Send Bulk packs into one request, at most ${MAX_BATCH_SIZE}`,
        },
        {
          displayName: 'Batch Interval (Ms)',
          name: 'batchInterval',
          type: 'number',
          typeOptions: { minValue: 0 },
          default: 1000,
          description: 'Minimum time between the starts of two requests, in milliseconds',
        },
      ],
    },
  ],
};

/** n8n adds these automatically to nodes that are declarative and nothing else: neither to a trigger nor to a node that waits. */
function requestOptionsWith(...own: INodeProperties[]): INodeProperties {
  return {
    displayName: 'Request Options',
    name: 'requestOptions',
    type: 'collection',
    isNodeSetting: true,
    placeholder: 'Add option',
    default: {},
    options: [
      ...own,
      {
        displayName: 'Ignore SSL Issues (Insecure)',
        name: 'allowUnauthorizedCerts',
        type: 'boolean',
        noDataExpression: true,
        default: false,
        description: 'Whether to connect even if SSL certificate validation is not possible',
      },
      {
        displayName: 'Proxy',
        name: 'proxy',
        type: 'string',
        default: '',
        placeholder: 'e.g. http://proxy.example.com:3128',
        description:
          'HTTP proxy to use, with user name and password if it needs them: http://name:password@proxy.example.com:3128',
      },
      {
        displayName: 'Timeout (Milliseconds)',
        name: 'timeout',
        type: 'number',
        typeOptions: { minValue: 1 },
        // n8n's own default is 10000: whoever adds the option to wait longer would shorten the timeout.
        default: DEFAULT_TIMEOUT,
        description: 'How long to wait for the response of the service',
      },
    ],
  };
}

export const requestOptions = requestOptionsWith(batching);

/** For the trigger, which makes one request. */
export const requestOptionsOfTrigger = requestOptionsWith();

export function readRequestOptions(given: GivenOptions): RequestOptions {
  const number = (path: string, option: string) => given.get(path, option, null, (value) => numberIn(value, option));
  const positive = (path: string, option: string, fallback: number) => {
    const value = number(path, option);
    return value !== null && value > 0 ? value : fallback;
  };
  const proxy = given.get('proxy', 'Proxy', undefined, readProxy);
  const skipsSsl = given.get('allowUnauthorizedCerts', 'Ignore SSL Issues', false, (value) => value === true);
  return {
    batchSize: sizeOf(number('batching.batch.batchSize', 'Items per Batch')),
    interval: positive('batching.batch.batchInterval', 'Batch Interval', 0),
    http: {
      timeout: positive('timeout', 'Timeout', DEFAULT_TIMEOUT),
      ...(skipsSsl && { skipSslCertificateValidation: true }),
      ...(proxy !== undefined && { proxy }),
    },
  };
}

/** n8n's words: "-1 for disabled. 0 will be treated as 1." The service takes 100 at most (API part 8). */
function sizeOf(batchSize: number | null): number | null {
  if (batchSize === null || batchSize < 0) return null;
  return Math.min(MAX_BATCH_SIZE, Math.max(1, Math.floor(batchSize)));
}

function readProxy(value: unknown): IHttpRequestOptions['proxy'] {
  const address = typeof value === 'string' ? value.trim() : '';
  if (address === '') return undefined;
  const withProtocol = address.includes('://') ? address : `http://${address}`;
  if (!URL.canParse(withProtocol)) throw new FailureError(failure('proxyInvalid'));
  const url = new URL(withProtocol);
  if (!/^https?:$/.test(url.protocol)) throw new FailureError(failure('proxyProtocol'));
  const protocol = url.protocol.replace(':', '');
  return {
    host: url.hostname,
    port: url.port === '' ? (protocol === 'https' ? 443 : 80) : Number(url.port),
    protocol,
    ...(url.username !== '' && { auth: { username: encoded(url.username), password: encoded(url.password) } }),
  };
}

/**
 * A user name or password as n8n's agents decode it once more. A '%' that encodes nothing, which they would not accept,
 * is meant literally.
 */
function encoded(part: string): string {
  const meant = part.replace(/(%[\da-f]{2})+/gi, (sequence) => {
    try {
      return decodeURIComponent(sequence);
    } catch {
      return sequence;
    }
  });
  return encodeURIComponent(meant);
}

/** An expression may give a number as a text. */
function numberIn(value: unknown, option: string): number | null {
  if (typeof value !== 'string' || value.trim() === '') return isNumber(value) ? value : null;
  const number = Number(value);
  if (Number.isFinite(number)) return number;
  throw new FailureError(failure('optionNotNumber', { option, min: 0 }));
}
