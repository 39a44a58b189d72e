import type { Endpoint } from './endpoints';
import type { JsonRecord } from './records';
import type { Reply } from './reply';

/** One request to the service. */
export interface ApiRequest {
  readonly endpoint: Endpoint;
  readonly body?: JsonRecord;
  /** In milliseconds; default is the user's 'Timeout'. */
  readonly timeout?: number;
}

/** How many messages a request has. */
export function messagesIn(body: JsonRecord | undefined): number {
  if (body === undefined) return 0;
  return Array.isArray(body.messages) ? body.messages.length : 1;
}

/** Makes one HTTP call. Never throws for what the service or the network does. */
export type Call = (request: ApiRequest) => Promise<Reply>;
