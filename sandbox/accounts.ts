import { failure, Refusal } from './answers';
import { createLimiter, type Limiter } from './limiter';
import type { SandboxOptions } from './options';

/** What belongs to one API key: its balance and its request limit. */
export interface Account {
  /** `key 1`, `key 2`, …: shown in place of the key everywhere. */
  label: string;
  credits: number;
  /** Null for no limit. */
  limiter: Limiter | null;
}

export type Authentication = { kind: 'missing' } | { kind: 'invalid' } | { kind: 'valid'; account: Account };

/** The accounts of a sandbox, one per key. */
export class Accounts {
  readonly all: Account[];
  private readonly byKey: Map<string, Account>;

  constructor(private readonly options: SandboxOptions) {
    const entries = options.keys.map((key, index): [string, Account] => [
      key,
      { label: `key ${index + 1}`, credits: 0, limiter: null },
    ]);
    this.byKey = new Map(entries);
    this.all = [...this.byKey.values()];
    this.reset();
  }

  /** Credits and limits as at the start. */
  reset(): void {
    const { credits, limiter, limit, windowSeconds } = this.options;
    for (const account of this.all) {
      account.credits = credits;
      account.limiter = createLimiter(limiter, limit, windowSeconds * 1000);
    }
  }

  /** Reads `Authorization: Bearer <API_KEY>` (part 5); another scheme, or no key in it, is a missing key. */
  authenticate(authorization: string | undefined): Authentication {
    const key = /^Bearer +(\S.*)$/i.exec(authorization?.trim() ?? '')?.[1];
    if (key === undefined) return { kind: 'missing' };
    const account = this.byKey.get(key);
    return account === undefined ? { kind: 'invalid' } : { kind: 'valid', account };
  }

  /** The account with this label; throws a {@link Refusal} if there is none. */
  labelled(label: string): Account {
    const account = this.all.find((candidate) => candidate.label === label);
    if (account !== undefined) return account;
    throw new Refusal(failure(404, { code: 'NOT_FOUND', message: `No key is labelled ${label}` }));
  }

  /** Sets the balance of the account with this label, or of every account. */
  setCredits(credits: number, label?: string): void {
    for (const account of label === undefined ? this.all : [this.labelled(label)]) account.credits = credits;
  }
}
