import { failure, type FixedFailureName } from '../failures/failure';
import { isRecord, type JsonRecord } from './records';
import { type Rejected, rejected, type Reply } from './reply';

/** Codes of causes that may be transient. */
const TRANSIENT =
  /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL|EMFILE|ENFILE|ENOBUFS|ENOMEM)$/;

/** Codes of a connection that was not made. An established one can break with them as well. */
const NO_CONNECTION = /^E(HOSTUNREACH|NETUNREACH|HOSTDOWN|NETDOWN|ADDRNOTAVAIL|CONNREFUSED)$/;

/** Messages of EPROTO that only a handshake has. With ERR_SSL_…, they can also come later. */
const HANDSHAKE =
  /wrong version number|http request|unsupported protocol|no protocols available|handshake failure|protocol version|unrecognized name|insufficient security|no application protocol|missing extension/;

/**
 * The reply to a request without a complete answer, from the error that n8n's HTTP helper threw. It is `rejected` only after
 * an error that can't occur once the request has left, else `uncertain`.
 */
export function networkReply(thrown: unknown): Reply {
  const { causes, isInFlight } = chain(thrown);
  const departure = departureOf(causes);
  const hasCode = (...codes: unknown[]) => causes.some(({ code }) => codes.includes(code));
  const timedOut = hasCode('ECONNABORTED', 'ETIMEDOUT');
  const stopped = hasCode('ERR_CANCELED');

  const why = causes.map((cause) => whyNotConnected(cause, isInFlight, departure)).find((name) => name !== null);
  if (why !== undefined) return notConnected(why, firstCode(causes) ?? 'UNREACHABLE');
  if (departure === 'waiting') {
    if (stopped) return rejected(failure('stopped'));
    return notConnected('notConnected', timedOut ? 'ETIMEDOUT' : (firstCode(causes) ?? 'ECONNRESET'));
  }
  return { kind: 'uncertain', failure: failure(timedOut ? 'timeout' : stopped ? 'stoppedInFlight' : 'connectionLost') };
}

function notConnected(name: FixedFailureName, code: string): Rejected {
  const details = { code: `UNREACHABLE_${code.slice(0, 48)}` as const };
  return rejected(failure(name, undefined, details), { retryable: TRANSIENT.test(code) });
}

function whyNotConnected(error: JsonRecord, isInFlight: boolean, departure: Departure): FixedFailureName | null {
  const code = typeof error.code === 'string' ? error.code : '';
  const message = typeof error.message === 'string' ? error.message : '';
  // With TLS 1.3 the request has left by then, but a server that ends the handshake with this has not read it.
  if (code === 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED') return 'notSecure';
  if (departure === 'left') return null;
  if (NO_CONNECTION.test(code)) return isInFlight ? null : 'notConnected';
  if (/^ERR_TLS_CERT_|^(?!ERR_).*CERT|SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY)/.test(code)) return 'notSecure';
  if (departure === 'waiting' && /^EPROTO$|^ERR_SSL_/.test(code)) return 'notSecure';
  if (HANDSHAKE.test(message) && (code === 'EPROTO' || departure === 'waiting')) return 'notSecure';
  if (message.includes('before secure TLS connection was established')) return 'notConnected';
  // Only the address and the header with the key vary.
  if (/^ERR_(INVALID_URL|UNESCAPED_CHARACTERS|INVALID_CHAR)$/.test(code)) return 'credentialInvalid';
  if (message.startsWith('Unsupported protocol')) return 'credentialInvalid';
  // n8n's own guards (the credential's allowed domains, blocked addresses) refuse before they connect.
  if (/^(UserError$|Ssrf)/.test(nameOf(error))) return 'notAllowed';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN' || error.syscall === 'getaddrinfo') return 'hostUnknown';
  if (error.syscall !== 'connect') return null;
  return code === 'EACCES' || code === 'EPERM' ? 'notAllowed' : 'notConnected';
}

/** `waiting`: no byte of the request has left. `left`: some may have. */
type Departure = 'waiting' | 'left' | 'unknown';

/**
 * Whether the request has left, from the last state of Node's request and socket. The error does not tell: a timeout, a
 * reset or a stop looks the same before and after.
 * - A request without a socket still has all its bytes: it waits for a proxy's connection, for example.
 * - A TLS socket holds them back until the handshake is complete and the certificate is verified.
 * - A plain socket counts in `_bytesDispatched` what it passed to the system. `bytesWritten` includes what still waits.
 */
function departureOf(causes: readonly JsonRecord[]): Departure {
  // axios adds Node's request to its errors.
  const request = causes.find((error) => error.isAxiosError === true && isRecord(error.request))?.request;
  if (!isRecord(request)) return 'unknown';
  const { socket, outputSize } = request;
  if (!isRecord(socket)) return socket === null && Number(outputSize) > 0 ? 'waiting' : 'unknown';
  if (socket.encrypted === true) {
    if (typeof socket.secureConnecting !== 'boolean') return 'unknown';
    return socket.secureConnecting ? 'waiting' : 'left';
  }
  if (typeof socket._bytesDispatched !== 'number') return 'unknown';
  return socket._bytesDispatched === 0 ? 'waiting' : 'left';
}

function firstCode(causes: JsonRecord[]): string | undefined {
  return causes.map(({ code }) => code).find((code) => typeof code === 'string');
}

const MAX_CAUSES = 6;

/** The error and its causes, outermost first: n8n wraps axios's error, which wraps Node's. */
function chain(thrown: unknown): { causes: JsonRecord[]; isInFlight: boolean } {
  const causes: JsonRecord[] = [];
  for (let error = thrown; isRecord(error) && causes.length < MAX_CAUSES; error = error.cause) causes.push(error);
  // If several addresses were tried, each has its own error.
  const last = causes.at(-1)?.errors;
  const attempts = Array.isArray(last) ? last.map((attempt) => (isRecord(attempt) ? attempt : {})) : [];
  if (attempts.some(({ syscall }) => syscall !== 'connect')) return { causes, isInFlight: true };
  causes.push(...attempts);
  return { causes, isInFlight: causes.some(({ syscall }) => syscall === 'read' || syscall === 'write') };
}

/** The name of the error's class, because `name` is "Error" unless the class sets it. */
function nameOf(error: JsonRecord): string {
  const { constructor: errorClass, name } = error;
  return typeof errorClass === 'function' ? errorClass.name : String(name);
}
