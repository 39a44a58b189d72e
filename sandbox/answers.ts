export type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue };

/** A complete HTTP answer before it is sent: a fault may still delay, cut or replace it. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** The `error` of a failure (2.4). The document's 429 has no `code`, and a fault can leave it out. */
export type ErrorObject = { message: string; code?: string } & Record<string, JsonValue | undefined>;

/** `{ success: true, data }` (2.4). */
export function success(status: number, data: JsonValue): Answer {
  return json(status, { success: true, data });
}

/** `{ success: false, error }` (2.4). */
export function failure(status: number, error: ErrorObject, headers: Record<string, string> = {}): Answer {
  return json(status, { success: false, error }, headers);
}

function json(status: number, body: object, headers: Record<string, string> = {}): Answer {
  const type = { 'content-type': 'application/json; charset=utf-8' };
  return { status, headers: { ...type, ...headers }, body: JSON.stringify(body) };
}

/** Codes by status: from part 7 of the document, or the sandbox's own if the document has none. */
export const ERROR_CODES: Readonly<Record<number, string>> = {
  400: 'BAD_REQUEST',
  401: 'INVALID_API_KEY',
  402: 'INSUFFICIENT_CREDITS',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  422: 'VALIDATION_ERROR',
  429: 'RATE_LIMIT_EXCEEDED',
  500: 'SERVER_ERROR',
};

/** The `error` of a 402; its `message` has both numbers, as in the document. */
export function insufficientCredits(required: number, available: number): ErrorObject {
  return {
    code: 'INSUFFICIENT_CREDITS',
    message: `Insufficient credits: ${required} needed, ${available} available`,
    required_credits: required,
    available_credits: available,
  };
}
