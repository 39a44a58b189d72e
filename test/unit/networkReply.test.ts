import { type JsonObject, NodeApiError, UserError } from 'n8n-workflow';

import { networkReply } from '../../nodes/MessagingSend/api/networkReply';
import type { Reply } from '../../nodes/MessagingSend/api/reply';
import { nodeOfType } from '../support/node';
import { ODD_VALUES } from './samples';

const NODE = nodeOfType('messagingSend');

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
  const axiosError = Object.assign(new Error(message ?? cause.message), {
    code,
    isAxiosError: true,
    ...(withCause && { cause }),
  });
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
      {
        code: 'EPROTO',
        syscall: 'write',
        message: 'write EPROTO 0:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:',
      },
      {
        code: 'EPROTO',
        syscall: 'write',
        message: 'write EPROTO 0:error:0A000410:SSL routines:ssl3_read_bytes:sslv3 alert handshake failure:',
      },
      {
        code: 'ERR_SSL_WRONG_VERSION_NUMBER',
        message: 'error:0A00010B:SSL routines:ssl3_get_record:wrong version number',
      },
      { code: 'ERR_INVALID_URL', message: 'Invalid URL' },
      { code: 'ERR_BAD_REQUEST', message: 'Unsupported protocol ftp:' },
    ]),
  )('is rejected after %s', (_name, error) => {
    // Without its cause, nothing tells that a timeout was that of the connection.
    const causes = error.code === 'ETIMEDOUT' ? [true] : [true, false];
    for (const withCause of causes) expect(summaryOf(networkReply(thrown(error, withCause)))).toBe('rejected run');
  });

  test('because of ENOTFOUND is reported with the advice to check the Base URL', () => {
    expect(networkReply(thrown({ code: 'ENOTFOUND', syscall: 'getaddrinfo' }))).toMatchObject({
      kind: 'rejected',
      failure: {
        code: 'UNREACHABLE_ENOTFOUND',
        httpStatus: null,
        message: 'The host in the Base URL does not exist',
        advice: 'Check the Base URL in the credential for typos. Then run this again.',
        scope: 'run',
      },
      error: {},
    });
  });

  test('is rejected if n8n does not allow the address', () => {
    class SsrfBlockedIpError extends Error {}
    for (const error of [
      new UserError('Domain not allowed'),
      new SsrfBlockedIpError('Blocked'),
      { name: 'NodeApiError', cause: new UserError('No') },
    ]) {
      expect(networkReply(error)).toMatchObject({
        kind: 'rejected',
        failure: { message: 'n8n does not allow a request to this address' },
      });
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
      { code: 'HPE_INVALID_CONSTANT', message: 'Parse Error: Expected HTTP/' },
      { code: 'SOMETHING_NEW', message: 'Nobody knows' },
      { message: 'No code at all' },
    ]),
  )('is uncertain after %s', (_name, error) =>
    expect(summaryOf(networkReply(thrown(error)))).toBe('uncertain request'),
  );

  test.each(['EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', 'EHOSTDOWN'])(
    'is uncertain after %s while it waits for the answer',
    (code) => {
      expect(networkReply(thrown({ code, syscall: 'read' })).kind).toBe('uncertain');
      expect(networkReply(thrown({ code, syscall: 'write' })).kind).toBe('uncertain');
    },
  );

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
    const reply = networkReply(
      thrown({ code: 'ECONNRESET', message: 'Bearer test-key-0123456789 to 447700900123 <b>' }),
    );
    expect(JSON.stringify(reply)).not.toMatch(/test-key|4477|<b>/);
  });
});
