import { type JsonRecord, type JsonScalar, pick, SEND_FIELDS } from '../../api/records';
import { type Failure, failure } from '../../failures/failure';
import type { Message } from '../../messages/message';
import { mayBeSent, type Outcome, type Receipt, type Sent } from '../../messages/outcome';
import { CONTENT_LENGTH, type Identity, PHONE_LENGTH } from '../identity';

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

/** Ends a fingerprint whose phone several texts went to. */
const SEVERAL = '*';

/** All that the output shows of an answer beside its messages (API 2.2, 2.3). */
type StoredAnswer = readonly [creditsUsed: JsonScalar, creditsRemaining: JsonScalar, sentAt: JsonScalar];

type StoredFailure = readonly [
  code: Failure['code'],
  httpStatus: number | null,
  message: string,
  advice: string,
  serviceSays: string,
];

/** With whether several texts went to its phone in the attempt that noted it. */
export interface RecordedIdentity extends Identity {
  readonly isOneOfSeveral: boolean;
}

export interface Remembered {
  readonly batch: number | null;
  readonly outcomes: ReadonlyArray<{ readonly identity: RecordedIdentity; readonly outcome: Outcome }>;
  /** What was kept of the service's answer; null where there was none. */
  readonly data: JsonRecord | null;
}

/**
 * Writes a receipt as a JSON text, because n8n stores an execution in a form in which one long text is small and many
 * objects are not.
 * @param identityOf the one that a message is known by
 */
export function writeReceipt(
  { batch, results, data }: Receipt,
  identityOf: (message: Message) => RecordedIdentity,
): string {
  const sent: StoredSent[] = [];
  const uncertain: StoredUncertain[] = [];
  let why: Failure | null = null;
  for (const { message, outcome } of results) {
    if (!mayBeSent(outcome)) continue;
    const { place, content, phone, isOneOfSeveral } = identityOf(message);
    const fingerprint = content + phone + (isOneOfSeveral ? SEVERAL : '');
    if (outcome.kind === 'sent') {
      sent.push([place, fingerprint, ...idAndStatus(outcome)]);
    } else {
      uncertain.push([place, fingerprint]);
      why ??= outcome.failure;
    }
  }
  const stored: Stored = [batch, sent, uncertain, data === null ? null : writeAnswer(data), why && writeFailure(why)];
  return JSON.stringify(stored);
}

/**
 * Reads what {@link writeReceipt} wrote.
 * @returns null for what another version of this node wrote in another form
 */
export function readReceipt(text: string): Remembered | null {
  const stored: unknown = JSON.parse(text);
  if (!Array.isArray(stored) || !Array.isArray(stored[1]) || !Array.isArray(stored[2])) return null;
  if (stored[3] !== null && !Array.isArray(stored[3])) return null;
  const [batch, sent, uncertain, answer, why] = stored as unknown as Stored;
  if (
    [...sent, ...uncertain].some(
      ([, fingerprint]) => fingerprint.length - (fingerprint.endsWith(SEVERAL) ? 1 : 0) !== FINGERPRINT_LENGTH,
    )
  )
    return null;
  const unknown: Outcome = { kind: 'uncertain', failure: readFailure(why) };
  return {
    batch,
    outcomes: [
      ...sent.map(([place, fingerprint, messageId, status = 'sent']) => {
        return { identity: readIdentity(place, fingerprint), outcome: { kind: 'sent', messageId, status } as const };
      }),
      ...uncertain.map(([place, fingerprint]) => ({ identity: readIdentity(place, fingerprint), outcome: unknown })),
    ],
    data: answer === null ? null : readAnswer(answer),
  };
}

function readIdentity(place: string, fingerprint: string): RecordedIdentity {
  return {
    place,
    content: fingerprint.slice(0, CONTENT_LENGTH),
    phone: fingerprint.slice(CONTENT_LENGTH, FINGERPRINT_LENGTH),
    isOneOfSeveral: fingerprint.endsWith(SEVERAL),
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

function writeAnswer(data: JsonRecord): StoredAnswer {
  const { credits_used: used, credits_remaining: left, sent_at: sentAt } = pick(data, SEND_FIELDS);
  return [used, left, shortTime(sentAt)];
}

function readAnswer([used, left, sentAt]: StoredAnswer): JsonRecord {
  return { credits_used: used, credits_remaining: left, sent_at: longTime(sentAt) };
}

/** A time as a number, where that can be written back exactly. */
function shortTime(time: JsonScalar): JsonScalar {
  const milliseconds = typeof time === 'string' ? Date.parse(time) : NaN;
  return Number.isFinite(milliseconds) && new Date(milliseconds).toISOString() === time ? milliseconds : time;
}

function longTime(time: JsonScalar): JsonScalar {
  return typeof time === 'number' ? new Date(time).toISOString() : time;
}
