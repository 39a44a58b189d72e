import { isNumber, type JsonRecord, type JsonScalar, pick, SEND_FIELDS } from '../../api/records';
import { type Failure, failure } from '../../failures/failure';
import type { Message } from '../../messages/message';
import type { Outcome, Receipt, Result, Sent } from '../../messages/outcome';
import { CONTENT_LENGTH, type Identity, PHONE_LENGTH, type Placed } from '../identity';

/**
 * A receipt as it is kept: what must not be sent again. It holds no key, number or text; a message is known by its place
 * and its fingerprint, which is its content and its phone in one text. A list without names, because n8n stores one for
 * each message of a run of Send.
 */
type Stored = readonly [
  batch: number | null,
  sent: readonly StoredSent[],
  uncertain: readonly StoredUncertain[],
  answer: StoredAnswer | null,
  /** Why the outcome of the uncertain ones is not known. */
  failure: StoredFailure | null,
];

/** Without a status, it is `sent`. */
type StoredSent = readonly [place: string, fingerprint: string, messageId: JsonScalar, status?: JsonScalar];

type StoredUncertain = readonly [place: string, fingerprint: string];

const FINGERPRINT_LENGTH = CONTENT_LENGTH + PHONE_LENGTH;

/** Of a single send its three values; of a bulk request all numbers, such as credits. */
type StoredAnswer =
  | readonly [creditsUsed: JsonScalar, creditsRemaining: JsonScalar, sentAt: JsonScalar]
  | Readonly<Record<string, number>>;

type StoredFailure = readonly [
  code: Failure['code'],
  httpStatus: number | null,
  message: string,
  advice: string,
  serviceSays: string,
];

/** A receipt read back. */
export interface Remembered {
  readonly batch: number | null;
  readonly outcomes: ReadonlyArray<{ readonly identity: Identity; readonly outcome: Outcome }>;
  /**
   * The service's answer as far as it was kept; what it said of each message comes from the results.
   * @param isSingle whether it has the form of a single send (API 2.2)
   */
  readonly dataFor: (results: readonly Result[], isSingle: boolean) => JsonRecord | null;
}

/**
 * Writes a receipt as a JSON text, because n8n stores an execution in a form in which one long text is small and many
 * objects are not.
 * @param identityOf the one that a message is known by
 */
export function writeReceipt({ batch, results, data }: Receipt, identityOf: (message: Message) => Identity): string {
  const sent: StoredSent[] = [];
  const uncertain: StoredUncertain[] = [];
  let why: Failure | null = null;
  for (const { message, outcome } of results) {
    if (!isKept(outcome)) continue;
    const { place, content, phone } = identityOf(message);
    if (outcome.kind === 'sent') {
      sent.push([place, content + phone, ...idAndStatus(outcome)]);
    } else {
      uncertain.push([place, content + phone]);
      why ??= outcome.failure;
    }
  }
  const stored: Stored = [batch, sent, uncertain, data === null ? null : writeAnswer(data), why && writeFailure(why)];
  return JSON.stringify(stored);
}

/** Whether a message must not be sent again: what was sent, and what may have been. */
export function isKept(outcome: Outcome): outcome is Exclude<Outcome, { kind: 'skipped' }> {
  return outcome.kind === 'sent' || outcome.kind === 'uncertain';
}

/**
 * Reads what {@link writeReceipt} wrote.
 * @returns null for what another version of this node wrote in another form
 */
export function readReceipt(text: string): Remembered | null {
  const stored: unknown = JSON.parse(text);
  if (!Array.isArray(stored) || !Array.isArray(stored[1]) || !Array.isArray(stored[2])) return null;
  const [batch, sent, uncertain, answer, why] = stored as unknown as Stored;
  if ([...sent, ...uncertain].some(([, fingerprint]) => fingerprint.length !== FINGERPRINT_LENGTH)) return null;
  const unknown: Outcome = { kind: 'uncertain', failure: readFailure(why) };
  return {
    batch,
    outcomes: [
      ...sent.map(([place, fingerprint, messageId, status = 'sent']) => {
        return { identity: readIdentity(place, fingerprint), outcome: { kind: 'sent', messageId, status } as const };
      }),
      ...uncertain.map(([place, fingerprint]) => ({ identity: readIdentity(place, fingerprint), outcome: unknown })),
    ],
    dataFor: (results, isSingle) => (answer === null ? null : readAnswer(answer, results, isSingle)),
  };
}

/** Writes a line of messages that are about to be sent, with their places; no place or content contains a space. */
export function writePlanned(planned: readonly Placed[]): string {
  return JSON.stringify(planned.map(({ place, content }) => `${place} ${content}`).join(' '));
}

/**
 * Reads what {@link writePlanned} wrote.
 * @returns null for a receipt
 */
export function readPlanned(text: string): Placed[] | null {
  if (!text.startsWith('"')) return null;
  const words = text.slice(1, -1).split(' ');
  return words.flatMap((place, index) => (index % 2 === 0 ? [{ place, content: words[index + 1] ?? '' }] : []));
}

function readIdentity(place: string, fingerprint: string): Identity {
  return { place, content: fingerprint.slice(0, CONTENT_LENGTH), phone: fingerprint.slice(CONTENT_LENGTH) };
}

function idAndStatus({ messageId, status }: Sent): [messageId: JsonScalar, status?: JsonScalar] {
  return status === 'sent' ? [messageId] : [messageId, status];
}

function writeFailure({ code, httpStatus, message, advice, serviceSays }: Failure): StoredFailure {
  return [code, httpStatus, message, advice, serviceSays];
}

function readFailure(stored: StoredFailure | null): Failure {
  if (stored === null) return failure('outcomeUnknown');
  const [code, httpStatus, message, advice, serviceSays] = stored;
  return { code, httpStatus, message, advice, serviceSays, scope: 'request', sendAgain: 'checkFirst' };
}

/** Credits, counts and times: all of the answer but texts, which could contain personal data. */
function writeAnswer(data: JsonRecord): StoredAnswer {
  if ('sent_at' in data) {
    const { credits_used: used, credits_remaining: left, sent_at: sentAt } = pick(data, SEND_FIELDS);
    return [used, left, shortTime(sentAt)];
  }
  return Object.fromEntries(Object.entries(data).filter((entry): entry is [string, number] => isNumber(entry[1])));
}

function readAnswer(answer: StoredAnswer, results: readonly Result[], isSingle: boolean): JsonRecord {
  const entries = results.flatMap(({ message: { phone }, outcome }) =>
    outcome.kind === 'sent' ? [{ message_id: outcome.messageId, phone, status: outcome.status }] : [],
  );
  const kept = isSingleAnswer(answer)
    ? { credits_used: answer[0], credits_remaining: answer[1], sent_at: longTime(answer[2]) }
    : answer;
  return isSingle ? { ...entries[0], ...kept } : { ...kept, messages: entries };
}

function isSingleAnswer(answer: StoredAnswer): answer is Extract<StoredAnswer, readonly unknown[]> {
  return Array.isArray(answer);
}

/** A time as a number, where that can be written back exactly. */
function shortTime(time: JsonScalar): JsonScalar {
  const milliseconds = typeof time === 'string' ? Date.parse(time) : NaN;
  return Number.isFinite(milliseconds) && new Date(milliseconds).toISOString() === time ? milliseconds : time;
}

function longTime(time: JsonScalar): JsonScalar {
  return typeof time === 'number' ? new Date(time).toISOString() : time;
}
