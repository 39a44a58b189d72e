import { type JsonRecord, type JsonScalar, pick, SEND_FIELDS } from '../../api/records';
import { type Failure, failure } from '../../failures/failure';
import { mayBeSent, type Outcome, type Receipt } from '../../messages/outcome';
import { CONTENT_LENGTH, type Identity, identityOf, PHONE_LENGTH } from '../identity';

/**
 * A stored receipt: only what must not be sent again, without API key, number or text. It has no field names, because
 * n8n stores one receipt for each message of a run of Send.
 */
type Stored = readonly [
  batch: number | null,
  entries: readonly Entry[],
  answer: Answer | null,
  /** Why the outcome of the uncertain messages is unknown. */
  failure: Pick<Failure, 'code' | 'httpStatus' | 'message' | 'advice' | 'serviceSays'> | null,
];

/**
 * A message by its place and fingerprint (its content and phone hashes in one text). Without a message ID, it is
 * uncertain; without a status, it is `sent`.
 */
type Entry = readonly [place: string, fingerprint: string, messageId?: JsonScalar, status?: JsonScalar];

/** What the output shows of an answer besides its messages (API 2.2, 2.3). */
type Answer = readonly [creditsUsed: JsonScalar, creditsRemaining: JsonScalar, sentAt: JsonScalar];

const FINGERPRINT_LENGTH = CONTENT_LENGTH + PHONE_LENGTH;

/** Ends the fingerprint of a message whose phone got several texts. */
const SEVERAL = '*';

/** `isOneOfSeveral`: its phone got several texts in the attempt that noted it. */
export interface RecordedIdentity extends Identity {
  readonly isOneOfSeveral: boolean;
}

export interface Remembered {
  readonly batch: number | null;
  readonly outcomes: ReadonlyArray<{ readonly identity: RecordedIdentity; readonly outcome: Outcome }>;
  /** The stored part of the service's answer; null if there was none. */
  readonly data: JsonRecord | null;
}

/**
 * Writes a receipt as one JSON text: in n8n's storage format, many objects take far more room.
 * @param repeated phones that get several texts
 */
export function writeReceipt({ batch, results, data }: Receipt, repeated: ReadonlySet<string>): string {
  const entries: Entry[] = [];
  let why: Stored[3] = null;
  for (const { message, outcome } of results) {
    if (!mayBeSent(outcome)) continue;
    const { place, content, phone } = identityOf(message);
    const fingerprint = content + phone + (repeated.has(message.phone) ? SEVERAL : '');
    if (outcome.kind === 'sent') {
      const { messageId, status } = outcome;
      entries.push(status === 'sent' ? [place, fingerprint, messageId] : [place, fingerprint, messageId, status]);
    } else {
      entries.push([place, fingerprint]);
      const { code, httpStatus, message: text, advice, serviceSays } = outcome.failure;
      why ??= { code, httpStatus, message: text, advice, serviceSays };
    }
  }
  const { credits_used: used, credits_remaining: left, sent_at: sentAt } = pick(data ?? {}, SEND_FIELDS);
  return JSON.stringify([batch, entries, data && [used, left, sentAt], why] satisfies Stored);
}

/**
 * Reads what {@link writeReceipt} wrote.
 * @returns null if another version of this node wrote it in another form
 */
export function readReceipt(text: string): Remembered | null {
  const stored: unknown = JSON.parse(text);
  if (!Array.isArray(stored) || stored.length !== 4 || !Array.isArray(stored[1])) return null;
  const [batch, entries, answer, why] = stored as unknown as Stored;
  const unknown =
    why === null ? failure('outcomeUnknown') : ({ ...why, scope: 'request', sendAgain: 'checkFirst' } as const);
  const outcomes = entries.map(([place, fingerprint, messageId, status = 'sent']) => {
    const content = fingerprint.slice(0, CONTENT_LENGTH);
    const phone = fingerprint.slice(CONTENT_LENGTH, FINGERPRINT_LENGTH);
    const outcome: Outcome =
      messageId === undefined ? { kind: 'uncertain', failure: unknown } : { kind: 'sent', messageId, status };
    return { identity: { place, content, phone, isOneOfSeveral: fingerprint.endsWith(SEVERAL) }, outcome };
  });
  const data = answer && { credits_used: answer[0], credits_remaining: answer[1], sent_at: answer[2] };
  return { batch, outcomes, data };
}
