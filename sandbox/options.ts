import { z } from 'zod/v4';

import { FAULTS } from './faults';

const count = z.int().min(0);
const fn = (value: unknown) => typeof value === 'function';

export const OPTIONS = z.object({
  /** 0 takes any free port. */
  port: count.max(65535).default(0),
  host: z.string().default('127.0.0.1'),
  /** One or more API keys, each with its own balance and limit. */
  keys: z.array(z.string().min(1)).min(1).default(['sandbox-key']),
  /** The credits of each key at the start; a message costs 1. */
  credits: count.default(1000),
  /** Requests per window and key; 0 for no limit. */
  limit: count.default(60),
  windowSeconds: z.number().positive().default(60),
  /** How long every answer is delayed, in ms. */
  latencyMs: count.default(0),
  faults: FAULTS.default([]),
  /** PEM key and certificate: serve https. */
  tls: z.object({ key: z.string(), cert: z.string() }).nullable().default(null),
  /** The clock of limits and timestamps, in ms since 1970. */
  now: z.custom<() => number>(fn).default(() => Date.now),
  /** Called with each request that has a valid key and is within the limit, before it is handled. */
  onRequest: z.custom<() => void>(fn).default(() => () => undefined),
});

export type SandboxOptions = z.infer<typeof OPTIONS>;
