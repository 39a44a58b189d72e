import { seededRandom } from '../tools/random';
import type { DetailsShape, JsonValue } from './details';

export const ENDPOINTS = ['balance', 'send', 'bulk'] as const;
export type Endpoint = (typeof ENDPOINTS)[number];

/** Which requests a fault hits. */
export interface FaultTiming {
  /** Default 'any' ('bulk' for `bulk-answer`). */
  on?: Endpoint | 'any';
  /** How many requests it hits: default 1, or no bound when there is a `probability`. */
  times?: number;
  /** How many requests of `on` to let pass first; default 0. */
  after?: number;
  /** Chance from 0 to 1 that it hits a request; 1 with no `times` hits every request. */
  probability?: number;
}

/** Answers given in place of the API's own. */
export interface InPlace {
  /** Default false: nothing is sent. True: the request is handled first, and its messages are sent and charged. */
  handled?: boolean;
}

/** Number: seconds. `dateInSeconds`: an HTTP date that far from now. String: as it is, however absurd. */
export type RetryAfter = number | string | { dateInSeconds: number };

export type StatusFault = InPlace & {
  kind: 'status';
  status: number;
  /** Default: the code of the status; null leaves it out. */
  code?: string | null;
  message?: string;
  /** Any JSON for `error.details`; wins over `detailsShape`. */
  details?: JsonValue;
  /** For 422, the shape of the details about `fields`. */
  detailsShape?: DetailsShape;
  /** Dotted names of the offending fields; default `phone`, for bulk `messages.0.phone`. */
  fields?: string[];
  /** More fields of `error`, such as `required_credits`. */
  error?: Record<string, JsonValue>;
  /** Left out: no Retry-After header. */
  retryAfter?: RetryAfter;
};

/** An HTML page as a gateway in front of the service gives it; default 502. */
export type HtmlFault = InPlace & { kind: 'html'; status?: number };

/** Exactly this text; `contentType` defaults to JSON, null leaves the header out. */
export type BodyFault = InPlace & { kind: 'body'; status: number; body: string; contentType?: string | null };

/** Default status 307. */
export type RedirectFault = InPlace & { kind: 'redirect'; location: string; status?: 301 | 302 | 303 | 307 | 308 };

/** Handled at once; the answer comes `ms` later. */
export type DelayFault = { kind: 'delay'; ms: number };

/** Connection reset before the body is read: nothing is sent. */
export type ResetBeforeFault = { kind: 'reset-before' };

/** Connection reset part way: the first `sent` messages are sent and charged, by default half, rounded down. */
export type ResetDuringFault = { kind: 'reset-during'; sent?: number };

/** Handled, then the connection is reset without an answer: everything is sent and charged. */
export type ResetAfterFault = { kind: 'reset-after' };

/** Handled; half of the answer's body under its full Content-Length, then the connection is closed. */
export type HalfBodyFault = { kind: 'half-body' };

export const BULK_ANSWER_SHAPES = [
  'missing',
  'doubled',
  'reordered',
  'other-status',
  'number-phones',
  'plus-phones',
  'no-phones',
] as const;
export type BulkAnswerShape = (typeof BULK_ANSWER_SHAPES)[number];

/** All messages are sent and charged; only the list of entries in the answer is changed. */
export type BulkAnswerFault = {
  kind: 'bulk-answer';
  shape: BulkAnswerShape;
  /** The entries it changes: default the first for 'missing' and 'doubled', else all. */
  indices?: number[];
  /** For 'other-status'; default `queued`. */
  status?: string;
};

export type ReplacingFault = StatusFault | HtmlFault | BodyFault | RedirectFault;

export type Fault = FaultTiming &
  (
    | ReplacingFault
    | DelayFault
    | ResetBeforeFault
    | ResetDuringFault
    | ResetAfterFault
    | HalfBodyFault
    | BulkAnswerFault
  );

export type FaultKind = Fault['kind'];

/** A fault, the requests of its endpoint since it was set, and how many of them it hit. */
export interface FaultProgress {
  fault: Fault;
  seen: number;
  hits: number;
}

/** Decides which request is hit by which fault: the first of the list that is due; the same for the same seed. */
export class FaultPlan {
  private entries: Array<FaultProgress & { random: () => number }> = [];

  constructor(private readonly seed: number) {}

  /** Replaces all faults; their counts and random numbers start again. */
  set(faults: Fault[]): void {
    this.entries = faults.map((fault, index) => ({
      fault,
      seen: 0,
      hits: 0,
      random: seededRandom(this.seed + index),
    }));
  }

  progress(): FaultProgress[] {
    return this.entries.map(({ fault, seen, hits }) => ({ fault, seen, hits }));
  }

  /**
   * The fault for the next request to `endpoint`. Every fault counts (and draws for) every request of its endpoint,
   * also one that another fault takes: which requests a fault can hit does not depend on the others.
   */
  pick(endpoint: Endpoint): Fault | null {
    let picked: Fault | null = null;
    for (const entry of this.entries) {
      const { fault } = entry;
      if (!concerns(fault, endpoint)) continue;
      entry.seen += 1;
      const drawn = fault.probability === undefined || entry.random() < fault.probability;
      const times = fault.times ?? (fault.probability === undefined ? 1 : Infinity);
      if (picked !== null || !drawn || entry.seen <= (fault.after ?? 0) || entry.hits >= times) continue;
      entry.hits += 1;
      picked = fault;
    }
    return picked;
  }
}

function concerns(fault: Fault, endpoint: Endpoint): boolean {
  if (fault.kind === 'bulk-answer') return endpoint === 'bulk';
  return fault.on === undefined || fault.on === 'any' || fault.on === endpoint;
}
