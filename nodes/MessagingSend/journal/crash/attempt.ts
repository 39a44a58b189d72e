import { createHash } from 'node:crypto';

import { type Batch, identityOf, mayHaveBeenSent, placeOf, type Row } from '../../messages/row';
import type { Facts } from '../list/facts';

/**
 * More pages tell more exactly which messages were in flight at a kill. 1,000 pages made a run of 1,000 messages a
 * fifth slower; 250 cost nothing measurable.
 */
const MAX_PAGES = 250;

/**
 * Divides all messages of a run, in the order of their places, into pages of equal size, and gives each its page.
 * Attempts with the same places and people have the same pages, no matter what is left to send, from which account, and
 * in which requests.
 * @param rows all that can be sent, in the order of their places
 */
export function pagesOf(rows: readonly Row[]): Pages {
  const size = Math.max(1, Math.ceil(rows.length / MAX_PAGES));
  const count = Math.ceil(rows.length / size);
  rows.forEach((row, index) => (row.page = Math.floor(index / size)));
  return Array.from({ length: count }, (_, page) => rows.slice(page * size, (page + 1) * size));
}

export type Pages = ReadonlyArray<readonly Row[]>;

/** Hashes of what the messages of an attempt are. @param pause called after each page */
export async function digestsOf(pages: Pages, pause: () => Promise<void>): Promise<Digests> {
  const [places, contents] = [createHash('sha256'), createHash('sha256')];
  for (const page of pages) {
    // No value contains a null character.
    places.update(page.map((row) => `${placeOf(row)} ${row.person}\0`).join(''));
    contents.update(page.map((row) => `${identityOf(row)}\0`).join(''));
    await pause();
  }
  return { places: places.digest('base64'), contents: contents.digest('base64') };
}

/** The name of the fact that an attempt has begun: one of its requests may have left. */
export function begunName(run: string, attempt: number): string {
  return `${run} attempt ${attempt}`;
}

/** The facts about an attempt at these messages. */
export interface AttemptFacts {
  readonly begun: string;
  /** The places and people of its messages. */
  readonly places: string;
  /** Their identities. */
  readonly contents: string;
  /** Replaces places and pages once every message is sent. */
  readonly allSent: string;
  readonly pages: readonly string[];
}

export type Digests = Pick<AttemptFacts, 'places' | 'contents'>;

export function attemptFacts(facts: Facts, run: string, attempt: number, pages: Pages, digests: Digests): AttemptFacts {
  const name = begunName(run, attempt);
  const [begun = '', places = '', contents = '', allSent = ''] = facts.of([
    name,
    `${name} of ${digests.places}`,
    `${name} with ${digests.contents}`,
    `${name} all of ${digests.places}`,
  ]);
  return { begun, places, contents, allSent, pages: pages.map((_page, index) => `${places} ${index}`) };
}

/** Consecutive messages, with their state in one attempt. */
interface Page {
  readonly fact: string;
  /**
   * `taken`: another process has begun or barred it. A promise: it is open, and its requests may leave once that
   * resolves to false, because the page isn't taken.
   */
  state: 'unopened' | 'noted' | 'taken' | Promise<boolean>;
  /** How many of its messages no earlier attempt has sent. */
  own: number;
  /** How many of those have ended as sent, and as not sent. */
  sent: number;
  unsent: number;
}

/**
 * One attempt at a run. It notes itself and its messages before its first request, opens the pages of each request
 * before the request leaves, and notes a page once all its messages are sent.
 */
export class Attempt {
  private readonly own: readonly Page[];
  private begun: Promise<boolean> | null = null;

  /**
   * @param toBar facts that earlier attempts have not begun, and must no longer begin
   * @param onBegun called once its requests may leave
   */
  constructor(
    private readonly facts: Facts,
    private readonly names: AttemptFacts,
    pages: Pages,
    private readonly toBar: readonly string[],
    private readonly onBegun: () => void,
  ) {
    this.own = pages.map((messages, page) => {
      return { fact: names.pages[page] ?? '', state: 'unopened', own: messages.length, sent: 0, unsent: 0 };
    });
  }

  /** An earlier attempt has sent this message. */
  wasSent(row: Row): void {
    for (const page of this.pagesWith([row])) page.own -= 1;
  }

  /**
   * Resolves once a re-run would know that these messages may have left.
   * @returns whether another process is making this attempt, or has barred it
   * @throws what the storage throws: then the messages must not leave
   */
  async begin(batch: Batch): Promise<boolean> {
    const pages = this.pagesWith(batch);
    const closed = pages.filter(({ state }) => state === 'unopened');
    if (closed.length > 0) {
      const opening = this.open(closed);
      for (const page of closed) page.state = opening;
      opening.catch(() => {
        for (const page of closed) page.state = 'unopened';
      });
    }
    const openings = new Set(pages.map(({ state }) => (state instanceof Promise ? state : state === 'taken')));
    const isTaken = (await Promise.all([this.begun, ...openings])).includes(true);
    // Their entries in the list belong to the other attempt, and must stay.
    if (isTaken) for (const page of pages) page.state = 'taken';
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
   * @param rows that have just been settled
   */
  settled(rows: readonly Row[]): void {
    for (const row of rows) {
      const page = this.own[row.page];
      if (page === undefined) continue;
      if (row.outcome?.kind === 'sent') page.sent += 1;
      else if (!mayHaveBeenSent(row.outcome)) page.unsent += 1;
      if (!(page.state instanceof Promise)) continue;
      if (page.sent === page.own) {
        page.state = 'noted';
        this.facts.close([page.fact]);
      } else if (page.unsent === page.own) {
        page.state = 'unopened';
        this.facts.retract([page.fact]);
      }
    }
  }

  /** Resolves once everything is stored that a re-run needs if n8n is killed before it stores the execution. */
  async finish(): Promise<void> {
    const { facts, names, own, toBar } = this;
    if (this.begun !== null && own.every((page) => page.sent === page.own)) {
      const noted = own.filter(({ state }) => state === 'noted').map(({ fact }) => fact);
      // The write of `allSent`, which replaces the pages, need not repeat them.
      facts.release(names.pages);
      const isBarred = await facts.record({ noted: [names.allSent] }, [names.allSent]).catch(() => true);
      // A Retry elsewhere that has barred `allSent` must still find that these pages were sent. Places are removed last:
      // without them, nothing counts as not begun, even if another process has overwritten `allSent` by now.
      if (!isBarred) facts.retract([...noted, names.places]);
    } else await facts.list.turns.last;
    facts.release([names.begun, names.places, names.contents, names.allSent, ...names.pages, ...toBar]);
  }

  private pagesWith(rows: readonly Row[]): Page[] {
    const pages = new Set<number>();
    for (const { page } of rows) pages.add(page);
    return [...pages].flatMap((page) => this.own[page] ?? []);
  }
}
