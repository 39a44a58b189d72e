import type { FailureName } from '../failures/catalogue';
import { failure } from '../failures/failure';
import { isRecord, type JsonRecord } from './records';
import { type Rejected, rejected, type Reply } from './reply';

/** Causes that arise before a byte of the request has left, and take no values. */
type NotConnected = Extract<
  FailureName,
  | 'hostUnknown'
  | 'hostLookup'
  | 'connectionRefused'
  | 'connectionForbidden'
  | 'connectionClosed'
  | 'connectionsUsedUp'
  | 'hostUnreachable'
  | 'connectionTimeout'
  | 'urlInvalid'
  | 'headerInvalid'
  | 'certificateUntrusted'
  | 'tlsRefused'
  | 'notHttps'
  | 'blockedByN8n'
  | 'stopped'
>;

const BY_CODE: Partial<Record<string, NotConnected>> = {
  ENOTFOUND: 'hostUnknown',
  EAI_AGAIN: 'hostLookup',
  ECONNREFUSED: 'connectionRefused',
  EHOSTUNREACH: 'hostUnreachable',
  ENETUNREACH: 'hostUnreachable',
  EHOSTDOWN: 'hostUnreachable',
  ENETDOWN: 'hostUnreachable',
  EADDRNOTAVAIL: 'hostUnreachable',
  ERR_INVALID_URL: 'urlInvalid',
  ERR_UNESCAPED_CHARACTERS: 'urlInvalid',
  // Of all headers, only that of the key varies.
  ERR_INVALID_CHAR: 'headerInvalid',
};

/** Codes that mean what they say only while the connection is made. */
const BY_CODE_OF_CONNECT: Partial<Record<string, NotConnected>> = {
  ETIMEDOUT: 'connectionTimeout',
  EACCES: 'connectionForbidden',
  EPERM: 'connectionForbidden',
  EMFILE: 'connectionsUsedUp',
  ENFILE: 'connectionsUsedUp',
  ENOBUFS: 'connectionsUsedUp',
  ENOMEM: 'connectionsUsedUp',
  ECONNRESET: 'connectionClosed',
};

/** What may be different a moment later; a wrong name or certificate stays as it is. */
const TRANSIENT =
  /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL|EMFILE|ENFILE|ENOBUFS|ENOMEM)$/;

/** An established connection can break with the same codes as one that was never made. */
const ALSO_IN_FLIGHT = /^E(HOSTUNREACH|NETUNREACH|HOSTDOWN|NETDOWN|ADDRNOTAVAIL|CONNREFUSED)$/;

/** What TLS says only of a handshake. */
const HANDSHAKE =
  /unsupported protocol|no protocols available|handshake failure|protocol version|unrecognized name|insufficient security|no application protocol|missing extension/;

/**
 * The reply to a request that got no whole answer, read from the error that n8n's HTTP helper threw. Only an error that
 * can't arise once the request has left is `rejected`; all others are `uncertain`.
 */
export function networkReply(thrown: unknown): Reply {
  const { causes, isInFlight } = chain(thrown);
  const departure = departureOf(thrown);
  const hasCode = (...codes: unknown[]) => causes.some(({ code }) => codes.includes(code));
  const timedOut = hasCode('ECONNABORTED', 'ETIMEDOUT');
  const stopped = hasCode('ERR_CANCELED');

  const why = causes.map((cause) => whyNotConnected(cause, isInFlight, departure)).find((name) => name !== null);
  if (why !== undefined) return notConnected(why, firstCode(causes) ?? 'UNREACHABLE');
  if (departure === 'waiting') {
    if (stopped) return notConnected('stopped', null);
    return timedOut
      ? notConnected('connectionTimeout', 'ETIMEDOUT')
      : notConnected('connectionClosed', firstCode(causes) ?? 'ECONNRESET');
  }

  if (timedOut) return { kind: 'uncertain', failure: failure('timeout') };
  if (stopped) return { kind: 'uncertain', failure: failure('stoppedInFlight') };
  return { kind: 'uncertain', failure: failure('connectionLost') };
}

/** @param code of the network error; null where the failure has its own */
function notConnected(name: NotConnected, code: string | null): Rejected {
  if (code === null) return rejected(failure(name));
  const details = { code: `UNREACHABLE_${code.slice(0, 48)}` as const };
  return rejected(failure(name, undefined, details), { retryable: TRANSIENT.test(code) });
}

function whyNotConnected(error: JsonRecord, isInFlight: boolean, departure: Departure): NotConnected | null {
  const code = typeof error.code === 'string' ? error.code : '';
  const message = typeof error.message === 'string' ? error.message : '';
  // Only a server that ends the handshake says so: by TLS 1.3, the request is then on its way already, but unread.
  if (code === 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED') return 'tlsRefused';
  if (departure === 'left') return null;
  if (isInFlight && ALSO_IN_FLIGHT.test(code)) return null;
  if (/^ERR_TLS_CERT_|^(?!ERR_).*CERT|SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY)/.test(code))
    return 'certificateUntrusted';
  // With EPROTO, the request is still waiting for the handshake to end. The codes ERR_SSL_… come later as well.
  if (code === 'EPROTO' || departure === 'waiting') {
    if (/wrong version number|http request/.test(message)) return 'notHttps';
    if (HANDSHAKE.test(message) || (departure === 'waiting' && /^EPROTO$|^ERR_SSL_/.test(code))) return 'tlsRefused';
  }
  if (message.includes('before secure TLS connection was established')) return 'connectionClosed';
  if (message.startsWith('Unsupported protocol')) return 'urlInvalid';
  // n8n's own guards (the credential's allowed domains, blocked addresses) refuse before they connect.
  if (/^(UserError$|Ssrf)/.test(nameOf(error))) return 'blockedByN8n';
  if (Object.hasOwn(BY_CODE, code)) return BY_CODE[code] ?? null;
  if (error.syscall === 'getaddrinfo') return 'hostLookup';
  if (error.syscall !== 'connect') return null;
  return Object.hasOwn(BY_CODE_OF_CONNECT, code) ? (BY_CODE_OF_CONNECT[code] ?? null) : 'hostUnreachable';
}

/** `waiting`: not a byte of the request has left. `left`: some may have. `unknown`: nothing tells. */
type Departure = 'waiting' | 'left' | 'unknown';

/**
 * Whether the request has left, by the state in which Node's request and its socket were when they were given up. A
 * timeout, a reset or a stop looks the same before and after; these do not:
 * - a request without a socket still has all of its bytes (a proxy is asked for a connection first);
 * - a TLS socket holds them back until the handshake is complete and the certificate is verified;
 * - `_bytesDispatched` is what a plain socket has passed on to the system. `bytesWritten` would count what still waits.
 */
function departureOf(thrown: unknown): Departure {
  const request = requestOf(thrown);
  if (request === null) return 'unknown';
  const { socket, outputSize } = request;
  if (!isRecord(socket)) return socket === null && Number(outputSize) > 0 ? 'waiting' : 'unknown';
  if (socket.encrypted === true) {
    if (typeof socket.secureConnecting !== 'boolean') return 'unknown';
    return socket.secureConnecting ? 'waiting' : 'left';
  }
  if (typeof socket._bytesDispatched !== 'number') return 'unknown';
  return socket._bytesDispatched === 0 ? 'waiting' : 'left';
}

/** Node's request, which axios adds to its errors; null where the error has none. */
function requestOf(thrown: unknown): JsonRecord | null {
  let error = thrown;
  for (let depth = 0; isRecord(error) && depth < MAX_CAUSES; depth += 1) {
    if (error.isAxiosError === true && isRecord(error.request)) return error.request;
    error = error.cause;
  }
  return null;
}

function firstCode(causes: JsonRecord[]): string | undefined {
  return causes.map(({ code }) => code).find((code) => typeof code === 'string');
}

const MAX_CAUSES = 6;

/** The error and its causes, outermost first: n8n wraps axios's error, which wraps Node's. */
function chain(thrown: unknown): { causes: JsonRecord[]; isInFlight: boolean } {
  const causes: JsonRecord[] = [];
  for (let error = thrown; isRecord(error) && causes.length < MAX_CAUSES; error = error.cause) causes.push(error);
  // Where several addresses were tried, each has its own error.
  const last = causes.at(-1)?.errors;
  const attempts = Array.isArray(last) ? last.map((attempt) => (isRecord(attempt) ? attempt : {})) : [];
  if (attempts.some(({ syscall }) => syscall !== 'connect')) return { causes, isInFlight: true };
  causes.push(...attempts);
  return { causes, isInFlight: causes.some(({ syscall }) => syscall === 'read' || syscall === 'write') };
}

/** The name of the error's class: where a class sets no name, `name` is the inherited "Error". */
function nameOf(error: JsonRecord): string {
  const { constructor: errorClass, name } = error;
  return typeof errorClass === 'function' ? errorClass.name : String(name);
}
