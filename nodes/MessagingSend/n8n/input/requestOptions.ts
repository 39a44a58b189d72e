import type { IHttpRequestOptions, INodeProperties } from 'n8n-workflow';

import { MAX_BATCH_SIZE } from '../../api/endpoints';
import { asText } from '../../api/objects';
import { failure, FailureError } from '../../failures/failure';
import {
  booleanField,
  booleanIn,
  type GivenOptions,
  maxWait,
  numberField,
  numberIn,
  optionsField,
  requestsPerMinute,
  textField,
} from './readOptions';

/** How requests are made: all times in milliseconds, the batch size from 1 to 100. */
export type RequestOptions = ReturnType<typeof readRequestOptions>;

const itemsPerBatch = numberField('Items per Batch', 'batchSize', {
  min: -1,
  max: MAX_BATCH_SIZE,
  default: MAX_BATCH_SIZE,
  description: 'How many messages to send in one request, at most',
});

const batchInterval = numberField('Batch Interval (Ms)', 'batchInterval', {
  min: 0,
  default: 0,
  description: 'Minimum time between the starts of two requests, in milliseconds',
});

const batching: INodeProperties = {
  displayName: 'Batching',
  name: 'batching',
  type: 'fixedCollection',
  placeholder: 'Add batching',
  default: { batch: {} },
  displayOptions: { show: { '/operation': ['sendBulk'] } },
  description: 'How many messages each request contains, and how much time passes between requests',
  options: [{ displayName: 'Batching', name: 'batch', values: [itemsPerBatch, batchInterval] }],
};

const ignoreSslIssues = booleanField('Ignore SSL Issues (Insecure)', 'allowUnauthorizedCerts', {
  default: false,
  description: 'Whether to connect even if SSL certificate validation is not possible',
});

const proxy = textField('Proxy', 'proxy', {
  placeholder: 'e.g. http://proxy.example.com:3128',
  description: 'HTTP proxy to use, with user name and password if needed: http://name:password@proxy.example.com:3128',
});

const timeout = numberField('Timeout (Milliseconds)', 'timeout', {
  min: 1,
  // As long as n8n itself waits in a declarative node.
  default: 300_000,
  description: 'How long to wait for the response of the service',
});

/** n8n adds such a field to nodes that are declarative and nothing else: neither to a trigger nor to a node that waits. */
export const requestOptions: INodeProperties = {
  ...optionsField([batching, ignoreSslIssues, proxy, timeout]),
  displayName: 'Request Options',
  name: 'requestOptions',
  isNodeSetting: true,
};

/** Reads the limits under Options, and Request Options. */
export function readRequestOptions(given: GivenOptions) {
  const limit = given.read(requestsPerMinute, numberIn, null);
  const [within, withinBatch] = ['requestOptions.', 'requestOptions.batching.batch.'];
  const size = given.read(itemsPerBatch, numberIn, itemsPerBatch.default, withinBatch);
  const address = given.read(proxy, proxyIn, undefined, within);
  return {
    limits: {
      maxWait: 60_000 * given.read(maxWait, numberIn, maxWait.default),
      requestsPerMinute: limit === null ? null : Math.floor(limit),
      interval: given.read(batchInterval, numberIn, batchInterval.default, withinBatch),
    },
    // n8n's words: "-1 for disabled. 0 will be treated as 1." The service takes 100 at most (API part 8).
    batchSize: size < 0 ? MAX_BATCH_SIZE : Math.min(MAX_BATCH_SIZE, Math.max(1, Math.floor(size))),
    http: {
      timeout: given.read(timeout, numberIn, timeout.default, within),
      ...(given.read(ignoreSslIssues, booleanIn, false, within) && { skipSslCertificateValidation: true }),
      ...(address !== undefined && { proxy: address }),
    },
  };
}

/** n8n's agents decode user name and password, which a URL has encoded. */
function proxyIn(value: unknown): IHttpRequestOptions['proxy'] {
  const address = asText(value).trim();
  if (address === '') return undefined;
  try {
    const url = new URL(address.includes('://') ? address : `http://${address}`);
    const { protocol, hostname, port, username, password } = url;
    const defaultPort = { 'http:': 80, 'https:': 443 }[protocol];
    decodeURIComponent(username + password);
    if (defaultPort !== undefined) {
      return {
        host: hostname,
        port: Number(port) || defaultPort,
        protocol: protocol.replace(':', ''),
        ...(username !== '' && { auth: { username, password } }),
      };
    }
  } catch {
    // It isn't an address.
  }
  const needed =
    'the address of an HTTP proxy, such as http://proxy.example.com:3128, with a percent sign in its password as %25';
  throw new FailureError(failure('optionInvalid', { option: 'Proxy', needed }));
}
