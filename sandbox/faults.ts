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

/** Which requests a fault hits. */
const timing = {
  /** Default 'any' ('bulk' for `bulk-answer`). */
  on: z.enum([...ENDPOINTS, 'any']).optional(),
  /** How many requests it hits: default 1, or unlimited with a `probability`. */
  times: z.int().min(1).optional(),
  /** How many requests of `on` pass before it can hit one; default 0. */
  after: count.optional(),
  /** Chance from 0 to 1 that it hits a request; 1 without `times` hits every request. */
  probability: z.number().min(0).max(1).optional(),
};

/** Faults whose answer replaces the API's own. */
const replacing = {
  ...timing,
  /** Default false: nothing is sent. True: the request is handled first, and its messages are sent and charged. */
  handled: z.boolean().optional(),
};

const statusFault = z.strictObject({
  kind: z.literal('status'),
  ...replacing,
  status: httpStatus,
  /** Default: the code of the status; null leaves it out. */
  code: z.string().nullable().optional(),
  message: z.string().optional(),
  /** Any JSON for `error.details`; takes precedence over `detailsShape`. */
  details: json.optional(),
  /** The shape of the details about `fields`; a 422 has them by default. */
  detailsShape: z.enum(DETAILS_SHAPES).optional(),
  /** Dotted names of the invalid fields; default `phone`, for bulk `messages.0.phone`. */
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

/** Handled immediately; the answer comes `ms` later. */
const delayFault = z.strictObject({ kind: z.literal('delay'), ...timing, ms: count });

/** Connection reset before the body is read: nothing is sent. */
const resetBeforeFault = z.strictObject({ kind: z.literal('reset-before'), ...timing });

/** Connection reset part way: the first `sent` messages are sent and charged, by default half, rounded down. */
const resetDuringFault = z.strictObject({ kind: z.literal('reset-during'), ...timing, sent: count.optional() });

/** Handled, then the connection is reset without an answer: everything is sent and charged. */
const resetAfterFault = z.strictObject({ kind: z.literal('reset-after'), ...timing });

/** Handled; half of the answer's body under its full Content-Length, then the connection is closed. */
const halfBodyFault = z.strictObject({ kind: z.literal('half-body'), ...timing });

/** All messages are sent and charged; only the list of entries in the answer is changed. */
const bulkAnswerFault = z.strictObject({
  kind: z.literal('bulk-answer'),
  ...timing,
  // The type stays that of the other kinds, so that tests can point any fault at an endpoint.
  on: timing.on.refine((on) => on === undefined || on === 'bulk', 'must be bulk'),
  shape: z.enum(BULK_ANSWER_SHAPES),
  /** The entries that it changes: default the first for 'missing' and 'doubled', else all. */
  indices: z.array(count).optional(),
  /** For 'other-status'; default `queued`. */
  status: z.string().optional(),
});

const KINDS = [
  statusFault,
  htmlFault,
  bodyFault,
  redirectFault,
  delayFault,
  resetBeforeFault,
  resetDuringFault,
  resetAfterFault,
  halfBodyFault,
  bulkAnswerFault,
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
/** A fault whose answer replaces the API's own. */
export type ReplacingFault =
  StatusFault | z.infer<typeof htmlFault> | z.infer<typeof bodyFault> | z.infer<typeof redirectFault>;
