/** A request without a complete answer: nothing was sent as long as none of its bytes had left, and only then. */
import { type JsonObject, NodeApiError, UserError } from 'n8n-workflow';

import { networkReply } from '../../nodes/MessagingSend/api/networkReply';
import { nodeOfType, ODD_VALUES } from './samples';

const NODE = nodeOfType('messagingSend');
const NO_HOST = "The host in the Base URL can't be found";
const NO_CONNECTION = "n8n can't connect to the service";
const NOT_SECURE = "n8n can't make a secure connection to the service";
const NOT_ALLOWED = 'n8n, or the machine it runs on, does not allow a connection to the service';

/** The error of n8n's HTTP helper: its own, caused by axios's, caused by Node's. */
function thrown(code: string | undefined, text: string): unknown {
  const syscall = /^(connect|getaddrinfo|read|write)\b/.exec(text)?.[0];
  const cause = Object.assign(new Error(text), { code, syscall });
  const axiosError = Object.assign(new Error(text), { code, isAxiosError: true, cause });
  return Object.assign(new NodeApiError(NODE, axiosError as unknown as JsonObject), { cause: axiosError });
}

test.each<[code: string, text: string, message: string, retryable?: true]>([
  ['ENOTFOUND', 'getaddrinfo', NO_HOST],
  ['EAI_AGAIN', 'getaddrinfo', NO_HOST, true],
  ['ECONNREFUSED', 'connect', NO_CONNECTION, true],
  ['ETIMEDOUT', 'connect', NO_CONNECTION, true],
  ['EAFNOSUPPORT', 'connect', NO_CONNECTION],
  ['EACCES', 'connect', NOT_ALLOWED],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate', NOT_SECURE],
  ['ERR_TLS_CERT_ALTNAME_INVALID', "Hostname/IP does not match certificate's altnames", NOT_SECURE],
])('Nothing was sent after %s (%s), and only transient ones repeat', (...[code, text, message, retryable = false]) => {
  expect(networkReply(thrown(code, text))).toMatchObject({
    kind: 'rejected',
    failure: { code: `UNREACHABLE_${code}`, message, scope: 'run', outcome: 'not_sent', httpStatus: null },
    error: {},
    fromService: false,
    retryable,
  });
});

test('Nothing was sent if n8n does not allow the address', () => {
  class SsrfBlockedIpError extends Error {}
  const nested = { name: 'NodeApiError', cause: new UserError('No') };
  for (const error of [new UserError('Domain not allowed'), new SsrfBlockedIpError('Blocked'), nested])
    expect(networkReply(error)).toMatchObject({ kind: 'rejected', failure: { message: NOT_ALLOWED } });
});

test.each([
  ['none has the request if none accepts', { code: 'ENETUNREACH', syscall: 'connect' }, 'rejected'],
  ['one may have the request if it loses', { code: 'ECONNRESET', syscall: 'read' }, 'uncertain'],
  ['one may have the request if it breaks', { code: 'EPIPE' }, 'uncertain'],
  ['one may have the request if nobody knows of', 'nothing', 'uncertain'],
])('Of several addresses, %s the connection', (_what, other, kind) => {
  const code = 'ETIMEDOUT';
  const cause = Object.assign(new AggregateError([{ code, syscall: 'connect' }, other], ''), { code });
  expect(networkReply({ cause: Object.assign(new Error(''), { code, isAxiosError: true, cause }) }).kind).toBe(kind);
});

const TLS = { encrypted: true, secureConnecting: true, _bytesDispatched: 300 };

/** The reply to a request of Node's in this state, which ended with this code. */
const replyTo = (request: unknown, code: string, isTimeout = false) => {
  const cause = Object.assign(new Error('x'), { code, syscall: 'read', isAxiosError: true, request });
  return networkReply(Object.assign(new Error('n8n'), { cause }), isTimeout);
};

test.each(['EPROTO', 'ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR'])('A handshake that ends with %s is not secure', (code) => {
  expect(replyTo({ socket: TLS }, code)).toMatchObject({ kind: 'rejected', failure: { message: NOT_SECURE } });
});

/** What breaks in each way, in and after a handshake, is in `test/engine/unreached.test.ts`. */
test.each<[what: string, request: unknown, kind: 'rejected' | 'uncertain']>([
  ['it has no socket yet', { socket: null, outputSize: 300 }, 'rejected'],
  ['its socket has passed nothing on', { socket: { _bytesDispatched: 0 }, outputSize: 0 }, 'rejected'],
  ['its socket is in the TLS handshake', { socket: TLS, outputSize: 0 }, 'rejected'],
  ['its socket has passed bytes on', { socket: { _bytesDispatched: 1 } }, 'uncertain'],
  ['the TLS handshake is over', { socket: { ...TLS, secureConnecting: false } }, 'uncertain'],
  ['it has no socket and nothing to send', { socket: null, outputSize: 0 }, 'uncertain'],
  ['nothing is known of its socket', { socket: {} }, 'uncertain'],
  ['nothing is known of its TLS socket', { socket: { encrypted: true, _bytesDispatched: 0 } }, 'uncertain'],
  ['there is none', undefined, 'uncertain'],
])("By the state of Node's request, if %s, its messages are certain or not", (_what, request, kind) => {
  for (const code of ['ECONNRESET', 'ECONNABORTED', 'EPROTO', 'ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR', 'ERR_CANCELED'])
    expect([code, replyTo(request, code).kind]).toEqual([code, kind]);
  const timedOut = { code: kind === 'rejected' ? 'UNREACHABLE_ETIMEDOUT' : 'TIMEOUT' };
  for (const reply of [replyTo(request, 'ECONNABORTED'), replyTo(request, 'ERR_CANCELED', true)])
    expect(reply).toMatchObject({ kind, failure: timedOut });
});

test.each<[code: string | undefined, text: string, failure?: string]>([
  ['ECONNRESET', 'read ECONNRESET'],
  ['ECONNRESET', 'socket hang up'],
  ['EPIPE', 'write EPIPE'],
  ['ENETDOWN', 'write'],
  ['ETIMEDOUT', 'timeout of 300000ms exceeded', 'TIMEOUT'],
  ['EPROTO', 'write EPROTO decryption failed or bad record mac'],
  ['SOMETHING_NEW', 'Nobody knows'],
  [undefined, 'Bearer test-key-0123456789 to 447700900123 <b>'],
  ['ERR_CANCELED', 'canceled', 'STOPPED'],
])('The service may have the request after %s (%s)', (...[code, text, failure = 'CONNECTION_LOST']) => {
  const reply = networkReply(thrown(code, text));
  expect(reply).toMatchObject({ kind: 'uncertain', failure: { code: failure, scope: 'request', httpStatus: null } });
  expect(JSON.stringify(reply)).not.toMatch(/test-key|4477|<b>/);
});

const OWN_CAUSE: { cause?: unknown } = {};
OWN_CAUSE.cause = OWN_CAUSE;

test.each([...ODD_VALUES, ['its own cause', OWN_CAUSE] as const])(
  'The service may have the request after an error that is %s',
  (_name, value) => expect(networkReply(value).kind).toBe('uncertain'),
);
