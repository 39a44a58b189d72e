export interface LowBalanceSettings {
  readonly threshold: number;
  /** By how much the credits must rise above the threshold before the next drop counts; 0 or more. */
  readonly margin: number;
  /** How often a balance that stays low starts the workflow again, in milliseconds; null for never. */
  readonly remindEvery: number | null;
}

/** What is kept from one poll to the next: plain data, because n8n stores it as JSON. */
export interface LowBalanceState {
  /** When the balance was read, in milliseconds since 1970. */
  readonly readAt: number;
  readonly credits: number;
  readonly threshold: number;
  /** `user_id`, which identifies the account; null if the answer has none. */
  readonly owner: string | number | null;
  /** When it last started the workflow for a drop that is not over yet, in milliseconds since 1970; null if none. */
  readonly firedAt: number | null;
}

/** Polls run by the minute, but not to the millisecond, so a reminder may be this many milliseconds early. */
const TOLERANCE = 30_000;

/**
 * Decides whether a poll starts the workflow: once for each drop and threshold, and for reminders. A drop is over when
 * the credits are above the threshold, by at least the margin.
 * @param before the state after the previous poll, if there was one
 * @param now in milliseconds since 1970
 * @param hasGap whether the credits may have risen since `before`: then another low balance is another drop
 * @returns `previousCredits` of the previous poll; null if there was none, or it was for another account
 */
export function decide(
  before: LowBalanceState | undefined,
  { credits, owner }: Pick<LowBalanceState, 'credits' | 'owner'>,
  { threshold, margin, remindEvery }: LowBalanceSettings,
  now: number,
  hasGap = false,
) {
  const known = owner === null || (before?.owner ?? owner) === owner ? before : undefined;
  const reportedAt = known?.threshold === threshold ? known.firedAt : null;
  const isLow = credits < threshold;
  const isOver = credits > threshold && credits >= threshold + margin;
  // If the clock was set back, the time counts from now.
  const firedAt = reportedAt === null || isOver ? null : Math.min(reportedAt, now);
  const isReminder = firedAt !== null && remindEvery !== null && now - firedAt >= remindEvery - TOLERANCE;
  const fires = isLow && (firedAt === null || isReminder || (hasGap && known?.credits !== credits));
  return {
    fires,
    previousCredits: known?.credits ?? null,
    next: { readAt: now, credits, threshold, owner, firedAt: fires ? now : firedAt },
  };
}
