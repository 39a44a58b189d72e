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

/** What one phone received: its newest message and the number of messages. */
interface Conversation {
  phone: string;
  count: number;
  last: SentMessage;
}

const FIRST_ID = 1001;

/** All sent messages, in order. Lookups by ID and phone need no search, so hundreds of thousands are possible. */
export class MessageStore {
  private all: SentMessage[] = [];
  private readonly byPhone = new Map<string, SentMessage[]>();

  get total(): number {
    return this.all.length;
  }

  get phones(): number {
    return this.byPhone.size;
  }

  add({ phone, message }: Message, from: Pick<SentMessage, 'key' | 'endpoint' | 'request' | 'sent_at'>): SentMessage {
    const sent = { id: FIRST_ID + this.all.length, phone, message, ...from };
    this.all.push(sent);
    const conversation = this.byPhone.get(phone);
    if (conversation === undefined) this.byPhone.set(phone, [sent]);
    else conversation.push(sent);
    return sent;
  }

  list(): SentMessage[] {
    return [...this.all];
  }

  /** At most `limit` messages with an id above `after`, oldest first. */
  page(after: number, limit: number): SentMessage[] {
    const start = Math.max(0, after - FIRST_ID + 1);
    return this.all.slice(start, start + limit);
  }

  conversation(phone: string): readonly SentMessage[] {
    return this.byPhone.get(phone) ?? [];
  }

  /** At most `limit` conversations, the most recent first; `search` matches phones and newest texts. */
  conversations(search: string, limit: number): Conversation[] {
    const wanted = search.toLowerCase();
    const seen = new Set<string>();
    const found: Conversation[] = [];
    for (let index = this.all.length - 1; index >= 0 && found.length < limit; index -= 1) {
      const last = this.all[index];
      if (last === undefined || seen.has(last.phone)) continue;
      seen.add(last.phone);
      if (!`${last.phone}\n${last.message}`.toLowerCase().includes(wanted)) continue;
      found.push({ phone: last.phone, count: this.conversation(last.phone).length, last });
    }
    return found;
  }

  clear(): void {
    this.all = [];
    this.byPhone.clear();
  }
}
