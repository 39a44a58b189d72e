import { type Details, type Failure, failure, type FailureCode } from '../failures/failure';
import { type Answer, codeIn, hasMessageId, isSuccess } from './answer';
import { type Complaint, readComplaints } from './complaints';
import { REQUESTS_PER_MINUTE } from './endpoints';
import { isNumber } from './records';
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

const MAX_TEXTS = 6;

/** Why an answer rejects its request: by its `error.code` (part 7), or else by its status. */
export function rejectionFailure(answer: Rejection): Failure {
  const { statusCode: status, envelope, error } = answer;
  const byStatus = CODE_BY_STATUS[status] ?? (status < 400 ? 'REDIRECTED' : `HTTP_${status}`);
  // Part 7 shows no code for the limit, so any code means it.
  const code = status === 429 ? 'RATE_LIMITED' : (codeIn(error) ?? byStatus);
  const complaints = code === 'VALIDATION_ERROR' ? readComplaints(error).map(({ text }) => text) : [];
  const said = [...new Set([error.message, ...complaints])].slice(0, MAX_TEXTS);
  const details = { code, httpStatus: status, serviceSays: serviceTexts(said) };
  // 401, 402 and 403 mean the same with any code.
  const explain = EXPLAINED[code] ?? ([401, 402, 403].includes(status) ? EXPLAINED[byStatus] : undefined);
  if (explain !== undefined) return explain(answer, details);
  // The service's own answer is about this request. A page may come from a firewall that blocks one text, or everything.
  const scope = envelope !== null || status === 400 || status === 413 ? 'request' : 'unclear';
  return failure('refusedWithStatus', { status }, { ...details, scope });
}

const CODE_BY_STATUS: Partial<Record<number, FailureCode>> = {
  401: 'INVALID_API_KEY',
  402: 'INSUFFICIENT_CREDITS',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'NOT_FOUND',
  422: 'VALIDATION_ERROR',
};

const EXPLAINED: Partial<Record<FailureCode, (answer: Rejection, details: Details) => Failure>> = {
  MISSING_API_KEY: (_, details) => failure('apiKeyMissing', undefined, details),
  INVALID_API_KEY: (_, details) => failure('apiKeyInvalid', undefined, details),
  INSUFFICIENT_CREDITS: explainCredits,
  VALIDATION_ERROR: (_, details) => failure('valueInvalid', undefined, details),
  RATE_LIMITED: ({ retryAfter }, details) => rateLimited(retryAfter, details),
  REDIRECTED: explainRedirect,
  NOT_FOUND: ({ statusCode: status }, details) => failure('notFound', { status }, details),
  FORBIDDEN: ({ statusCode: status }, details) => failure('forbidden', { status }, details),
};

function explainCredits({ error }: Rejection, details: Details): Failure {
  const { required_credits: required, available_credits: available } = error;
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
function explainRedirect({ location, statusCode: status }: Rejection, details: Details): Failure {
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
