import { creditsTooLow } from '../../api/answerFailure';
import { isNumber, type JsonObject } from '../../api/objects';
import type { DeliveryOptions } from '../../delivery/select';
import { type Failed, mayHaveBeenSent, type Origin, type Row, type SkipReason, textCount } from '../../messages/row';
import { countryOf } from '../../phone/country';
import { isLandline } from '../../phone/numbering';
import { pause, YIELD_EVERY } from '../execution';

/** Why messages were not sent, or may have been. Reasons differ by the values in their texts, such as a length. */
export interface Reason extends Failed {
  /** Where the messages came from: at least one, in the order of the input. */
  readonly origins: readonly Origin[];
}

/** How many messages had which outcome, and why. */
interface Outcomes {
  readonly sent: number;
  /** How many of the sent messages an earlier attempt of the run had sent. */
  readonly resumed: number;
  /** A Retry sends these. */
  readonly notSent: number;
  readonly uncertain: number;
  /** Deliberately not sent: how many for which reason. */
  readonly skipped: ReadonlyMap<SkipReason, number>;
  /** Where the messages come from that were skipped because an earlier execution may have sent them. */
  readonly doubtful: readonly Origin[];
  /** Most frequent first; messages that another one kept from being sent come last. */
  readonly reasons: readonly Reason[];
  /** Whether a message was not sent for a reason that was known before the first request. */
  readonly isInvalid: boolean;
  /** How many were not sent because another message can't be sent. They are no reason. */
  readonly heldBack: number;
}

/** What may be wrong although messages were sent, or can be. */
interface Contents {
  /** How many numbers get more than one message. */
  readonly numbersWithSeveral: number;
  /** The fields that are empty in texts, with the number of texts. */
  readonly emptyFields: ReadonlyMap<string, number>;
  /** Where a dry run's texts have placeholders or code, which people would see as they are. */
  readonly placeholders: readonly Origin[];
  /** How many messages there are, if several people get the same text from an expression; otherwise 0. */
  readonly alike: number;
  /** How many of a dry run's numbers are landlines, which may have no messaging app. */
  readonly landlines: number;
  /** How many numbers without + were read with which code; empty if all have the code of 'Default Country Code'. */
  readonly codes: ReadonlyMap<string, number>;
}

interface Costs {
  /** By this attempt. */
  readonly creditsUsed: number;
  /** null if no answer in this attempt reported it. */
  readonly creditsLeft: number | null;
  /** How many of the texts whose requests had no answer used a credit; null if the balance doesn't tell. */
  readonly charged: Charged | null;
}

export type Charged = Readonly<Record<'used' | 'of', number>>;

/** The result of a run, counted once for hint, log and error. It contains no phone number or text. */
export interface Summary extends Outcomes, Contents, Costs {
  /** What a dry run would send, to how many people, and what that would take; null for a real run. */
  readonly planned: Readonly<Record<'messages' | 'people' | 'credits' | 'requests', number>> | null;
  /** Whether a dry run has found that the credits don't suffice. */
  readonly isTooExpensive: boolean;
  /** Whether a real run achieved nothing: no message may have been sent, and none was skipped. */
  readonly isNothing: boolean;
  /** How many numbers 'Never Send To' has; null if it is not set. */
  readonly optOuts: number | null;
  readonly isTest: boolean;
  /** Whether a later execution would skip what this one has sent. */
  readonly isRemembered: boolean;
  /** What makes a message to the same person another one. */
  readonly content: 'text' | 'key';
  readonly requests: number;
}

/**
 * @param around `accounts`: how many the messages were sent from; `message`: the parameter 'Message' as it is stored;
 * `credits`: what the balance says now, null if that is not known
 */
export async function summarize(
  rows: readonly Row[],
  { dryRun, duplicateMessages, neverSendTo, testRun }: DeliveryOptions,
  around: { requests: number; accounts: number; message?: unknown; credits?: number | null },
): Promise<Summary> {
  const { requests, accounts, message, credits = null } = around;
  const costs = costsOf(rows, accounts, credits);
  const outcomes = await outcomesOf(rows, accounts, costs);
  const planned = dryRun ? plannedOf(rows.filter(({ outcome }) => outcome?.kind === 'planned')) : null;
  return {
    ...outcomes,
    ...(await contentsOf(rows, message)),
    ...costs,
    planned,
    isTooExpensive: planned !== null && costs.creditsLeft !== null && costs.creditsLeft < planned.credits,
    isNothing: !dryRun && outcomes.notSent > 0 && outcomes.sent + outcomes.uncertain + outcomes.skipped.size === 0,
    optOuts: neverSendTo?.length ?? null,
    isTest: testRun !== null,
    isRemembered: duplicateMessages === 'sendOnceEver' && testRun === null && !dryRun,
    content: rows.some(({ key }) => key !== null) ? 'key' : 'text',
    requests,
  };
}

async function outcomesOf(rows: readonly Row[], accounts: number, { creditsLeft }: Costs): Promise<Outcomes> {
  const count = { sent: 0, skipped: 0, not_sent: 0, uncertain: 0, planned: 0 };
  const skipped = new Map<SkipReason, number>();
  const byReason = new Map<string, Reason & { origins: Origin[] }>();
  const doubtful: Row[] = [];
  let [index, resumed, heldBack, isInvalid, creditsNeeded, creditsAvailable] = [0, 0, 0, false, 0, Infinity];
  for (const row of rows) {
    if ((index += 1) % YIELD_EVERY === 0) await pause();
    const { outcome, isRecalled } = row;
    if (outcome === null) continue;
    count[outcome.kind] += 1;
    if (outcome.kind === 'sent' && isRecalled) resumed += 1;
    if (outcome.kind === 'skipped') {
      increase(skipped, outcome.reason);
      if (outcome.reason === 'may_have_been_sent') doubtful.push(row);
    }
    if (!('failure' in outcome)) continue;
    isInvalid ||= row.batch === null && row.duplicateOf === null && !isRecalled;
    const { code, message, credits: lacking } = outcome.failure;
    const isLeft = code === 'INSUFFICIENT_CREDITS' || code === 'NOT_STARTED';
    if (isLeft && row.duplicateOf === null) creditsNeeded += textCount(row);
    creditsAvailable = Math.min(creditsAvailable, lacking?.available ?? Infinity);
    const key = `${outcome.kind} ${message}`;
    const reason = byReason.get(key);
    if (code === 'HELD_BACK') heldBack += 1;
    else if (reason === undefined) byReason.set(key, { ...outcome, origins: [row] });
    else reason.origins.push(row);
  }
  for (const [key, reason] of byReason) {
    const { code, credits: lacking } = reason.failure;
    if (code !== 'INSUFFICIENT_CREDITS' || accounts !== 1 || creditsAvailable === Infinity) continue;
    const required = Math.max(creditsNeeded, lacking?.required ?? 0);
    // A smaller request may have been accepted after a larger one was refused.
    const available = Math.min(creditsAvailable, creditsLeft ?? Infinity);
    byReason.set(key, { ...reason, failure: creditsTooLow({ required, available }, reason.failure) });
  }
  /** Whether another message kept these from being sent. */
  const isEffect = ({ failure }: Reason) => Number(failure.code === 'NOT_STARTED');
  const reasons = [...byReason.values()].sort(
    (a, b) => isEffect(a) - isEffect(b) || b.origins.length - a.origins.length,
  );
  const { sent, not_sent: notSent, uncertain } = count;
  return { sent, resumed, notSent, uncertain, skipped, doubtful, reasons, isInvalid, heldBack };
}

/**
 * Other programs' placeholders: {name}, [[name]], <<name>>, *|NAME|*, %name%, [First Name]; no encoded characters of a
 * link, and no sender such as [Acme]. Code: &amp;, <br>, \n; no &copy= of a link, <3 or path such as C:\new.
 */
const PLACEHOLDER =
  /(?<!\{)\{[\p{L}\d][\p{L}\w .-]*\}|\[\[[^[\]]+\]\]|<<[^<>]+>>|\*\|\w+\|\*|(?<!\w)%[a-z_]\w*%(?!\w)|\[(?:[^[\]]*[\s_-])?(?:\p{L}*name|nombre|company|date|link|code|number|amount)\]|&(?:amp|lt|gt|quot|apos|nbsp|[lr][ads]quo|[mn]dash|hellip|bull|euro|pound|copy|reg|trade|szlig|\p{L}(?:uml|acute|grave|circ|tilde|ring|cedil)|#x?[\da-f]+);|<\/?[a-z]\w*(?:\s[^<>]*)?\/?>|(?<!\b[a-z]:|\\)\\n/iu;

/** An expression in 'Message' that reads what items have, of this node or of another. */
const READS_ITEMS = /^=[^]*\$(?:json|input|node|item|\()/;

/** @param message the parameter 'Message' as it is stored */
async function contentsOf(rows: readonly Row[], message: unknown): Promise<Contents> {
  const emptyFields = new Map<string, number>();
  const placeholders: Row[] = [];
  const messagesTo = new Map<string, number>();
  const codes = new Map<string, number>();
  /** The numbers counted there that get several messages: each counts once. */
  const counted = new Set<string>();
  const landlines = new Set<string>();
  let [index, arriving, isAbroad, isForSeveral] = [0, 0, false, false];
  let first: Row | null = null;
  let isSame = typeof message === 'string' && READS_ITEMS.test(message);
  for (const row of rows) {
    if ((index += 1) % YIELD_EVERY === 0) await pause();
    const { outcome, testFor } = row;
    const phone = testFor ?? row.phone;
    const isPlanned = outcome?.kind === 'planned';
    if (isPlanned && PLACEHOLDER.test(row.text)) placeholders.push(row);
    if (isPlanned && isLandline(phone)) landlines.add(phone);
    const arrives = isPlanned || mayHaveBeenSent(outcome);
    if (arrives) {
      arriving += 1;
      first ??= row;
      isSame &&= row.text === first.text;
      isForSeveral ||= (testFor ?? row.person) !== (first.testFor ?? first.person);
      if (row.isOneOfSeveral && testFor === null) increase(messagesTo, row.person);
    } else if (outcome?.kind !== 'skipped' || NOT_NEW.has(outcome.reason)) continue;
    for (const name of row.empty) increase(emptyFields, name);
    if (row.readAs === null || counted.has(phone)) continue;
    increase(codes, countryOf(phone)?.code ?? '');
    isAbroad ||= row.readAs === 'abroad';
    if (row.isOneOfSeveral) counted.add(phone);
  }
  return {
    numbersWithSeveral: [...messagesTo.values()].filter((messages) => messages > 1).length,
    emptyFields,
    placeholders,
    alike: isSame && isForSeveral ? arriving : 0,
    landlines: landlines.size,
    codes: codes.size < 2 && !isAbroad ? new Map() : codes,
  };
}

/** @param creditsNow what the balance says; null if that is not known */
function costsOf(rows: readonly Row[], accounts: number, creditsNow: number | null): Costs {
  const answers = new Set<JsonObject>();
  let [creditsUsed, unanswered, paid, creditsBefore] = [0, 0, 0, -Infinity];
  let creditsLeft: number | null = null;
  for (const row of rows) {
    const { outcome, data, isRecalled, isUnanswered } = row;
    if (isUnanswered) unanswered += textCount(row);
    // Earlier attempts don't count: the account may have been topped up since.
    if (isRecalled) continue;
    if (data !== null) answers.add(data);
    if (outcome?.kind === 'sent') paid += textCount(row);
  }
  for (const { credits_used: used, credits_remaining: left } of answers) {
    if (isNumber(used)) creditsUsed += used;
    // Answers come in any order, and credits only go down, so the lowest is the latest.
    if (isNumber(left)) creditsLeft = Math.min(left, creditsLeft ?? left);
    // The balance before the run: the highest of what an answer leaves and what it used. NaN if an answer lacks either.
    creditsBefore = Math.max(creditsBefore, isNumber(left) && isNumber(used) ? left + used : NaN);
  }
  const charged = creditsBefore - creditsUsed - (creditsNow ?? NaN);
  // Where not every text used one credit, credits don't tell how many texts were sent.
  const isTold = creditsUsed === paid && charged >= 0 && charged <= unanswered && unanswered > 0;
  return {
    creditsUsed,
    // Each account has its own credits.
    creditsLeft: accounts > 1 ? null : (creditsNow ?? creditsLeft),
    charged: isTold ? { used: charged, of: unanswered } : null,
  };
}

function plannedOf(rows: readonly Row[]): NonNullable<Summary['planned']> {
  return {
    messages: rows.length,
    people: new Set(rows.map(({ person }) => person)).size,
    // Each text uses a credit (API 4.3).
    credits: rows.reduce((sum, row) => sum + textCount(row), 0),
    requests: new Set(rows.map(({ batch }) => batch)).size,
  };
}

/** Skipped because a message with the same content counts instead. */
const NOT_NEW: ReadonlySet<SkipReason> = new Set(['duplicate', 'sent_before', 'may_have_been_sent']);

function increase<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
