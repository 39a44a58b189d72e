import { isNumber, type JsonRecord, type JsonScalar, pick, SEND_FIELDS } from '../api/records';
import { failure } from '../failures/catalogue';
import type { Failure } from '../failures/failure';
import type { Outcome, Receipt, Result, Sent } from '../messages/outcome';
import { fingerprintOf, placeOf } from './identity';

/**
 * A receipt as it is kept: what must not be sent again. It holds no key, number or text; a message is known by its place
 * and its fingerprint. A list without names, because n8n stores one for each message of a run of Send.
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
  readonly outcomes: ReadonlyArray<{ readonly place: string; readonly fingerprint: string; readonly outcome: Outcome }>;
  /**
   * The service's answer as far as it was kept; what it said of each message comes from the results.
   * @param isSingle whether it has the form of a single send (API 2.2)
   */
  readonly dataFor: (results: readonly Result[], isSingle: boolean) => JsonRecord | null;
}

/**
 * Writes a receipt as a JSON text, because n8n stores an execution in a form in which one long text is small and many
 * objects are not.
 * @returns null where nothing of it must be remembered
 */
export function writeReceipt({ batch, results, data }: Receipt): string | null {
  const sent: StoredSent[] = [];
  const uncertain: StoredUncertain[] = [];
  let why: Failure | null = null;
  for (const { message, outcome } of results) {
    if (outcome.kind === 'sent') sent.push([placeOf(message), fingerprintOf(message), ...idAndStatus(outcome)]);
    if (outcome.kind !== 'uncertain') continue;
    uncertain.push([placeOf(message), fingerprintOf(message)]);
    why ??= outcome.failure;
  }
  if (sent.length + uncertain.length === 0) return null;
  const stored: Stored = [batch, sent, uncertain, data === null ? null : writeAnswer(data), why && writeFailure(why)];
  return JSON.stringify(stored);
}

/**
 * Reads what {@link writeReceipt} wrote.
 * @returns null for what another version of this node wrote in another form
 */
export function readReceipt(text: string): Remembered | null {
  const stored: unknown = JSON.parse(text);
  if (!Array.isArray(stored)) return null;
  const [batch, sent, uncertain, answer, why] = stored as unknown as Stored;
  const unknown: Outcome = { kind: 'uncertain', failure: readFailure(why) };
  return {
    batch,
    outcomes: [
      ...sent.map(([place, fingerprint, messageId, status = 'sent']) => {
        return { place, fingerprint, outcome: { kind: 'sent', messageId, status } as const };
      }),
      ...uncertain.map(([place, fingerprint]) => ({ place, fingerprint, outcome: unknown })),
    ],
    dataFor: (results, isSingle) => (answer === null ? null : readAnswer(answer, results, isSingle)),
  };
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
