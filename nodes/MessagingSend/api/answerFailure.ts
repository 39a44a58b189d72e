import { type Credits, type Details, type Failure, failure } from '../failures/failure';
import { type Answer, codeIn, saysSent } from './answer';
import { type Complaint, readComplaints } from './complaints';
import { isNumber } from './objects';
import { serviceText, serviceTexts } from './serviceText';

/** Why an answer leaves open what happened to its messages. */
export function uncertainFailure({ statusCode: status, isSuccess, envelope, error }: Answer): Failure {
  const details = { httpStatus: status, serviceSays: serviceTexts([error.message]) };
  if (isSuccess && envelope?.success !== false) return failure('answerUnreadable', { status }, details);
  if (status < 500 && saysSent(envelope)) return failure('messageUnclear', undefined, details);
  return failure('gatewayError', { status }, { ...details, code: codeIn(error) ?? `HTTP_${status}` });
}

/**
 * Why an answer rejects its request: by its `error.code` (part 7), or else by its status.
 * @param location of a redirect; empty if there is none
 * @param retryAfter how long the service asks to wait, in milliseconds
 */
export function rejectionFailure(answer: Answer, location: string, retryAfter: number | null): Failure {
  const { statusCode: status, error } = answer;
  // Part 7 has no code for the limit, so any code means it. These mean the same with any code.
  const code = status === 429 ? null : codeIn(error);
  const decides = code === null || [401, 402, 403, 404, 405].includes(status) ? status : code;
  const reason = REASONS[decides] ?? (status < 400 ? 'redirected' : 'refusedWithStatus');
  const complaints = readComplaints(error);
  // An address that nothing serves knows no `messages[N]`.
  const isAboutMessages = reason === 'notFound' && complaints.some(({ index }) => index !== null);
  const name = isAboutMessages ? 'valueInvalid' : reason;
  const told = name === 'valueInvalid' ? complaints.map(({ text }) => text) : [];
  const serviceSays = serviceTexts([error.message, ...told]);
  const details: Details = { httpStatus: status, serviceSays, ...(code !== null && { code }) };
  if (name === 'rateLimited') return rateLimited(retryAfter, details);
  // Only the host of the new address, because the rest can contain anything.
  const [host] = /^https?:\/\/[\w.:-]+(?=[/?#]|$)/i.exec(location) ?? [];
  const origin = host === undefined ? '' : ` (${serviceText(host)})`;
  const values = { status, origin, figures: '', part: 'a value of the request' };
  // Its figures and words concern one request: topping up by that much would not be enough for the rest.
  const { required_credits: required, available_credits: available } = error;
  if (name === 'creditsTooLow' && isNumber(required) && isNumber(available))
    return failure(name, values, { ...details, credits: { required, available }, serviceSays: '' });
  return failure(name, values, name === 'refusedWithStatus' ? { code: `HTTP_${status}`, ...details } : details);
}

type Reason = 'apiKeyInvalid' | 'creditsTooLow' | 'forbidden' | 'notFound' | 'rateLimited' | 'valueInvalid';

/** By a code, of part 7 or for what that has no code for, or by a status. */
const REASONS: Partial<Record<string, Reason>> = {
  MISSING_API_KEY: 'apiKeyInvalid',
  INVALID_API_KEY: 'apiKeyInvalid',
  INSUFFICIENT_CREDITS: 'creditsTooLow',
  VALIDATION_ERROR: 'valueInvalid',
  RATE_LIMITED: 'rateLimited',
  401: 'apiKeyInvalid',
  402: 'creditsTooLow',
  403: 'forbidden',
  404: 'notFound',
  405: 'notFound',
  422: 'valueInvalid',
  429: 'rateLimited',
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
