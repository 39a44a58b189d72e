import { DETAILS_SHAPES, type DetailsShape } from './details';
import { checkFaults } from './faultCheck';
import type { Fault } from './faults';
import { LIMITER_KINDS, type LimiterKind } from './limiter';

export interface SandboxOptions {
  /** 0 takes any free port. */
  port: number;
  host: string;
  /** One or more API keys, each with its own balance and limit. */
  keys: string[];
  /** Credits of each key at the start; a message costs 1. */
  credits: number;
  userId: number;
  userName: string;
  /** Requests per window and key; 0 for no limit. */
  limit: number;
  windowSeconds: number;
  limiter: LimiterKind;
  /** Every answer comes this much later, in ms. */
  latencyMs: number;
  faults: Fault[];
  faultSeed: number;
  /** How a 422 names the offending fields. */
  detailsShape: DetailsShape;
  /** For over 100 messages or an overlong text: 422 as part 7 of the document reads, or 429 as part 8 does. */
  overLimitStatus: 422 | 429;
  /** Longest text in bulk, in code points; 0 for any length. */
  bulkMessageCharacters: number;
  /** Largest request body, in bytes. */
  bodyLimit: number;
  /** PEM key and certificate: serve https. */
  tls: { key: string; cert: string } | null;
  /** The clock of limits and timestamps, in ms since 1970. */
  now: () => number;
}

export const DEFAULTS: Readonly<SandboxOptions> = {
  port: 0,
  host: '127.0.0.1',
  keys: ['sandbox-key'],
  credits: 1000,
  userId: 4711,
  userName: 'Sandbox User',
  limit: 60,
  windowSeconds: 60,
  limiter: 'sliding',
  latencyMs: 0,
  faults: [],
  faultSeed: 1,
  detailsShape: 'field-message',
  overLimitStatus: 422,
  bulkMessageCharacters: 0,
  bodyLimit: 1024 * 1024,
  tls: null,
  now: Date.now,
};

/** The given options over the defaults; throws a TypeError that names the wrong one. */
export function completeOptions(given: Partial<SandboxOptions>): SandboxOptions {
  const stated = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const options: SandboxOptions = { ...DEFAULTS, ...stated };
  requireWhole('port', options.port, 0, 65535);
  requireWhole('credits', options.credits, 0);
  requireWhole('limit', options.limit, 0);
  requireWhole('latencyMs', options.latencyMs, 0);
  requireWhole('faultSeed', options.faultSeed, 0);
  requireWhole('bulkMessageCharacters', options.bulkMessageCharacters, 0);
  requireWhole('bodyLimit', options.bodyLimit, 1);
  demand(options.windowSeconds > 0, 'windowSeconds must be above 0');
  demand(LIMITER_KINDS.includes(options.limiter), `limiter must be one of ${LIMITER_KINDS.join(', ')}`);
  demand(DETAILS_SHAPES.includes(options.detailsShape), `detailsShape must be one of ${DETAILS_SHAPES.join(', ')}`);
  demand(options.keys.length > 0, 'keys must hold at least one key');
  demand(
    options.keys.every((key) => /^\S+$/.test(key)),
    'keys must not be empty or hold spaces',
  );
  demand(new Set(options.keys).size === options.keys.length, 'keys must differ from each other');
  checkFaults(options.faults);
  return options;
}

function requireWhole(name: string, value: number, minimum: number, maximum = Number.MAX_SAFE_INTEGER): void {
  const range = maximum === Number.MAX_SAFE_INTEGER ? `from ${minimum}` : `from ${minimum} to ${maximum}`;
  demand(Number.isInteger(value) && value >= minimum && value <= maximum, `${name} must be a whole number ${range}`);
}

function demand(holds: boolean, message: string): void {
  if (!holds) throw new TypeError(message);
}
