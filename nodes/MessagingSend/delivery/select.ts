import { type Failure, failure, isFailure } from '../failures/failure';
import { identityOf, isOpen, markSeveral, mayHaveBeenSent, type Row, settle, type Skipped } from '../messages/row';
import { countryOf } from '../phone/country';
import { type PhoneRules, type ReadNumber, readPhone } from '../phone/phone';
import type { Composed } from './compose';
import { type SendWindow, Windows } from './sendWindow';

export interface DeliveryOptions extends Pick<PhoneRules, 'numberCheck'> {
  /** Sends nothing if the balance does not cover the run. */
  readonly checkCreditsFirst: boolean;
  readonly dryRun: boolean;
  /** What to do with a text if one of its expressions is empty for the item. */
  readonly emptyFields: 'send' | 'doNotSend';
  /** `sendOnce`: identical messages are sent once in a run; `sendOnceEver`: once in all executions. */
  readonly duplicateMessages: 'send' | 'sendOnce' | 'sendOnceEver';
  readonly longMessages: 'fail' | 'truncate' | 'split';
  /** Numbers that get no message, as the user wrote them; null: not set. */
  readonly neverSendTo: readonly unknown[] | null;
  readonly parallelRequests: number;
  /** Messages may leave within any of them; null if always. */
  readonly sendWindows: readonly SendWindow[] | null;
  /** The number of the tester, who gets the first {@link TESTED} messages; the rest is not sent. */
  readonly testRun: ReadNumber | null;
}

export const TESTED = 3;

/**
 * Why the user doesn't want a message sent now; null if it may be. Asked when a run is planned, and again when the
 * message's request is about to leave: by then, a window may have closed.
 */
export type KeepBack = (row: Row) => Skipped | null;

/** How messages are chosen. */
interface Choice {
  /** Whether messages that are the same are sent once. */
  readonly isOnce: boolean;
  /** Null if all may be sent. */
  readonly keepBack: KeepBack | null;
  readonly pause: () => Promise<void>;
}

/** In messages: to tell by its window whether one may leave takes a microsecond. */
const PAUSE_EVERY = 1_000;

/**
 * Settles open rows that the user doesn't want sent now, and finds duplicates. What earlier attempts have sent, or may
 * have, counts first: a duplicate of such a message is one even if something else would keep it back.
 * @returns the rows that were settled, or are duplicates
 */
export async function select(rows: readonly Row[], { isOnce, keepBack, pause }: Choice): Promise<Row[]> {
  const originals = new Map<string, Row>();
  const keptBack: Row[] = [];
  if (isOnce) {
    const several = rows.filter(({ isOneOfSeveral }) => isOneOfSeveral);
    // Reversed, because the first of several counts.
    for (const row of several.reverse())
      if (mayHaveBeenSent(row.outcome) || row.outcome?.kind === 'skipped') originals.set(identityOf(row), row);
  }
  let index = 0;
  for (const row of rows) {
    if ((index += 1) % PAUSE_EVERY === 0) await pause();
    if (!isOpen(row) || row.defect !== null) continue;
    const identity = isOnce && row.isOneOfSeveral ? identityOf(row) : null;
    const original = identity === null ? undefined : originals.get(identity);
    if (original !== undefined) {
      row.duplicateOf = original;
      keptBack.push(row);
      continue;
    }
    const outcome = keepBack?.(row) ?? null;
    if (outcome !== null) {
      settle(row, outcome);
      keptBack.push(row);
    } else if (identity !== null) originals.set(identity, row);
  }
  return keptBack;
}

/**
 * What {@link select} keeps back of these rows if none has an outcome: the same for all attempts that ask for the same.
 */
export async function keptBackOf(rows: readonly Row[], choice: Choice): Promise<ReadonlySet<Row>> {
  const originals = new Map<Row, Row>(rows.map((row) => [{ ...row, outcome: null, duplicateOf: null }, row]));
  return new Set((await select([...originals.keys()], choice)).flatMap((copy) => originals.get(copy) ?? []));
}

/**
 * Settles duplicates, once their originals have their outcomes. They share them; but where the original was sent, now or
 * before, they were skipped.
 */
export function settleDuplicates(rows: readonly Row[]): void {
  for (const row of rows) {
    const shared = row.duplicateOf?.outcome;
    if (shared === undefined || shared === null) continue;
    const isSent =
      shared.kind === 'skipped' ? shared.reason === 'sent_before' : shared.kind === 'sent' || shared.kind === 'planned';
    settle(row, isSent ? { kind: 'skipped', reason: 'duplicate' } : shared);
  }
}

/** Diverts the first open rows to the tester, who then gets several messages, and settles the others. */
export function divertToTester(rows: readonly Row[], { phone, person }: ReadNumber): void {
  let left = TESTED;
  for (const row of rows) {
    row.isOneOfSeveral = false;
    if (!isOpen(row) || row.defect !== null) continue;
    if (left > 0) Object.assign(row, { phone, person, testFor: row.phone });
    else settle(row, { kind: 'skipped', reason: 'test_run' });
    left -= 1;
  }
  markSeveral(rows.filter(({ testFor }) => testFor !== null));
}

/**
 * Decides which messages are kept back.
 * @param now in milliseconds since 1970
 * @param timeZone the workflow's, for numbers that belong to no country
 * @returns null if none are, or why that can't be decided: then nothing may be sent
 */
export async function keepBackBy(
  { emptyFields, neverSendTo, numberCheck, sendWindows, testRun }: DeliveryOptions,
  composed: Composed,
  now: () => number,
  timeZone: () => string,
  pause: () => Promise<void>,
): Promise<KeepBack | Failure | null> {
  const isUnchecked = numberCheck === 'off';
  const optedOut = neverSendTo === null ? NOBODY : await peopleIn(neverSendTo, composed, isUnchecked, pause);
  if (isFailure(optedOut)) return optedOut;
  // Test runs ignore the send window.
  const windows = sendWindows === null || testRun !== null ? null : new Windows(sendWindows, [timeZone()]);
  if (emptyFields === 'send' && optedOut.size === 0 && windows === null) return null;
  return ({ phone, person, empty }) => {
    if (optedOut.has(person)) return { kind: 'skipped', reason: 'opted_out' };
    if (empty.length > 0 && emptyFields === 'doNotSend') return { kind: 'skipped', reason: 'empty_field' };
    const sendAt = windows?.closedUntil(phone, now()) ?? null;
    return sendAt === null ? null : { kind: 'skipped', reason: 'outside_window', sendAt };
  };
}

const NOBODY: ReadonlySet<string> = new Set();

/**
 * Everybody whom these numbers mean with any of the run's codes, or in any country that it sends to. A wrong opt-out list
 * is worse than none, so if a number can't be read with any of the codes, nothing is sent.
 */
async function peopleIn(
  numbers: readonly unknown[],
  { rows, countryCodes }: Composed,
  isUnchecked: boolean,
  pause: () => Promise<void>,
): Promise<ReadonlySet<string> | Failure> {
  const people = new Set<string>();
  /** Those whose codes the run doesn't use. */
  const countries = new Set<string>();
  for (const { phone } of rows) {
    const { code } = countryOf(phone) ?? {};
    if (code !== undefined && !countryCodes.has(code)) countries.add(code);
    await pause();
  }
  for (const [index, number] of numbers.entries()) {
    const reasons: string[] = [];
    for (const countryCode of countryCodes) {
      // With 'on', because landlines opt out, too. Even unchecked, a number without + must be one that 'on' can read.
      const checked = readPhone(number, { countryCode, numberCheck: 'on' });
      const unchecked = isUnchecked ? readPhone(number, { countryCode, numberCheck: 'off' }) : checked;
      const isSure = !isFailure(unchecked) && unchecked.readAs === null;
      if (isFailure(checked) && !isSure) reasons.push(checked.message);
      else for (const read of [checked, unchecked]) if (!isFailure(read)) people.add(read.person);
    }
    const [reason] = reasons;
    if (reason !== undefined && reasons.length === countryCodes.size)
      return failure('optOutUnreadable', { place: index + 1, count: numbers.length, reason });
    for (const countryCode of countries) {
      const read = readPhone(number, { countryCode, numberCheck: 'on' });
      if (!isFailure(read)) people.add(read.person);
    }
    await pause();
  }
  return people;
}
