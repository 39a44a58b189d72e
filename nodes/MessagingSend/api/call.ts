import type { Endpoint } from './endpoints';
import type { JsonRecord } from './records';
import type { Reply } from './reply';

/** One request to the service. */
export interface ApiRequest {
  readonly endpoint: Endpoint;
  readonly body?: JsonRecord;
}

/** Makes one HTTP call and says what it came back with; never throws for what the service or the network does. */
export type Call = (request: ApiRequest) => Promise<Reply>;
