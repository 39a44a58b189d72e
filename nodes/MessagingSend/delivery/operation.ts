import type { IDataObject } from 'n8n-workflow';

import type { JsonRecord } from '../api/records';
import type { Message } from '../messages/message';
import type { Outcome } from '../messages/outcome';
import { LONGEST_TEXT } from './compose';
import { entryOutcome, matchEntries } from './match';
import { LARGEST_BATCH } from './pack';

/** What sets one way of sending apart from the other; all else they share. */
export interface SendOperation {
  readonly path: string;
  readonly largestBatch: number;
  /** In code points; null where none is known. */
  readonly longestText: number | null;
  readonly body: (messages: readonly Message[]) => IDataObject;
  readonly outcomes: (messages: readonly Message[], data: JsonRecord) => Outcome[];
}

/** POST /messages/send (API 4.2): one message a request. */
export const SEND: SendOperation = {
  path: '/messages/send',
  largestBatch: 1,
  longestText: LONGEST_TEXT,
  body: ([message]) => (message === undefined ? {} : record(message)),
  outcomes: (_messages, data) => [entryOutcome(data)],
};

/** POST /messages/send-bulk (API 4.3): up to 100 messages a request. */
export const SEND_BULK: SendOperation = {
  path: '/messages/send-bulk',
  largestBatch: LARGEST_BATCH,
  longestText: null,
  body: (messages) => ({ messages: messages.map(record) }),
  outcomes: matchEntries,
};

function record({ phone, text }: Message): IDataObject {
  return { phone, message: text };
}
