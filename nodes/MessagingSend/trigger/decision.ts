import { isRecord } from '../api/records';

/** What the user wants to be told of. */
export interface LowBalanceSettings {
  /** Fewer credits than this are low. */
  readonly threshold: number;
  /** By how much the credits must rise above the threshold before a next fall is told; 0 or more. */
  readonly margin: number;
  /** How often a balance that stays low is told again, in milliseconds; null for never. */
  readonly remindEvery: number | null;
}

/** A balance as the service tells it (API 2.1). */
export interface Balance {
  readonly credits: number;
  /** `user_id`, to know another account by; null where the answer has none. */
  readonly owner: string | number | null;
}

/** What is kept from one poll to the next; plain data, because n8n stores it as JSON. */
export interface LowBalanceState {
  /** Whether the fall was told and is not over yet. */
  readonly low: boolean;
  readonly credits: number | null;
  /** The threshold of that poll. */
  readonly threshold: number | null;
  readonly owner: string | number | null;
  /** When it fired last for this fall, in milliseconds since 1970. */
  readonly firedAt: number | null;
}

export interface Decision {
  readonly fires: boolean;
  /** The credits at the poll before; null if there was none, or of another account. */
  readonly previousCredits: number | null;
  readonly next: LowBalanceState;
}

/** Polls come by the minute, but never to the millisecond: one that is a little early is not put off to the next. */
const EARLY = 30_000;

/**
 * Decides whether a poll fires. A fall is told once: after that, only when the credits have risen above
 * the threshold, and by the margin, or as a reminder.
 * @param before null at the first poll
 * @param now milliseconds since 1970
 */
export function decide(
  before: LowBalanceState | null,
  balance: Balance,
  settings: LowBalanceSettings,
  now: number,
): Decision {
  const known = before !== null && isSameOwner(before, balance) ? before : null;
  const { credits, owner } = balance;
  const { threshold, remindEvery } = settings;
  const isLow = credits < threshold;
  const isTold = known !== null && known.low && !isOver(known, credits, settings);
  // A clock that was set back: the time counts from now.
  const firedAt = isTold ? Math.min(known.firedAt ?? now, now) : null;
  const isReminder = firedAt !== null && remindEvery !== null && now - firedAt >= remindEvery - EARLY;
  const fires = isLow && (!isTold || isReminder);
  return {
    fires,
    previousCredits: known?.credits ?? null,
    next: { low: isLow || isTold, credits, threshold, owner, firedAt: fires ? now : firedAt },
  };
}

/** Whether a fall that was told has ended. */
function isOver(told: LowBalanceState, credits: number, { threshold, margin }: LowBalanceSettings): boolean {
  if (credits > threshold && credits >= threshold + margin) return true;
  // Once the threshold was changed, what was told still holds for credits that are below the old one and the new.
  return told.threshold !== null && told.threshold !== threshold && credits >= Math.min(told.threshold, threshold);
}

function isSameOwner(before: LowBalanceState, { owner }: Balance): boolean {
  return before.owner === null || owner === null || before.owner === owner;
}

/** Reads what was kept, whatever it is: what is not understood counts as not kept. */
export function readState(value: unknown): LowBalanceState | null {
  if (!isRecord(value) || typeof value.low !== 'boolean') return null;
  return {
    low: value.low,
    credits: finite(value.credits),
    threshold: finite(value.threshold),
    owner: typeof value.owner === 'string' ? value.owner : finite(value.owner),
    firedAt: finite(value.firedAt),
  };
}

function finite(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
