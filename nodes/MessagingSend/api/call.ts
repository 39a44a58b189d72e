import type { Endpoint } from './endpoints';
import type { JsonRecord } from './records';
import type { Reply } from './reply';

/** One request to the service. */
export interface ApiRequest {
  readonly endpoint: Endpoint;
  readonly body?: JsonRecord;
  /** Where less than the user's 'Timeout' is enough, in milliseconds. */
  readonly timeout?: number;
}

/** How many messages the body of a request has; none if there is no body. */
export function messagesIn(body: JsonRecord | undefined): number {
  if (body === undefined) return 0;
  return Array.isArray(body.messages) ? body.messages.length : 1;
}

/** Makes one HTTP call and says what it came back with; never throws for what the service or the network does. */
export type Call = (request: ApiRequest) => Promise<Reply>;
