import type { Endpoint, FaultKind } from './faults';

/** One request to the API, or to a path that does not exist. Never holds a key. */
export interface RequestRecord {
  /** From 1, in order of arrival. */
  number: number;
  method: string;
  /** Without the query. */
  path: string;
  /** Null for a path or method the API does not have. */
  endpoint: Endpoint | null;
  /** Label of the key, null when there was no valid one. */
  key: string | null;
  /** Null until answered, and for good when the connection was cut without a status line. */
  status: number | null;
  /** Messages in the body; 0 when it could not be read. */
  messages: number;
  /** Messages that really went out. */
  sent: number;
  /** The fault that hit it. */
  fault: FaultKind | null;
  /** ISO 8601, UTC. */
  started_at: string;
  /** From arrival to the start of the answer, or to the cut; null while under way. */
  duration_ms: number | null;
}

/** Keeping every request of a long run would cost more memory than the messages; older ones are dropped. */
const KEPT = 10_000;

/** The latest requests, and how many there were. */
export class RequestLog {
  private latest: RequestRecord[] = [];
  private count = 0;
  /** Requests that are over: answered or cut. */
  completed = 0;

  get total(): number {
    return this.count;
  }

  /** Opens a record at arrival, to be completed in place: a request under way is in the list too. */
  open(method: string, path: string, startedAt: string): RequestRecord {
    this.count += 1;
    const record: RequestRecord = {
      number: this.count,
      method,
      path,
      endpoint: null,
      key: null,
      status: null,
      messages: 0,
      sent: 0,
      fault: null,
      started_at: startedAt,
      duration_ms: null,
    };
    this.latest.push(record);
    if (this.latest.length >= 2 * KEPT) this.latest = this.latest.slice(-KEPT);
    return record;
  }

  /** The latest `limit` requests (at most 10,000), oldest first. */
  list(limit = KEPT): RequestRecord[] {
    return this.latest.slice(-Math.min(limit, KEPT)).map((record) => ({ ...record }));
  }

  clear(): void {
    this.latest = [];
    this.count = 0;
    this.completed = 0;
  }
}
