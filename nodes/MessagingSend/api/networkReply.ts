import { failure } from '../failures/failure';
import { isObject, type JsonObject } from './objects';
import { type Accepted, rejected, type Reply } from './reply';

/** Codes of causes that may be transient. */
const TRANSIENT =
  /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL|EMFILE|ENFILE|ENOBUFS|ENOMEM)$/;

/**
 * The reply to a request without a complete answer, from the error that n8n's HTTP helper threw: `rejected` only if the
 * error can't occur once the request has left, else `uncertain`.
 * @param isTimeout whether the request was ended because its time was over
 */
export function networkReply(thrown: unknown, isTimeout = false): Exclude<Reply, Accepted> {
  const causes = chain(thrown);
  const departure = departureOf(causes);
  const codes = causes.map(({ code }) => code).filter((code) => typeof code === 'string');
  const timedOut = isTimeout || codes.some((code) => code === 'ECONNABORTED' || code === 'ETIMEDOUT');
  const stopped = !timedOut && codes.includes('ERR_CANCELED');

  const why = departure === 'left' ? undefined : causes.map((cause) => whyNotConnected(cause, departure)).find(Boolean);
  const lost = timedOut ? 'timeout' : stopped ? 'stoppedInFlight' : 'connectionLost';
  if (why === undefined && departure !== 'waiting') return { kind: 'uncertain', failure: failure(lost) };
  if (why === undefined && stopped) return rejected(failure('stopped'));
  const [first = why === undefined ? 'ECONNRESET' : 'UNREACHABLE'] = codes;
  const code = why === undefined && timedOut ? 'ETIMEDOUT' : first.slice(0, 48);
  const failed = failure(why ?? 'notConnected', undefined, { code: `UNREACHABLE_${code}` });
  return rejected(failed, { retryable: TRANSIENT.test(code) });
}

/** Why a request was not connected; undefined if the error can also come later. */
function whyNotConnected(error: JsonObject, departure: Departure) {
  const { syscall, constructor: errorClass } = error;
  const code = String(error.code);
  if (/^ERR_TLS_CERT_|^(?!ERR_).*CERT|SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY)/.test(code)) return 'notSecure';
  if (departure === 'waiting' && /^EPROTO$|^ERR_SSL_/.test(code)) return 'notSecure';
  // n8n's own guards (the credential's allowed domains, blocked addresses) refuse before they connect.
  if (typeof errorClass === 'function' && /^(UserError$|Ssrf)/.test(errorClass.name)) return 'notAllowed';
  if (syscall === 'getaddrinfo') return 'hostUnknown';
  if (syscall !== 'connect') return undefined;
  return code === 'EACCES' || code === 'EPERM' ? 'notAllowed' : 'notConnected';
}

/** `waiting`: no byte of the request has left. `left`: some may have. */
type Departure = 'waiting' | 'left' | 'unknown';

/**
 * Whether the request has left, from the last state of Node's request and socket. The error doesn't tell: a timeout, a
 * reset or a stop looks the same before and after.
 * - A request without a socket still has all its bytes: it waits for a proxy's connection, for example.
 * - A TLS socket holds them back until the handshake is complete and the certificate is verified.
 * - A plain socket counts what it passed to the system in `_bytesDispatched`; `bytesWritten` includes waiting bytes.
 */
function departureOf(causes: readonly JsonObject[]): Departure {
  // axios adds Node's request to its errors.
  const request = causes.find((error) => error.isAxiosError === true && isObject(error.request))?.request;
  if (!isObject(request)) return 'unknown';
  const { socket, outputSize } = request;
  if (!isObject(socket)) return socket === null && Number(outputSize) > 0 ? 'waiting' : 'unknown';
  if (socket.encrypted === true) {
    if (typeof socket.secureConnecting !== 'boolean') return 'unknown';
    return socket.secureConnecting ? 'waiting' : 'left';
  }
  if (typeof socket._bytesDispatched !== 'number') return 'unknown';
  return socket._bytesDispatched === 0 ? 'waiting' : 'left';
}

const MAX_CAUSES = 6;

/** The error and its causes, outermost first: n8n wraps axios's error, which wraps Node's. */
function chain(thrown: unknown): JsonObject[] {
  const causes: JsonObject[] = [];
  for (let error = thrown; isObject(error) && causes.length < MAX_CAUSES; error = error.cause) causes.push(error);
  // If several addresses were tried, each has its own error. One that was connected may have got the request.
  const errors: unknown = causes.at(-1)?.errors;
  const failed = Array.isArray(errors) ? errors.map((error) => (isObject(error) ? error : {})) : [];
  return failed.every(({ syscall }) => syscall === 'connect') ? [...causes, ...failed] : causes;
}
