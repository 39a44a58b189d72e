import type { Message } from '../../messages/message';
import { mayBeSent, type Result } from '../../messages/outcome';
import type { Pages } from '../identity';
import type { Facts } from '../list/facts';

/** The name of the fact that an attempt has begun: one of its requests may have left. */
export function begunName(run: string, attempt: number): string {
  return `${run} attempt ${attempt}`;
}

/** The facts about an attempt at these messages. */
export interface AttemptFacts {
  readonly begun: string;
  /** The places and phones of its messages. */
  readonly places: string;
  /** Their texts, or keys. */
  readonly contents: string;
  /** Replaces places and pages once every message is sent. */
  readonly allSent: string;
  readonly pages: readonly string[];
}

export function attemptFacts(facts: Facts, run: string, attempt: number, messages: Pages): AttemptFacts {
  const name = begunName(run, attempt);
  const [begun = '', places = '', contents = '', allSent = ''] = facts.of([
    name,
    `${name} of ${messages.places}`,
    `${name} with ${messages.contents}`,
    `${name} all of ${messages.places}`,
  ]);
  return {
    begun,
    places,
    contents,
    allSent,
    pages: messages.all.map((_page, index) => `${places} ${index}`),
  };
}

type PageState =
  /** `taken`: another process has begun or barred it. `retracted`: none of it was sent, or will be. */
  | { readonly kind: 'unopened' | 'retracted' | 'noted' | 'taken' }
  /** Its requests may leave once `opening` resolves to false: the page isn't taken. */
  | { readonly kind: 'open'; readonly opening: Promise<boolean> };

/** Consecutive messages, with their state in one attempt. */
interface Page {
  readonly fact: string;
  readonly messages: readonly Message[];
  state: PageState;
}

/** How a message ended: sent by an earlier attempt, sent by this one, or not sent. */
type Fate = 'before' | 'sent' | 'not_sent';

/**
 * One attempt at a run. It notes itself and its messages before its first request, opens the pages of each request
 * before the request leaves, and notes a page once all its messages are sent.
 */
export class Attempt {
  private readonly own: readonly Page[];
  private readonly fates = new Map<Message, Fate>();
  private begun: Promise<boolean> | null = null;

  /**
   * @param toBar facts that earlier attempts have not begun, and must no longer begin
   * @param onBegun called once its requests may leave
   */
  constructor(
    private readonly facts: Facts,
    private readonly names: AttemptFacts,
    private readonly pages: Pages,
    private readonly toBar: readonly string[],
    private readonly onBegun: () => void,
  ) {
    this.own = pages.all.map((messages, page) => {
      return { fact: names.pages[page] ?? '', messages, state: { kind: 'unopened' } };
    });
  }

  /** An earlier attempt has sent this message. */
  wasSent(message: Message): void {
    this.fates.set(message, 'before');
  }

  /**
   * Resolves once a re-run would know that these messages may have left.
   * @returns whether another process is making this attempt, or has barred it
   * @throws what the storage throws: then the messages must not leave
   */
  async begin(messages: readonly Message[]): Promise<boolean> {
    const pages = this.pagesWith(messages);
    const closed = pages.filter(({ state }) => state.kind === 'unopened');
    if (closed.length > 0) {
      const opening = this.open(closed);
      for (const page of closed) page.state = { kind: 'open', opening };
      opening.catch(() => {
        for (const page of closed) page.state = { kind: 'unopened' };
      });
    }
    const openings = new Set(
      pages.map(({ state }) => (state.kind === 'open' ? state.opening : state.kind === 'taken')),
    );
    const isTaken = (await Promise.all([this.begun, ...openings])).includes(true);
    // Their entries in the list belong to the other attempt, and must stay.
    if (isTaken) for (const page of pages) page.state = { kind: 'taken' };
    return isTaken;
  }

  private async open(pages: readonly Page[]): Promise<boolean> {
    if (this.begun === null) {
      const { begun, places, contents } = this.names;
      const facts = { noted: [begun, places, contents], barred: this.toBar };
      this.begun = this.facts.record(facts, [begun, ...this.toBar]).then((isTaken) => {
        if (!isTaken) this.onBegun();
        return isTaken;
      });
      this.begun.catch(() => (this.begun = null));
    }
    const facts = pages.map(({ fact }) => fact);
    return await this.facts.record({ open: facts }, facts);
  }

  /**
   * Notes pages whose messages are all sent, and retracts pages whose messages have all ended unsent. A message that
   * will be requested again has not ended, so its page stays open.
   */
  settle(results: readonly Result[]): void {
    for (const { message, outcome } of results) {
      if (outcome.kind === 'sent') this.fates.set(message, 'sent');
      else if (!mayBeSent(outcome)) this.fates.set(message, 'not_sent');
    }
    for (const page of this.pagesWith(results.map(({ message }) => message))) {
      if (page.state.kind !== 'open') continue;
      if (this.haveEnded(page, 'sent')) {
        page.state = { kind: 'noted' };
        this.facts.close([page.fact]);
      } else if (this.haveEnded(page, 'not_sent')) {
        page.state = { kind: 'retracted' };
        this.facts.retract([page.fact]);
      }
    }
  }

  /** Resolves once everything is stored that a re-run needs if n8n is killed before it stores the execution. */
  async end(): Promise<void> {
    const { facts, names, own, toBar } = this;
    if (this.begun !== null && own.every((page) => this.haveEnded(page, 'sent'))) {
      const noted = own.filter(({ state }) => state.kind === 'noted').map(({ fact }) => fact);
      // The write of `allSent`, which replaces the pages, need not repeat them.
      facts.release(names.pages);
      const isBarred = await facts.record({ noted: [names.allSent] }, [names.allSent]).catch(() => true);
      // A Retry elsewhere that has barred `allSent` must still find that these pages were sent. Places are removed last:
      // without them, nothing counts as not begun, even if another process has overwritten `allSent` by now.
      if (!isBarred) facts.retract([...noted, names.places]);
    } else await facts.list.turns.last;
    facts.release([names.begun, names.places, names.contents, names.allSent, ...names.pages, ...toBar]);
  }

  /** Whether every message of the page ended this way, apart from those that earlier attempts sent. */
  private haveEnded({ messages }: Page, how: Fate): boolean {
    return messages.every((message) => this.fates.get(message) === how || this.fates.get(message) === 'before');
  }

  private pagesWith(messages: readonly Message[]): Page[] {
    const pages = new Set(messages.map((message) => this.pages.pageOf.get(message)));
    return this.own.filter((_page, index) => pages.has(index));
  }
}
