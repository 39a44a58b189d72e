import { failure, type FailureName } from '../failures/catalogue';
import { isRecord, type JsonRecord } from './records';
import type { Reply } from './reply';

/** Causes that arise before a byte of the request has left, and take no values. */
type Unreached = Extract<
  FailureName,
  | 'hostUnknown'
  | 'hostLookup'
  | 'connectionRefused'
  | 'hostUnreachable'
  | 'connectionTimeout'
  | 'urlInvalid'
  | 'certificateUntrusted'
  | 'notHttps'
  | 'blockedByN8n'
>;

const BY_CODE: Partial<Record<string, Unreached>> = {
  ENOTFOUND: 'hostUnknown',
  EAI_AGAIN: 'hostLookup',
  ECONNREFUSED: 'connectionRefused',
  EHOSTUNREACH: 'hostUnreachable',
  ENETUNREACH: 'hostUnreachable',
  EHOSTDOWN: 'hostUnreachable',
  ENETDOWN: 'hostUnreachable',
  EADDRNOTAVAIL: 'hostUnreachable',
  ERR_INVALID_URL: 'urlInvalid',
};

/** What may be different a moment later; a wrong name or certificate stays as it is. */
const TRANSIENT = /^(ECONNREFUSED|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN)$/;

/** An established connection can break with the same codes as one that was never made. */
const ALSO_IN_FLIGHT = /^E(HOSTUNREACH|NETUNREACH|HOSTDOWN|NETDOWN|ADDRNOTAVAIL|CONNREFUSED)$/;

/**
 * The reply to a request that got no whole answer, read from the error that n8n's HTTP helper threw. Only an error that
 * can't arise once the request has left is `rejected`; all others are `uncertain`.
 */
export function networkReply(thrown: unknown): Reply {
  const causes = chain(thrown);
  const inFlight = causes.some(({ syscall }) => syscall === 'read' || syscall === 'write');
  const unreached = causes.map((cause) => whyUnreached(cause, inFlight)).find((name) => name !== null);
  if (unreached !== undefined) return rejected(firstCode(causes) ?? 'UNREACHABLE', unreached);

  const hasCode = (...codes: unknown[]) => causes.some(({ code }) => codes.includes(code));
  if (hasCode('ECONNABORTED', 'ETIMEDOUT')) return { kind: 'uncertain', failure: failure('timeout') };
  if (hasCode('ERR_CANCELED')) return { kind: 'uncertain', failure: failure('stoppedInFlight') };
  return { kind: 'uncertain', failure: failure('connectionLost') };
}

function rejected(code: string, name: Unreached): Reply {
  return {
    kind: 'rejected',
    failure: failure(name, undefined, { code: `UNREACHABLE_${code.slice(0, 48)}` }),
    error: {},
    fromService: false,
    retryable: TRANSIENT.test(code),
    retryAfter: null,
  };
}

function whyUnreached(error: JsonRecord, inFlight: boolean): Unreached | null {
  const code = typeof error.code === 'string' ? error.code : '';
  const message = typeof error.message === 'string' ? error.message : '';
  if (inFlight && ALSO_IN_FLIGHT.test(code)) return null;
  if (/CERT|SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY)/.test(code)) return 'certificateUntrusted';
  const isHandshake = /wrong version number|unsupported protocol|handshake failure|no protocols available/.test(
    message,
  );
  if (isHandshake && code.startsWith('E')) return 'notHttps';
  if (code === 'ETIMEDOUT' && error.syscall === 'connect') return 'connectionTimeout';
  if (message.startsWith('Unsupported protocol')) return 'urlInvalid';
  // n8n's own guards (the credential's allowed domains, blocked addresses) refuse before they connect.
  if (error.name === 'UserError' || (typeof error.name === 'string' && error.name.startsWith('Ssrf')))
    return 'blockedByN8n';
  return Object.hasOwn(BY_CODE, code) ? (BY_CODE[code] ?? null) : null;
}

function firstCode(causes: JsonRecord[]): string | undefined {
  return causes.map(({ code }) => code).find((code) => typeof code === 'string');
}

/** The error and its causes, outermost first: n8n wraps axios's error, which wraps Node's. */
function chain(thrown: unknown): JsonRecord[] {
  const causes: JsonRecord[] = [];
  for (let error = thrown; isRecord(error) && causes.length < 6; error = error.cause) causes.push(link(error));
  // Where several addresses were tried, each has its own error.
  const last = causes.at(-1)?.errors;
  if (Array.isArray(last)) causes.push(...last.filter(isRecord).map(link));
  return causes;
}

function link(error: JsonRecord): JsonRecord {
  const { code, message, syscall, cause, errors } = error;
  return { code, message, syscall, name: nameOf(error), cause, errors };
}

/** The name of the error's class: where a class sets no name, `name` is the inherited "Error". */
function nameOf(error: JsonRecord): unknown {
  const constructor: unknown = error.constructor;
  return typeof constructor === 'function' ? constructor.name : error.name;
}
