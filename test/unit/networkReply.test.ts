import { type JsonObject, NodeApiError, UserError } from 'n8n-workflow';

import { networkReply } from '../../nodes/MessagingSend/api/networkReply';
import type { Reply } from '../../nodes/MessagingSend/api/reply';
import { nodeOfType } from '../support/node';
import { ODD_VALUES } from './samples';

const NODE = nodeOfType('messagingSend');
const EPROTO = { code: 'EPROTO', syscall: 'write' };
const SSL = 'write EPROTO 0:error:';

interface NetworkError {
  readonly code?: string;
  readonly message?: string;
  readonly syscall?: string;
}

/** Cases of {@link NetworkError} with their names. */
function named(errors: NetworkError[]): Array<[name: string, error: NetworkError]> {
  return errors.map((error) => [[error.code, error.syscall, error.message].filter(Boolean).join(' '), error]);
}

/** What n8n's HTTP helper throws: its own error, caused by axios's, caused by Node's. */
function thrown({ code, message, syscall }: NetworkError, withCause = true): unknown {
  const cause = Object.assign(new Error(message ?? `${syscall} ${code}`), { code, syscall });
  const details = { code, isAxiosError: true, ...(withCause && { cause }) };
  const axiosError = Object.assign(new Error(message ?? cause.message), details);
  return Object.assign(new NodeApiError(NODE, axiosError as unknown as JsonObject), { cause: axiosError });
}

function summaryOf(reply: Reply): string {
  return reply.kind === 'accepted' ? 'accepted' : `${reply.kind} ${reply.failure.scope}`;
}

describe('A request that never reached the service', () => {
  test.each(
    named([
      { code: 'ECONNREFUSED', syscall: 'connect' },
      { code: 'ENOTFOUND', syscall: 'getaddrinfo' },
      { code: 'EAI_AGAIN', syscall: 'getaddrinfo' },
      { code: 'EHOSTUNREACH', syscall: 'connect' },
      { code: 'ENETUNREACH', syscall: 'connect' },
      { code: 'ENETDOWN', syscall: 'connect' },
      { code: 'EADDRNOTAVAIL', syscall: 'connect' },
      { code: 'ETIMEDOUT', syscall: 'connect' },
      { code: 'DEPTH_ZERO_SELF_SIGNED_CERT', message: 'self-signed certificate' },
      { code: 'SELF_SIGNED_CERT_IN_CHAIN', message: 'self-signed certificate in certificate chain' },
      { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', message: 'unable to verify the first certificate' },
      { code: 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', message: 'unable to get local issuer certificate' },
      { code: 'CERT_HAS_EXPIRED', message: 'certificate has expired' },
      { code: 'ERR_TLS_CERT_ALTNAME_INVALID', message: "Hostname/IP does not match certificate's altnames" },
      { ...EPROTO, message: `${SSL}0A00010B:SSL routines:ssl3_get_record:wrong version number:` },
      { ...EPROTO, message: `${SSL}0A000410:SSL routines:ssl3_read_bytes:sslv3 alert handshake failure:` },
      { ...EPROTO, message: `${SSL}0A00042E:SSL routines:ssl3_read_bytes:tlsv1 alert protocol version:` },
      { code: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', message: 'tlsv13 alert certificate required' },
      {
        code: 'ECONNRESET',
        message: 'Client network socket disconnected before secure TLS connection was established',
      },
      { code: 'ERR_INVALID_CHAR', message: 'Invalid character in header content ["Authorization"]' },
      { code: 'ERR_UNESCAPED_CHARACTERS', message: 'Request path contains unescaped characters' },
      { code: 'ERR_INVALID_URL', message: 'Invalid URL' },
      { code: 'ERR_BAD_REQUEST', message: 'Unsupported protocol ftp:' },
    ]),
  )('is rejected after %s', (_name, error) => {
    // Without its cause, nothing tells that a timeout was that of the connection.
    const causes = error.code === 'ETIMEDOUT' ? [true] : [true, false];
    for (const withCause of causes) expect(summaryOf(networkReply(thrown(error, withCause)))).toBe('rejected run');
  });

  test.each<[string, string, string, boolean]>([
    ['connect', 'EACCES', "n8n's machine does not allow a connection to the service", false],
    ['connect', 'EPERM', "n8n's machine does not allow a connection to the service", false],
    ['connect', 'EMFILE', "n8n's machine can't open more connections", true],
    ['connect', 'ENOBUFS', "n8n's machine can't open more connections", true],
    ['connect', 'EADDRNOTAVAIL', "n8n can't reach the service's host", true],
    ['connect', 'ECONNRESET', 'The connection was closed before the request could be sent', true],
    ['connect', 'ECONNREFUSED', 'The service refused the connection', true],
    ['connect', 'ETIMEDOUT', 'The connection to the service timed out before anything was sent', true],
    ['connect', 'EAFNOSUPPORT', "n8n can't reach the service's host", false],
    ['getaddrinfo', 'EAI_AGAIN', "The host name in the Base URL can't be resolved", true],
    ['getaddrinfo', 'EAI_FAIL', "The host name in the Base URL can't be resolved", false],
    ['getaddrinfo', 'ENODATA', "The host name in the Base URL can't be resolved", false],
    ['getaddrinfo', 'ENOTFOUND', 'The host in the Base URL does not exist', false],
  ])('because of %s %s is reported, and attempted again only if that may pass', (syscall, code, message, retryable) => {
    expect(networkReply(thrown({ code, syscall }))).toMatchObject({
      kind: 'rejected',
      failure: { code: `UNREACHABLE_${code}`, message, scope: 'run', sendAgain: 'safe' },
      retryable,
    });
  });

  test('because of ENOTFOUND is reported with the advice to check the Base URL', () => {
    expect(networkReply(thrown({ code: 'ENOTFOUND', syscall: 'getaddrinfo' }))).toMatchObject({
      failure: { httpStatus: null, advice: 'Check the Base URL for typos. Then try again.' },
      error: {},
    });
  });

  test('is rejected if n8n does not allow the address', () => {
    class SsrfBlockedIpError extends Error {}
    const nested = { name: 'NodeApiError', cause: new UserError('No') };
    const failure = { message: 'n8n does not allow a request to this address' };
    for (const error of [new UserError('Domain not allowed'), new SsrfBlockedIpError('Blocked'), nested]) {
      expect(networkReply(error)).toMatchObject({ kind: 'rejected', failure });
    }
  });

  test('is rejected if none of several addresses accepts the connection in time', () => {
    const attempt = Object.assign(new Error('connect ETIMEDOUT'), { code: 'ETIMEDOUT', syscall: 'connect' });
    const other = Object.assign(new Error('connect ENETUNREACH'), { code: 'ENETUNREACH', syscall: 'connect' });
    const cause = Object.assign(new AggregateError([attempt, other], ''), { code: 'ETIMEDOUT' });
    const axiosError = Object.assign(new Error(''), { code: 'ETIMEDOUT', isAxiosError: true, cause });
    expect(networkReply({ message: 'The connection timed out', cause: axiosError }).kind).toBe('rejected');
  });
});

describe("The state of Node's request tells", () => {
  const state = (request: unknown, code: string, message = 'x', syscall?: string) => {
    const axiosError = Object.assign(new Error(message), { code, syscall, isAxiosError: true, request });
    return networkReply(Object.assign(new Error('n8n'), { cause: axiosError }));
  };
  const PLAIN = { _bytesDispatched: 0 };
  const TLS = { encrypted: true, secureConnecting: true, _bytesDispatched: 300 };
  const waiting: Array<[string, unknown]> = [
    ['it has no socket yet', { socket: null, outputSize: 300 }],
    ['its socket has passed nothing on', { socket: PLAIN, outputSize: 0 }],
    ['its socket is in the TLS handshake', { socket: TLS, outputSize: 0 }],
  ];
  const gone: Array<[string, unknown]> = [
    ['its socket has passed bytes on', { socket: { _bytesDispatched: 1 } }],
    ['the TLS handshake is over', { socket: { ...TLS, secureConnecting: false } }],
    ['the TLS handshake is over, without bytes', { socket: { ...TLS, secureConnecting: false, _bytesDispatched: 0 } }],
  ];
  const unknown: Array<[string, unknown]> = [
    ['it has no socket and nothing to send', { socket: null, outputSize: 0 }],
    ['nothing is known of its socket', { socket: {} }],
    ['nothing is known of its TLS socket', { socket: { encrypted: true, _bytesDispatched: 0 } }],
    ['there is none', undefined],
    ['it is not an object', 'request'],
  ];

  test.each(waiting)('that nothing was sent, if %s', (_what, request) => {
    for (const [code, message, expected] of [
      ['ECONNABORTED', 'timeout of 400ms exceeded', { code: 'UNREACHABLE_ETIMEDOUT' }],
      ['ETIMEDOUT', 'timeout of 400ms exceeded', { code: 'UNREACHABLE_ETIMEDOUT' }],
      ['ECONNRESET', 'read ECONNRESET', { code: 'UNREACHABLE_ECONNRESET' }],
      ['ECONNRESET', 'socket hang up', { code: 'UNREACHABLE_ECONNRESET' }],
      ['ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR', 'x', { message: 'The service refused a secure connection' }],
    ] as const) {
      const failure = { ...expected, sendAgain: 'safe' };
      expect(state(request, code, message, 'read')).toMatchObject({ kind: 'rejected', failure });
    }
  });

  test.each(waiting)('that nothing was sent by the time the run was stopped, if %s', (_what, request) => {
    expect(state(request, 'ERR_CANCELED', 'canceled')).toMatchObject({
      kind: 'rejected',
      failure: { code: 'STOPPED', scope: 'run', sendAgain: 'safe' },
      retryable: false,
    });
  });

  test.each([...gone, ...unknown])('nothing for certain, if %s', (_what, request) => {
    for (const [code, message] of [
      ['ECONNABORTED', 'timeout of 400ms exceeded'],
      ['ECONNRESET', 'read ECONNRESET'],
      ['ECONNRESET', 'socket hang up'],
      ['ERR_CANCELED', 'canceled'],
      ['ERR_SSL_WRONG_VERSION_NUMBER', 'wrong version number'],
      ['ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE', 'alert bad certificate'],
      ['ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR', 'alert internal error'],
    ] as const) {
      expect(state(request, code, message, 'read').kind).toBe('uncertain');
    }
  });

  test.each(gone)('that the handshake is not what broke, if %s', (_what, request) => {
    for (const message of ['wrong version number', 'alert handshake failure', 'alert protocol version']) {
      expect(state(request, 'EPROTO', message, 'write').kind).toBe('uncertain');
    }
  });
});

describe('A request that may have reached the service', () => {
  test.each(
    named([
      { code: 'ECONNRESET', syscall: 'read' },
      { code: 'ECONNRESET', message: 'socket hang up' },
      { code: 'EPIPE', syscall: 'write' },
      { code: 'ECONNABORTED', message: 'timeout of 300000ms exceeded' },
      { code: 'ETIMEDOUT', syscall: 'read' },
      { code: 'ETIMEDOUT', message: 'timeout of 300000ms exceeded' },
      { code: 'ERR_BAD_RESPONSE', message: 'stream has been aborted' },
      { code: 'EPROTO', message: 'write EPROTO decryption failed or bad record mac' },
      { code: 'ERR_SSL_WRONG_VERSION_NUMBER', message: 'SSL routines:ssl3_get_record:wrong version number' },
      { code: 'ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE', message: 'sslv3 alert bad certificate' },
      { code: 'HPE_INVALID_CONSTANT', message: 'Parse Error: Expected HTTP/' },
      { code: 'SOMETHING_NEW', message: 'Nobody knows' },
      { message: 'No code at all' },
    ]),
  )('is uncertain after %s', (_name, error) =>
    expect(summaryOf(networkReply(thrown(error)))).toBe('uncertain request'),
  );

  const LATE = ['EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', 'EHOSTDOWN'];
  test.each(LATE)('is uncertain after %s while it waits for the answer', (code) => {
    for (const syscall of ['read', 'write']) expect(networkReply(thrown({ code, syscall })).kind).toBe('uncertain');
  });

  test('is uncertain if one of several addresses was connected', () => {
    for (const other of [{ code: 'ECONNRESET', syscall: 'read' }, { code: 'EPIPE' }, 'nothing']) {
      const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED', syscall: 'connect' });
      const cause = Object.assign(new AggregateError([refused, other], ''), { code: 'ECONNREFUSED' });
      expect(networkReply({ cause: { code: 'ECONNREFUSED', isAxiosError: true, cause } }).kind).toBe('uncertain');
    }
  });

  test('is reported as such after a timeout', () => {
    expect(networkReply(thrown({ code: 'ECONNABORTED', message: 'timeout of 10ms exceeded' }))).toMatchObject({
      failure: { code: 'TIMEOUT', httpStatus: null, message: 'The service did not answer in time' },
    });
  });

  test('ends the run if it was stopped', () => {
    expect(networkReply(thrown({ code: 'ERR_CANCELED', message: 'canceled' }))).toMatchObject({
      kind: 'uncertain',
      failure: { code: 'STOPPED', scope: 'run' },
    });
  });

  test.each([
    ...ODD_VALUES,
    ...['constructor', 'toString', '__proto__'].map((code): [string, unknown] => [`the code ${code}`, { code }]),
  ])('is uncertain after an error that is %s', (_name, value) => expect(networkReply(value).kind).toBe('uncertain'));

  test('is uncertain after an error that is its own cause', () => {
    const error: { cause?: unknown; message: string } = { message: 'round' };
    error.cause = error;
    expect(networkReply(error).kind).toBe('uncertain');
  });

  test('is reported without the text of the error', () => {
    const error = thrown({ code: 'ECONNRESET', message: 'Bearer test-key-0123456789 to 447700900123 <b>' });
    expect(JSON.stringify(networkReply(error))).not.toMatch(/test-key|4477|<b>/);
  });
});
