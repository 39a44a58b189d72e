import type { Endpoint } from './faults';
import type { Message } from './validation';

export interface SentMessage extends Message {
  /** Consecutive, from 1001. */
  id: number;
  /** The label of the key that sent it, never the key itself. */
  key: string;
  endpoint: Endpoint;
  /** Number of the request that contained it; see `LoggedRequest.number`. */
  request: number;
  /** ISO 8601, UTC. */
  sent_at: string;
}

const FIRST_ID = 1001;

/** All sent messages, in order. */
export class MessageStore {
  readonly all: SentMessage[] = [];
  /** The phone that received the newest message is last. */
  readonly byPhone = new Map<string, SentMessage[]>();

  add({ phone, message }: Message, from: Pick<SentMessage, 'key' | 'endpoint' | 'request' | 'sent_at'>): SentMessage {
    const sent = { id: FIRST_ID + this.all.length, phone, message, ...from };
    this.all.push(sent);
    const conversation = this.byPhone.get(phone) ?? [];
    conversation.push(sent);
    this.byPhone.delete(phone);
    this.byPhone.set(phone, conversation);
    return sent;
  }

  /** At most `limit` conversations, the most recent first; `search` matches phones and newest texts. */
  conversations(search: string, limit: number) {
    const wanted = search.toLowerCase();
    return [...this.byPhone]
      .map(([phone, all]) => ({ phone, count: all.length, last: all.at(-1) }))
      .filter(({ phone, last }) => `${phone}\n${last?.message}`.toLowerCase().includes(wanted))
      .slice(-limit)
      .reverse();
  }
}
