import type { IHttpRequestOptions, INodeProperties } from 'n8n-workflow';

import { MAX_BATCH_SIZE } from '../../api/endpoints';
import { isNumber } from '../../api/records';
import { failure, FailureError } from '../../failures/failure';
import type { GivenOptions } from './options';

export interface RequestOptions {
  /** "Items per Batch", from 1 to 100. */
  readonly batchSize: number;
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
  displayOptions: { show: { '/operation': ['sendBulk'] } },
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
          description: 'How many messages to send in one request, at most',
        },
        {
          displayName: 'Batch Interval (Ms)',
          name: 'batchInterval',
          type: 'number',
          typeOptions: { minValue: 0 },
          default: 0,
          description: 'Minimum time between the starts of two requests, in milliseconds',
        },
      ],
    },
  ],
};

/** n8n adds such a field to nodes that are declarative and nothing else: neither to a trigger nor to a node that waits. */
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
          'HTTP proxy to use, with user name and password if needed: http://name:password@proxy.example.com:3128',
      },
      {
        displayName: 'Timeout (Milliseconds)',
        name: 'timeout',
        type: 'number',
        typeOptions: { minValue: 1 },
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
  /** An expression may give a number as a text. */
  const number = (path: string, option: string, fallback: number) =>
    given.get(path, option, fallback, (value) => {
      if (typeof value !== 'string' || value.trim() === '') return isNumber(value) ? value : fallback;
      if (Number.isFinite(Number(value))) return Number(value);
      throw new FailureError(failure('optionInvalid', { option, needed: 'a number' }));
    });
  const size = number('batching.batch.batchSize', 'Items per Batch', MAX_BATCH_SIZE);
  const timeout = number('timeout', 'Timeout', DEFAULT_TIMEOUT);
  const proxy = given.get('proxy', 'Proxy', undefined, readProxy);
  const skipsSsl = given.get('allowUnauthorizedCerts', 'Ignore SSL Issues', false, (value) => value === true);
  return {
    // n8n's words: "-1 for disabled. 0 will be treated as 1." The service takes 100 at most (API part 8).
    batchSize: size < 0 ? MAX_BATCH_SIZE : Math.min(MAX_BATCH_SIZE, Math.max(1, Math.floor(size))),
    interval: Math.max(0, number('batching.batch.batchInterval', 'Batch Interval', 0)),
    http: {
      timeout: timeout > 0 ? timeout : DEFAULT_TIMEOUT,
      ...(skipsSsl && { skipSslCertificateValidation: true }),
      ...(proxy !== undefined && { proxy }),
    },
  };
}

function readProxy(value: unknown): IHttpRequestOptions['proxy'] {
  const address = typeof value === 'string' ? value.trim() : '';
  if (address === '') return undefined;
  const withProtocol = address.includes('://') ? address : `http://${address}`;
  if (!/^https?:/i.test(withProtocol) || !URL.canParse(withProtocol)) {
    const needed = 'the address of an HTTP proxy, such as http://proxy.example.com:3128';
    throw new FailureError(failure('optionInvalid', { option: 'Proxy', needed }));
  }
  const url = new URL(withProtocol);
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
