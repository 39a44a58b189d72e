import { z } from 'zod/v4';

import { isObject } from '../tools/json';
import { DETAILS_SHAPES, type JsonValue } from './details';

export const ENDPOINTS = ['balance', 'send', 'bulk'] as const;
export type Endpoint = (typeof ENDPOINTS)[number];

export const BULK_ANSWER_SHAPES = [
  'missing',
  'doubled',
  'reordered',
  'other-status',
  'number-phones',
  'plus-phones',
  'no-phones',
] as const;

const httpStatus = z.int().min(200).max(599);
const count = z.int().min(0);
/** Any value, passed on unchanged: z.json() drops fields such as `__proto__`, which tests send on purpose. */
const json = z.custom<JsonValue>();

/** When a fault begins and ends. */
const timing = {
  /** How many requests it hits. Default 1; no limit if a parameter other than `on` and `after` is given. */
  times: z.int().min(1).optional(),
  /** How many of the requests that it could hit pass first; default 0. */
  after: count.optional(),
  /** Chance, from 0 to 1, that it hits a request. With 1 and no `times`, it hits every one. */
  probability: z.number().min(0).max(1).optional(),
  /** How long it lasts after its first hit. */
  seconds: z.number().positive().optional(),
};

/** Which requests a fault hits. */
const hitting = {
  ...timing,
  /** Default 'any' ('bulk' for `bulk-answer`). */
  on: z.enum([...ENDPOINTS, 'any']).optional(),
  /** It ends after this many requests for the balance since its first hit, whether it hits these or not. */
  balanceRequests: z.int().min(1).optional(),
  /** Only requests with a message to one of these numbers, or with this text in a message. */
  phones: z.array(z.string()).min(1).optional(),
  text: z.string().min(1).optional(),
};

/** Faults whose answer replaces the API's own. */
const replacing = {
  ...hitting,
  /** Default false: nothing is sent. True: the request is handled first, and its messages are sent and charged. */
  handled: z.boolean().optional(),
};

const statusFault = z.strictObject({
  kind: z.literal('status'),
  ...replacing,
  status: httpStatus,
  /** Default: the API's code for the status; null leaves it out. */
  code: z.string().nullable().optional(),
  message: z.string().optional(),
  /** Any JSON for `error.details`; takes precedence over `detailsShape`. */
  details: json.optional(),
  /** The shape of the details, which name `fields`. Without it, only a 422 has details. */
  detailsShape: z.enum(DETAILS_SHAPES).optional(),
  /** Dotted names of the invalid fields. Default: those that `phones` or `text` match, else the first phone. */
  fields: z.array(z.string()).optional(),
  /** More fields of `error`, such as `required_credits`. */
  error: z.custom<Record<string, JsonValue>>(isObject, 'must be an object').optional(),
  /** Number: seconds. `dateInSeconds`: an HTTP date that far from now. String: sent unchanged. Default: no header. */
  retryAfter: z
    .union([z.number(), z.string(), z.object({ dateInSeconds: z.number() })], {
      error: 'must be seconds, a string or {"dateInSeconds": seconds}',
    })
    .optional(),
});

/** An HTML page, as a gateway in front of the service returns it; default 502. */
const htmlFault = z.strictObject({ kind: z.literal('html'), ...replacing, status: httpStatus.optional() });

/** Exactly this text; `contentType` defaults to JSON, null leaves the header out. */
const bodyFault = z.strictObject({
  kind: z.literal('body'),
  ...replacing,
  status: httpStatus,
  body: z.string(),
  contentType: z.string().nullable().optional(),
});

/** Default status 307. */
const redirectFault = z.strictObject({
  kind: z.literal('redirect'),
  ...replacing,
  location: z.string(),
  status: z.literal([301, 302, 303, 307, 308]).optional(),
});

/** No answer: the connection stays open until the client closes it. */
const silenceFault = z.strictObject({ kind: z.literal('silence'), ...replacing });

/** Handled immediately; the answer comes `ms` later. */
const delayFault = z.strictObject({ kind: z.literal('delay'), ...hitting, ms: count });

/** Nothing is sent: the connection is reset before the body is read (with `phones` or `text`, after it is read). */
const resetBeforeFault = z.strictObject({ kind: z.literal('reset-before'), ...hitting });

/** The connection is reset after the first `sent` messages were sent and charged: by default half, rounded down. */
const resetDuringFault = z.strictObject({ kind: z.literal('reset-during'), ...hitting, sent: count.optional() });

/** Handled, then the connection is reset without an answer: everything is sent and charged. */
const resetAfterFault = z.strictObject({ kind: z.literal('reset-after'), ...hitting });

/** Handled; after half of the answer's body, whose full length its header announces, the connection is closed. */
const halfBodyFault = z.strictObject({ kind: z.literal('half-body'), ...hitting });

/** All messages are sent and charged; only the list of entries in the answer is changed. */
const bulkAnswerFault = z.strictObject({
  kind: z.literal('bulk-answer'),
  ...hitting,
  // The type stays that of the other kinds, so that tests can point any fault at an endpoint.
  on: hitting.on.refine((on) => on === undefined || on === 'bulk', 'must be bulk'),
  shape: z.enum(BULK_ANSWER_SHAPES),
  /** Which entries it changes. Default: for 'missing' and 'doubled' the first, else all. */
  indices: z.array(count).optional(),
  /** For 'other-status'; default `queued`. */
  status: z.string().optional(),
});

/** Accepted with a 201 that reports some messages as not sent; these are neither sent nor charged. */
const unsentFault = z.strictObject({
  kind: z.literal('unsent'),
  ...hitting,
  /** Which messages. Default: those that `phones` or `text` match, else the first. */
  indices: z.array(count).optional(),
  /** `status` and `error` of their entries, any JSON; null is written as null. Default: `failed`, no error. */
  status: json.optional(),
  error: json.optional(),
  /** Whether their entries have a `message_id`; default false. */
  messageId: z.boolean().optional(),
});

/** Hits connections, not requests: each is closed during its TLS handshake. Needs the sandbox's option `tls`. */
const tlsHangUpFault = z.strictObject({
  kind: z.literal('tls-hang-up'),
  ...timing,
  // As for `bulk-answer`.
  on: hitting.on.refine((on) => on === undefined || on === 'any', 'must be any'),
});

const KINDS = [
  statusFault,
  htmlFault,
  bodyFault,
  redirectFault,
  silenceFault,
  delayFault,
  resetBeforeFault,
  resetDuringFault,
  resetAfterFault,
  halfBodyFault,
  bulkAnswerFault,
  unsentFault,
  tlsHangUpFault,
] as const;

/** A fault as it comes in, from a flag, a test or the control API. A misspelled parameter is refused. */
export const FAULT = z.discriminatedUnion('kind', KINDS, {
  error: ({ input }) =>
    isObject(input) ? `must be one of ${KINDS.map(({ shape }) => shape.kind.value).join(', ')}` : 'must be an object',
});
export const FAULTS = z.array(FAULT);

export type Fault = z.infer<typeof FAULT>;
export type FaultKind = Fault['kind'];
export type StatusFault = z.infer<typeof statusFault>;
export type RetryAfter = NonNullable<StatusFault['retryAfter']>;
export type BulkAnswerFault = z.infer<typeof bulkAnswerFault>;
export type UnsentFault = z.infer<typeof unsentFault>;
/** A fault of a request, not of a connection. */
export type RequestFault = Exclude<Fault, TlsHangUpFault>;
export type TlsHangUpFault = z.infer<typeof tlsHangUpFault>;
/** A fault whose answer replaces the API's own. */
export type ReplacingFault =
  StatusFault | z.infer<typeof htmlFault> | z.infer<typeof bodyFault> | z.infer<typeof redirectFault>;
