import type { Endpoint, FaultKind } from './faults';

/** One request to the API or to an unknown path. Never contains a key. */
export interface LoggedRequest {
  /** From 1, in order of arrival. */
  number: number;
  method: string;
  path: string;
  /** Null for a path or method that the API doesn't have. */
  endpoint: Endpoint | null;
  /** Label of the key; null without a valid one. */
  key: string | null;
  /** Null until answered; stays null if the connection was cut before a status line. */
  status: number | null;
  /** Messages in the body; 0 when it could not be read. */
  messages: number;
  sent: number;
  fault: FaultKind | null;
  /** ISO 8601, UTC. */
  started_at: string;
  /** From arrival to the start of the answer, or to the cut; null while in flight. */
  duration_ms: number | null;
}

export class RequestLog {
  private all: LoggedRequest[] = [];

  get total(): number {
    return this.all.length;
  }

  /** Adds a request on arrival. It is completed in place, because the list includes requests in flight. */
  open(method: string, path: string, started_at: string): LoggedRequest {
    const unknown = { endpoint: null, key: null, status: null, messages: 0, sent: 0, fault: null, duration_ms: null };
    const logged = { number: this.total + 1, method, path, ...unknown, started_at };
    this.all.push(logged);
    return logged;
  }

  /** All requests, oldest first. */
  list(): LoggedRequest[] {
    return this.all.map((logged) => ({ ...logged }));
  }

  clear(): void {
    this.all = [];
  }
}
