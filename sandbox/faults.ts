import { z } from 'zod/v4';

import type { JsonValue } from './answers';

/** What can go wrong; README.md explains each parameter and its default. */

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
const hitting = {
  on: z.enum([...ENDPOINTS, 'any']).optional(),
  times: z.int().min(1).optional(),
  after: count.optional(),
  probability: z.number().min(0).max(1).optional(),
  seconds: z.number().positive().optional(),
  balanceRequests: z.int().min(1).optional(),
  phones: z.array(z.string()).min(1).optional(),
  text: z.string().min(1).optional(),
};

function kind<Kind extends string, Shape extends z.ZodRawShape>(name: Kind, shape: Shape) {
  return z.strictObject({ kind: z.literal(name), ...hitting, ...shape });
}

/** For faults that replace the API's own answer. */
const handled = z.boolean().optional();

const KINDS = [
  kind('status', {
    handled,
    status: httpStatus,
    code: z.string().nullable().optional(),
    message: z.string().optional(),
    details: json.optional(),
    fields: z.array(z.string()).optional(),
    error: z.custom<Record<string, JsonValue>>((value) => Object(value) === value, 'must be an object').optional(),
    retryAfter: z.union([z.number(), z.string()], { error: 'must be seconds or a string' }).optional(),
  }),
  kind('html', { handled, status: httpStatus.optional() }),
  kind('body', { handled, status: httpStatus, body: z.string(), contentType: z.string().nullable().optional() }),
  kind('redirect', { handled, location: z.string(), status: z.literal([301, 302, 303, 307, 308]).optional() }),
  kind('silence', { handled }),
  kind('delay', { ms: count }),
  kind('reset-before', {}),
  kind('reset-during', { sent: count.optional() }),
  kind('reset-after', {}),
  kind('half-body', {}),
  kind('bulk-answer', {
    shape: z.enum(BULK_ANSWER_SHAPES),
    indices: z.array(count).optional(),
    status: z.string().optional(),
  }),
  kind('unsent', {
    indices: z.array(count).optional(),
    status: json.optional(),
    error: json.optional(),
    messageId: z.boolean().optional(),
  }),
] as const;

/** A fault as given by a flag, a test or the control API. A misspelled parameter is an error. */
export const FAULT = z.discriminatedUnion('kind', KINDS, {
  error: () => `must be an object of kind ${KINDS.map(({ shape }) => shape.kind.value).join(', ')}`,
});
export const FAULTS = z.array(FAULT);

export type Fault = z.infer<typeof FAULT>;
export type FaultKind = Fault['kind'];
export type FaultOf<Kind extends FaultKind> = Extract<Fault, { kind: Kind }>;
