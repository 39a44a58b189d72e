/** The endpoints of the API and its limits (parts 4 and 8). */

export interface Endpoint {
  readonly method: 'GET' | 'POST';
  /** Appended to the Base URL. */
  readonly path: string;
}

// API 4.1, 4.2 and 4.3.
export const GET_BALANCE = { method: 'GET', path: '/user/balance' } as const satisfies Endpoint;
export const SEND_ONE = { method: 'POST', path: '/messages/send' } as const satisfies Endpoint;
export const SEND_MANY = { method: 'POST', path: '/messages/send-bulk' } as const satisfies Endpoint;

/** For each API key. */
export const REQUESTS_PER_MINUTE = 60;

export const MAX_BATCH_SIZE = 100;

/** The longest text of a single send, in Unicode code points. The API shows no limit for bulk requests. */
export const MAX_CHARACTERS = 1000;
