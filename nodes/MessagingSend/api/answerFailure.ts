import { type Details, type Failure, failure, type FailureCode } from '../failures/failure';
import { type Answer, codeIn, hasMessageId, isSuccess } from './answer';
import { type Complaint, readComplaints } from './complaints';
import { REQUESTS_PER_MINUTE } from './endpoints';
import { isNumber, type JsonRecord } from './records';
import { serviceText, serviceTexts } from './serviceText';

/** Why an answer leaves open what became of its messages. */
export function uncertainFailure({ statusCode: status, envelope, error }: Answer): Failure {
  const details = { httpStatus: status, serviceSays: serviceTexts([error.message]) };
  if (isSuccess(status) && envelope?.success !== false) return failure('answerUnreadable', { status }, details);
  if (status < 500 && hasMessageId(envelope)) return failure('messageUnclear', undefined, details);
  if (envelope === null) return failure('gatewayError', { status }, { ...details, code: `HTTP_${status}` });
  return failure('serverError', { status }, { ...details, code: codeIn(error) ?? 'SERVER_ERROR' });
}

interface Rejection extends Answer {
  /** Of a redirect; empty where there is none. */
  readonly location: string;
  /** How long the service asks to wait, in milliseconds. */
  readonly retryAfter: number | null;
}

/** How many texts of a VALIDATION_ERROR are shown. */
const MAX_TEXTS = 6;

/** Why an answer rejects its request: by its `error.code` (part 7), or else by its status. */
export function rejectionFailure(answer: Rejection): Failure {
  const { statusCode, error } = answer;
  const code = codeOf(answer);
  const complaints = code === 'VALIDATION_ERROR' ? readComplaints(error).map(({ text }) => text) : [];
  const said = [...new Set([error.message, ...complaints])].slice(0, MAX_TEXTS);
  return explain(code, answer, { code, httpStatus: statusCode, serviceSays: serviceTexts(said) });
}

const CODE_BY_STATUS: Partial<Record<number, FailureCode>> = {
  401: 'INVALID_API_KEY',
  402: 'INSUFFICIENT_CREDITS',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'NOT_FOUND',
  422: 'VALIDATION_ERROR',
};

function codeOf({ statusCode, error }: Rejection): FailureCode {
  // Part 7 shows no code for it, so any code means the limit.
  if (statusCode === 429) return 'RATE_LIMITED';
  return codeIn(error) ?? CODE_BY_STATUS[statusCode] ?? (statusCode < 400 ? 'REDIRECTED' : `HTTP_${statusCode}`);
}

function explain(code: FailureCode, answer: Rejection, details: Details): Failure {
  const { statusCode: status, envelope, error, location, retryAfter } = answer;
  switch (code) {
    case 'MISSING_API_KEY':
      return failure('apiKeyMissing', undefined, details);
    case 'INVALID_API_KEY':
      return failure('apiKeyInvalid', undefined, details);
    case 'INSUFFICIENT_CREDITS':
      return explainCredits(error, details);
    case 'VALIDATION_ERROR':
      return failure('valueInvalid', undefined, details);
    case 'RATE_LIMITED':
      return rateLimited(retryAfter, details);
    case 'REDIRECTED':
      return explainRedirect(location, status, details);
    case 'NOT_FOUND':
      return failure('notFound', { status }, details);
    case 'FORBIDDEN':
      return failure('forbidden', { status }, details);
    default: {
      // 401, 402 and 403 mean the same with any code.
      const known = [401, 402, 403].includes(status) ? CODE_BY_STATUS[status] : undefined;
      if (known !== undefined) return explain(known, answer, details);
      // The service's own answer is about this request. A page may come from a firewall that blocks one text, or everything.
      const scope = envelope !== null || status === 400 || status === 413 ? 'request' : 'unclear';
      return failure('refusedWithStatus', { status }, { ...details, scope });
    }
  }
}

function explainCredits(
  { required_credits: required, available_credits: available }: JsonRecord,
  details: Details,
): Failure {
  return isNumber(required) && isNumber(available)
    ? failure('creditsTooLow', { required, available }, { ...details, credits: { required, available } })
    : failure('creditsTooLowUnknown', undefined, details);
}

/**
 * The failure of a request that is over the limit (API part 8).
 * @param retryAfter how long the service asks to wait, in milliseconds
 */
export function rateLimited(retryAfter: number | null, details: Details = {}): Failure {
  const wait = retryAfter === null ? 'a minute' : `${Math.ceil(retryAfter / 1000)} s`;
  return failure('rateLimited', { perMinute: REQUESTS_PER_MINUTE, wait }, details);
}

/** What a Location without a host is resolved against. */
const SAME_HOST = 'https://same.invalid';

/** Only the host of the new address is shown, because anything can be in the rest. */
function explainRedirect(location: string, status: number, details: Details): Failure {
  const isAddress = location !== '' && URL.canParse(location, SAME_HOST);
  const { protocol, origin } = new URL(isAddress ? location : 'none:', SAME_HOST);
  if (!/^https?:$/.test(protocol)) return failure('redirectedNowhere', { status }, details);
  return failure('redirected', { status, origin: origin === SAME_HOST ? '' : ` (${serviceText(origin)})` }, details);
}

const PART_NAMES: Partial<Record<string, string>> = { phone: 'the phone number', message: 'the text' };

/** The failure of one message in a rejected bulk request, from that of the request and the complaints about the message. */
export function messageFailure({ code, httpStatus, scope }: Failure, complaints: readonly Complaint[]): Failure {
  const parts = new Set(complaints.flatMap(({ field }) => PART_NAMES[field ?? ''] ?? []));
  const part = parts.size === 0 ? 'this message' : `${[...parts].join(' and ')} of this message`;
  const serviceSays = serviceTexts(complaints.map(({ text }) => text));
  return failure('messageInvalid', { part }, { code, httpStatus, scope, serviceSays });
}
