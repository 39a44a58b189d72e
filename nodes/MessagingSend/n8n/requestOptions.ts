import type { IHttpRequestOptions } from 'n8n-workflow';

import { MAX_BATCH_SIZE } from '../api/endpoints';
import { isNumber, isRecord, type JsonRecord } from '../api/records';
import { failure } from '../failures/catalogue';
import { FailureError } from '../failures/failure';

/** What the user set under "Request Options", which n8n adds to every declarative node. */
export interface RequestOptions {
  /** "Items per Batch", limited to 1 to 100; null where batching isn't set or is switched off (-1). */
  readonly batchSize: number | null;
  /** "Batch Interval", in milliseconds: the least time between the starts of two requests. */
  readonly interval: number;
  readonly http: Pick<IHttpRequestOptions, 'proxy' | 'skipSslCertificateValidation'> & {
    /** In milliseconds. */
    readonly timeout: number;
  };
}

/** As long as n8n itself waits in a declarative node. */
const DEFAULT_TIMEOUT = 300_000;

/**
 * Reads the value of n8n's `requestOptions` parameter.
 * @throws FailureError if the proxy is not an address
 */
export function readRequestOptions(value: unknown): RequestOptions {
  const options = isRecord(value) ? value : {};
  const batching = isRecord(options.batching) && isRecord(options.batching.batch) ? options.batching.batch : {};
  const proxy = typeof options.proxy === 'string' ? options.proxy.trim() : '';
  return {
    batchSize: readBatchSize(batching),
    interval: positive(batching.batchInterval) ?? 0,
    http: {
      timeout: positive(options.timeout) ?? DEFAULT_TIMEOUT,
      ...(options.allowUnauthorizedCerts === true && { skipSslCertificateValidation: true }),
      ...(proxy !== '' && { proxy: readProxy(proxy) }),
    },
  };
}

/** n8n's words: "-1 for disabled. 0 will be treated as 1." The service takes 100 at most (API part 8). */
function readBatchSize({ batchSize }: JsonRecord): number | null {
  if (!isNumber(batchSize) || batchSize < 0) return null;
  return Math.min(MAX_BATCH_SIZE, Math.max(1, Math.floor(batchSize)));
}

function readProxy(address: string): NonNullable<IHttpRequestOptions['proxy']> {
  const withProtocol = address.includes('://') ? address : `http://${address}`;
  if (!URL.canParse(withProtocol)) throw new FailureError(failure('proxyInvalid'));
  const url = new URL(withProtocol);
  if (!/^https?:$/.test(url.protocol)) throw new FailureError(failure('proxyProtocol'));
  const protocol = url.protocol.replace(':', '');
  return {
    host: url.hostname,
    port: url.port === '' ? (protocol === 'https' ? 443 : 80) : Number(url.port),
    protocol,
    ...(url.username !== '' && {
      auth: { username: encoded(url.username), password: encoded(url.password) },
    }),
  };
}

/**
 * A user name or password as n8n's agents decode it once more. A '%' that encodes nothing, which they would not accept,
 * is meant as it stands.
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

function positive(value: unknown): number | null {
  return isNumber(value) && value > 0 ? value : null;
}
