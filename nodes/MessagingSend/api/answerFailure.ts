import { type Credits, type Details, type Failure, failure } from '../failures/failure';
import { type Answer, codeIn, isSuccess, saysSent } from './answer';
import { type Complaint, readComplaints } from './complaints';
import { isNumber } from './objects';
import { serviceText, serviceTexts } from './serviceText';

/** Why an answer leaves open what happened to its messages. */
export function uncertainFailure({ statusCode: status, envelope, error }: Answer): Failure {
  const details = { httpStatus: status, serviceSays: serviceTexts([error.message]) };
  if (isSuccess(status) && envelope?.success !== false) return failure('answerUnreadable', { status }, details);
  if (status < 500 && saysSent(envelope)) return failure('messageUnclear', undefined, details);
  return failure('gatewayError', { status }, { ...details, code: codeIn(error) ?? `HTTP_${status}` });
}

/**
 * Why an answer rejects its request: by its `error.code` (part 7), or else by its status.
 * @param location of a redirect; empty if there is none
 * @param retryAfter how long the service asks to wait, in milliseconds
 */
export function rejectionFailure(answer: Answer, location: string, retryAfter: number | null): Failure {
  const { statusCode: status, envelope, error } = answer;
  const byStatus = CODE_BY_STATUS[status] ?? (status < 400 ? 'REDIRECTED' : `HTTP_${status}`);
  // Part 7 has no code for the limit, so any code means it.
  const code = status === 429 ? 'RATE_LIMITED' : (codeIn(error) ?? byStatus);
  const complaints = code === 'VALIDATION_ERROR' ? readComplaints(error).map(({ text }) => text) : [];
  const details = { code, httpStatus: status, serviceSays: serviceTexts([error.message, ...complaints]) };
  // 401, 402 and 403 mean the same with any code.
  switch ([401, 402, 403].includes(status) ? byStatus : code) {
    case 'MISSING_API_KEY':
    case 'INVALID_API_KEY':
      return failure('apiKeyInvalid', undefined, details);
    case 'INSUFFICIENT_CREDITS': {
      // Its figures and words concern one request: topping up by that much would not be enough for the rest.
      const { required_credits: required, available_credits: available } = error;
      const credits =
        isNumber(required) && isNumber(available) ? { credits: { required, available }, serviceSays: '' } : {};
      return failure('creditsTooLow', { figures: '' }, { ...details, ...credits });
    }
    case 'VALIDATION_ERROR':
      return failure('valueInvalid', { part: 'a value of the request' }, details);
    case 'RATE_LIMITED':
      return rateLimited(retryAfter, details);
    case 'REDIRECTED': {
      // Only the host of the new address, because the rest can contain anything.
      const [host] = /^https?:\/\/[\w.:-]+(?=[/?#]|$)/i.exec(location) ?? [];
      const origin = host === undefined ? '' : ` (${serviceText(host)})`;
      return failure('redirected', { status, origin }, details);
    }
    case 'NOT_FOUND':
      return failure('notFound', { status }, details);
    case 'FORBIDDEN':
      return failure('forbidden', { status }, details);
    default: {
      // The service's own answer is about this request. A page may be a firewall's, which blocks one text or
      // everything.
      const scope = envelope !== null || status === 400 || status === 413 ? 'request' : 'unclear';
      return failure('refusedWithStatus', { status }, { ...details, scope });
    }
  }
}

const CODE_BY_STATUS: Partial<Record<number, string>> = {
  401: 'INVALID_API_KEY',
  402: 'INSUFFICIENT_CREDITS',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'NOT_FOUND',
  422: 'VALIDATION_ERROR',
};

/** The failure of a run whose credits don't suffice for all that is left of it. */
export function creditsTooLow({ required, available }: Credits, details: Details = {}): Failure {
  const figures = ` (${required} needed, ${available} left)`;
  return failure('creditsTooLow', { figures }, { credits: { required, available }, ...details });
}

/**
 * The failure of a request that is over the limit (API part 8).
 * @param retryAfter how long the service asks to wait, in milliseconds
 */
export function rateLimited(retryAfter: number | null, details: Details = {}): Failure {
  const wait = retryAfter === null ? 'a minute' : `${Math.ceil(retryAfter / 1000)} s`;
  return failure('rateLimited', { wait }, details);
}

/** The failure of one message in a rejected bulk request, from the request's and the complaints about the message. */
export function messageFailure({ code, httpStatus, scope }: Failure, complaints: readonly Complaint[]): Failure {
  const serviceSays = serviceTexts(complaints.map(({ text }) => text));
  return failure('valueInvalid', { part: 'this message' }, { code, httpStatus, scope, serviceSays });
}
