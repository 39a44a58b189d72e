import type { CodeGiven, Failure, FailureCode } from '../failures/failure';
import { apiText } from './apiText';
import { type Complaint, pathText, readComplaints } from './complaints';
import type { JsonRecord } from './records';

/** A refused or unreadable HTTP answer, as far as a failure is told from it. */
interface FailedAnswer {
  readonly statusCode: number;
  readonly headers: JsonRecord;
  /** The envelope's `error`, or an empty record. */
  readonly error: JsonRecord;
  /** `success: false` in an answer whose status says success. */
  readonly refused: boolean;
  /** Whether the body was a JSON object at all. */
  readonly readable: boolean;
}

/** Left out where trying again could send twice. */
export const TRY_LATER = 'Try again later.';

type Explanation = Pick<Failure, 'message' | 'description' | 'scope'>;

/**
 * The failure that an HTTP answer stands for: by its `error.code` where it has one (part 7), else by
 * its status.
 */
export function failureOf(answer: FailedAnswer): Failure {
  const code = codeOf(answer);
  // 401, 402 and 403 concern the whole run, whatever their code.
  const byStatus = [401, 402, 403].includes(answer.statusCode) ? CODE_BY_STATUS[answer.statusCode] : undefined;
  const explain = BY_CODE[code] ?? BY_CODE[byStatus ?? ''] ?? explainStatus;
  const explanation = explain(answer);
  return {
    code,
    httpStatus: answer.statusCode,
    ...explanation,
    description: withServiceText(explanation.description, answer.error, code === 'VALIDATION_ERROR'),
  };
}

/**
 * The failure of one message of a bulk request that was refused whole, from the complaints about it.
 * @param failure that of the request
 */
export function messageFailure(failure: Failure, complaints: readonly Complaint[]): Failure {
  const names: Partial<Record<string, string>> = { phone: 'phone number', message: 'text' };
  const fields = [...new Set(complaints.flatMap(({ path }) => names[path.at(-1) ?? ''] ?? []))];
  const texts = [...new Set(complaints.map(({ text }) => apiText(text)))].filter((text) => text !== '');
  return {
    ...failure,
    message: `The service does not accept ${fields.length === 0 ? 'this message' : `the ${fields.join(' and the ')} of this message`}`,
    description: `Correct it and run this again.${saying(texts)}`,
  };
}

const BY_CODE: Partial<Record<string, (answer: FailedAnswer) => Explanation>> = {
  MISSING_API_KEY: () => ({
    message: 'The service got no API key',
    description: 'Open the credential and enter the API key from your account settings.',
    scope: 'run',
  }),
  INVALID_API_KEY: () => ({
    message: 'The API key is not valid',
    description:
      'Open the credential and enter the API key as it stands in your account settings. Each messaging instance has a key of its own.',
    scope: 'run',
  }),
  INSUFFICIENT_CREDITS: ({ error }) => ({
    message: creditsMessage(error),
    description: 'Top up the account, then run this again.',
    scope: 'run',
  }),
  VALIDATION_ERROR: ({ error }) => ({
    message: validationMessage(error),
    description: 'Correct the values, then run this again.',
    scope: 'request',
  }),
  RATE_LIMITED: ({ headers }) => ({
    message: 'The service takes no more requests for now: it allows 60 a minute for each API key',
    description: `${retryAfterText(headers)} Send Bulk sends up to 100 messages with one request. If other programs use the same key, lower the option Requests per Minute, or raise Longest Wait.`,
    scope: 'run',
  }),
  SERVER_ERROR: ({ statusCode }) => ({
    message: `The service failed while it handled the request (HTTP ${statusCode})`,
    description: TRY_LATER,
    scope: 'request',
  }),
  UNREADABLE_ANSWER: ({ statusCode }) => ({
    message: `The service answered with something that is not this API's (HTTP ${statusCode})`,
    description: 'Check the Base URL in the credential: it ends in /v1 or /api/v1.',
    scope: 'request',
  }),
  REDIRECTED: ({ statusCode, headers }) => ({
    message: `The address has moved (HTTP ${statusCode}), and a request that sends messages is not passed on`,
    description: `Enter the address it has moved to as the Base URL in the credential${originText(headers)}.`,
    scope: 'run',
  }),
  NOT_FOUND: ({ statusCode }) => ({
    message: `The service does not know this address (HTTP ${statusCode})`,
    description:
      'Check the Base URL in the credential: the standard address ends in /v1, the alternative one in /api/v1.',
    scope: 'run',
  }),
  FORBIDDEN: () => ({
    message: 'The service does not allow this API key to do that',
    description: 'Check in your account settings what this key may do.',
    scope: 'run',
  }),
};

const CODE_BY_STATUS: Partial<Record<number, FailureCode>> = {
  401: 'INVALID_API_KEY',
  402: 'INSUFFICIENT_CREDITS',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'NOT_FOUND',
  422: 'VALIDATION_ERROR',
  429: 'RATE_LIMITED',
};

function codeOf({ statusCode, error, refused, readable }: FailedAnswer): FailureCode {
  const succeeded = statusCode >= 200 && statusCode < 300;
  // Part 7 gives no code for 429, so whatever comes with it, it is the limit.
  if (statusCode === 429) return 'RATE_LIMITED';
  if (refused || !succeeded) {
    const code =
      typeof error.code === 'string'
        ? error.code
            .slice(0, 100)
            .toUpperCase()
            .replace(/[\s-]+/g, '_')
        : '';
    if (/^[A-Z][A-Z0-9_]{2,60}$/.test(code)) return code as CodeGiven;
  }
  if (refused) return 'REFUSED';
  if (succeeded) return 'UNREADABLE_ANSWER';
  if (statusCode >= 300 && statusCode < 400) return 'REDIRECTED';
  if (statusCode >= 500) return readable ? 'SERVER_ERROR' : `HTTP_${statusCode}`;
  return CODE_BY_STATUS[statusCode] ?? `HTTP_${statusCode}`;
}

function explainStatus({ statusCode, refused }: FailedAnswer): Explanation {
  if (statusCode >= 500) {
    return {
      message: `The service, or something on the way to it, failed to answer (HTTP ${statusCode})`,
      description: TRY_LATER,
      scope: 'request',
    };
  }
  return {
    message: refused ? 'The service refused the request' : `The service refused the request (HTTP ${statusCode})`,
    description: 'Nothing was sent with this request.',
    scope: 'request',
  };
}

function creditsMessage({ required_credits: required, available_credits: available }: JsonRecord): string {
  return isCount(required) && isCount(available)
    ? `Not enough credits: ${required} needed, ${available} available`
    : 'Not enough credits';
}

function validationMessage(error: JsonRecord): string {
  const fields = [...new Set(readComplaints(error).map(({ path }) => pathText(path)))].filter(isFieldName);
  if (fields.length === 0) return 'The service found a value that it does not accept';
  const named = fields.slice(0, 5).join(', ');
  return `The service does not accept the value of ${named}${fields.length > 5 ? ` and ${fields.length - 5} more` : ''}`;
}

/** A path of the service is shown as a name only if it is one: it could be a number or a text as well. */
function isFieldName(path: string): boolean {
  return /^[A-Za-z_][\w.-]{0,60}$/.test(path) && !/\d{5,}/.test(path);
}

function retryAfterText(headers: JsonRecord): string {
  const after = headers['retry-after'];
  const seconds = typeof after === 'string' || typeof after === 'number' ? Number(after) : NaN;
  return Number.isFinite(seconds) && seconds > 0 && seconds <= 86_400
    ? `Wait ${Math.ceil(seconds)} s, then run this again.`
    : 'Wait a minute, then run this again.';
}

function originText(headers: JsonRecord): string {
  if (typeof headers.location !== 'string' || !URL.canParse(headers.location)) return '';
  return ` (${apiText(new URL(headers.location).origin)})`;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** The description, then what the service itself said: its message and its complaints. */
function withServiceText(description: string, error: JsonRecord, showsComplaints: boolean): string {
  const complaints = (showsComplaints ? readComplaints(error) : [])
    .slice(0, 5)
    .map(({ path, text }) => [pathText(path), text].filter((part) => part !== '').join(': '));
  const texts = [error.message, ...complaints].map(apiText).filter((text) => text !== '');
  return description + saying([...new Set(texts)]);
}

export function saying(texts: readonly string[]): string {
  const said = texts.join('; ');
  return said === '' ? '' : ` The service says: ${said}${/[.!?…]$/.test(said) ? '' : '.'}`;
}
