import { type CodeGiven, type Details, type Failure, failure, type FailureCode } from '../failures/failure';
import { type Complaint, messageIndex, pathText, readComplaints } from './complaints';
import { REQUESTS_PER_MINUTE } from './endpoints';
import { isNumber, isRecord, type JsonRecord } from './records';
import { isRefusalCode, isServiceFailure } from './serviceFailure';
import { serviceText, serviceTexts } from './serviceText';

export interface FailedAnswer {
  readonly statusCode: number;
  /** Of a redirect; empty where there is none. */
  readonly location: string;
  /** The envelope's `error`, or an empty record. */
  readonly error: JsonRecord;
  /** `success: false` with a status of success. */
  readonly refused: boolean;
  /** The envelope; where there is none, the body as it came. */
  readonly body: unknown;
  /** How long the service asks to wait, in milliseconds. */
  readonly retryAfter: number | null;
}

/**
 * The failure of an HTTP answer, by its `error.code` (part 7) or else by its status. It is uncertain if the answer says
 * that the service failed, whatever the status.
 */
export function answerFailure(answer: FailedAnswer): Failure {
  const { statusCode, error } = answer;
  const code = codeOf(answer);
  const isAnswered = statusCode >= 300 && statusCode < 500 && !UNDECIDED.includes(statusCode);
  const isRejected = isAnswered || answer.refused;
  const details = {
    httpStatus: statusCode,
    serviceSays: serviceTexts([error.message, ...(code === 'VALIDATION_ERROR' ? complaintTexts(error) : [])]),
  };
  if (isRejected && saysServiceFailed(answer)) {
    return failure('serverError', { status: statusCode }, { ...details, code: codeGiven(error) ?? 'SERVER_ERROR' });
  }
  return explain(code, answer, { ...details, code, sendAgain: isRejected ? 'safe' : 'checkFirst' });
}

/** Never for a 429, which is the rate limit whatever its text (part 8), nor for a page, which comes from a firewall. */
function saysServiceFailed({ statusCode, error, body }: FailedAnswer): boolean {
  const isPage = typeof body === 'string' && /^\s*</.test(body);
  return statusCode !== 429 && !isPage && !isRefusalCode(codeGiven(error)) && isServiceFailure(body);
}

/** The failure of one message in a rejected bulk request, from that of the request and the complaints about the message. */
export function messageFailure({ code, httpStatus, scope }: Failure, complaints: readonly Complaint[]): Failure {
  const fields = [...new Set(complaints.flatMap(({ path }) => PART_NAMES.get(path.at(-1)) ?? []))];
  const part = fields.length === 0 ? 'this message' : `the ${fields.join(' and the ')} of this message`;
  const serviceSays = serviceTexts(complaints.map(({ text }) => text));
  return failure('messageInvalid', { part }, { code, httpStatus, scope, serviceSays });
}

const PART_NAMES: ReadonlyMap<unknown, string> = new Map([
  ['phone', 'phone number'],
  ['message', 'text'],
]);

/**
 * Statuses that leave open whether the request was handled. A 303 says where its result is. With 408 and 499, a gateway
 * stopped waiting, and may have passed the complete request on before.
 */
const UNDECIDED = [303, 408, 499];

const CODE_BY_STATUS: Partial<Record<number, FailureCode>> = {
  401: 'INVALID_API_KEY',
  402: 'INSUFFICIENT_CREDITS',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'NOT_FOUND',
  422: 'VALIDATION_ERROR',
  // Part 7 shows no code for it, so any code means the limit.
  429: 'RATE_LIMITED',
};

function codeOf({ statusCode, error, refused, body }: FailedAnswer): FailureCode {
  const succeeded = statusCode >= 200 && statusCode < 300;
  const given = codeGiven(error);
  if (statusCode === 429 && namesMessages(error)) return 'VALIDATION_ERROR';
  if (statusCode !== 429 && given !== null && (refused || !succeeded)) return given;
  if (refused) return 'REFUSED';
  if (succeeded) return 'UNREADABLE_ANSWER';
  if (statusCode >= 300 && statusCode < 400 && !UNDECIDED.includes(statusCode)) return 'REDIRECTED';
  if (statusCode >= 500 && isRecord(body)) return 'SERVER_ERROR';
  return CODE_BY_STATUS[statusCode] ?? `HTTP_${statusCode}`;
}

/** Whether a 429 names messages that exceed a limit (part 8), so that waiting does not help. */
function namesMessages(error: JsonRecord): boolean {
  return readComplaints(error).some((each) => messageIndex(each) !== null && PART_NAMES.has(each.path.at(-1)));
}

function codeGiven({ code }: JsonRecord): CodeGiven | null {
  if (typeof code !== 'string') return null;
  const written = code.slice(0, 100).toUpperCase();
  const name = written.replace(/[\s-]+/g, '_');
  return /^[A-Z][A-Z0-9_]{2,60}$/.test(name) ? (name as CodeGiven) : null;
}

function explain(code: FailureCode, answer: FailedAnswer, details: Details): Failure {
  const { statusCode: status, location, error, retryAfter } = answer;
  switch (code) {
    case 'MISSING_API_KEY':
      return failure('apiKeyMissing', undefined, details);
    case 'INVALID_API_KEY':
      return failure('apiKeyInvalid', undefined, details);
    case 'INSUFFICIENT_CREDITS':
      return explainCredits(error, details);
    case 'VALIDATION_ERROR':
      return explainValues(error, details);
    case 'RATE_LIMITED':
      return rateLimited(retryAfter, details);
    case 'SERVER_ERROR':
      return failure('serverError', { status }, details);
    case 'UNREADABLE_ANSWER':
      return failure('answerUnreadable', { status }, details);
    case 'REDIRECTED':
      return explainRedirect(location, status, details);
    case 'NOT_FOUND':
      return failure('notFound', { status }, details);
    case 'FORBIDDEN':
      return failure('forbidden', { status }, details);
    default:
      return explainStatus(answer, details);
  }
}

/** For an answer without a code that the API documents. */
function explainStatus(answer: FailedAnswer, details: Details): Failure {
  const { statusCode: status, refused, body } = answer;
  // 401, 402 and 403 mean the same with any code.
  const known = [401, 402, 403].includes(status) ? CODE_BY_STATUS[status] : undefined;
  if (known !== undefined) return explain(known, answer, details);
  if (details.sendAgain === 'checkFirst') return failure('gatewayError', { status }, details);
  if (refused) return failure('refused', undefined, details);
  // The service's own answer is about this request. A page may come from a firewall that blocks one text, or everything.
  const scope = isRecord(body) || status === 400 || status === 413 ? 'request' : 'unclear';
  return failure('refusedWithStatus', { status }, { ...details, scope });
}

function explainCredits(
  { required_credits: required, available_credits: available }: JsonRecord,
  details: Details,
): Failure {
  return isNumber(required) && isNumber(available)
    ? failure('creditsTooLow', { required, available }, { ...details, credits: { required, available } })
    : failure('creditsTooLowUnknown', undefined, details);
}

function explainValues(error: JsonRecord, details: Details): Failure {
  const fields = [...new Set(readComplaints(error).map(({ path }) => pathText(path)))].filter(isFieldName);
  if (fields.length === 0) return failure('valueInvalid', undefined, details);
  const more = fields.length > 5 ? ` and ${fields.length - 5} more` : '';
  return failure('fieldsInvalid', { fields: `${fields.slice(0, 5).join(', ')}${more}` }, details);
}

/** Names are shown; a phone number or a text in place of a name is not. */
function isFieldName(path: string): boolean {
  return /^[A-Za-z_][\w.-]{0,60}$/.test(path) && !/\d{5,}/.test(path);
}

function complaintTexts(error: JsonRecord): string[] {
  return readComplaints(error)
    .slice(0, 5)
    .map(({ path, text }) => [pathText(path), text].filter((part) => part !== '').join(': '));
}

/**
 * The failure of a request that is over the limit (API part 8).
 * @param retryAfter how long the service asks to wait, in milliseconds
 */
export function rateLimited(retryAfter: number | null, details: Details = {}): Failure {
  const wait = retryAfter === null ? 'a minute' : `${Math.ceil(retryAfter / 1000)} s`;
  return failure('rateLimited', { perMinute: REQUESTS_PER_MINUTE, wait }, details);
}

/** Only the host of the new address is shown, because anything can be in the rest. */
function explainRedirect(location: string, status: number, details: Details): Failure {
  if (location === '' || !URL.canParse(location, SAME_HOST)) return failure('redirectedNowhere', { status }, details);
  const { protocol, origin } = new URL(location, SAME_HOST);
  if (!/^https?:$/.test(protocol)) return failure('redirectedNowhere', { status }, details);
  return failure('redirected', { status, origin: origin === SAME_HOST ? '' : ` (${serviceText(origin)})` }, details);
}

/** What a Location without a host is resolved against. */
const SAME_HOST = 'https://same.invalid';
