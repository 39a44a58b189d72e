import { z } from 'zod/v4';

import { check } from './check';
import { FAULTS } from './faults';
import type { LoggedRequest } from './requests';

const count = z.int().min(0);
const fn = (value: unknown) => typeof value === 'function';

/** The entry of the log is completed in place. */
type OnRequest = (request: LoggedRequest, messages: readonly unknown[]) => void;

const OPTIONS = z.object({
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
  /** Called with each request and the messages in its body, valid or not, before it is handled. */
  onRequest: z.custom<OnRequest>(fn).default(() => () => undefined),
});

export type SandboxOptions = z.infer<typeof OPTIONS>;

/** The given options, with defaults for the rest; throws an error that names each wrong one. */
export function completeOptions(given: Partial<SandboxOptions> = {}): SandboxOptions {
  return check(OPTIONS, given);
}
