import { type JsonScalar, pick, SEND_FIELDS } from '../../api/records';
import { type Failure, failure } from '../../failures/failure';
import { mayHaveBeenSent, nameOf, type Outcome, type Row } from '../../messages/row';
import { DIGEST_LENGTH, digestOf } from '../list/facts';

/** The rows of one request, and the outcome of all of them; null if each has its own. */
export interface Receipt {
  readonly rows: readonly Row[];
  readonly outcome: Outcome | null;
}

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
 * A message by its fingerprint (the hashes of its name and of its person in one text). Without a message ID, it is
 * uncertain; without a status, it is `sent`.
 */
type Entry = readonly [fingerprint: string, messageId?: JsonScalar, status?: JsonScalar];

/** What the output shows of an answer besides its messages (API 2.2, 2.3). */
type Answer = readonly [creditsUsed: JsonScalar, creditsRemaining: JsonScalar, sentAt: JsonScalar];

const MARK_LENGTH = 8;

/** An outcome in the record. */
export interface Recorded extends Pick<Row, 'batch' | 'data'> {
  readonly outcome: Outcome;
  readonly name: string;
  readonly person: string;
}

/** A hash of the message's name in its run. */
export function digestOfName(row: Row): string {
  return digestOf(nameOf(row));
}

/**
 * A hash of the person in 8 characters: enough to tell which messages of a run share one. Anyone who can read the
 * record could recover the number by brute force. No hash prevents that, and n8n stores the number itself in the
 * execution's input.
 */
export function markOf({ person }: Row): string {
  return digestOf(person, MARK_LENGTH);
}

/** Writes a receipt as one JSON text: in n8n's storage format, many objects take far more room. */
export function writeReceipt({ rows, outcome: ofAll }: Receipt): string {
  const entries: Entry[] = [];
  let why: Stored[3] = null;
  for (const row of rows) {
    const outcome = ofAll ?? row.outcome;
    if (!mayHaveBeenSent(outcome)) continue;
    const fingerprint = digestOfName(row) + markOf(row);
    if (outcome.kind === 'sent') {
      const { messageId, status } = outcome;
      entries.push(status === 'sent' ? [fingerprint, messageId] : [fingerprint, messageId, status]);
    } else {
      entries.push([fingerprint]);
      const { code, httpStatus, message: text, advice, serviceSays } = outcome.failure;
      why ??= { code, httpStatus, message: text, advice, serviceSays };
    }
  }
  const { batch = null, data = null } = rows[0] ?? {};
  const { credits_used: used, credits_remaining: left, sent_at: sentAt } = pick(data ?? {}, SEND_FIELDS);
  return JSON.stringify([batch, entries, data && [used, left, sentAt], why] satisfies Stored);
}

/** Reads what {@link writeReceipt} wrote. */
export function readReceipt(text: string): Recorded[] {
  const [batch, entries, answer, why] = JSON.parse(text) as Stored;
  const unknown =
    why === null ? failure('outcomeUnknown') : ({ ...why, scope: 'request', sendAgain: 'checkFirst' } as const);
  const data = answer && { credits_used: answer[0], credits_remaining: answer[1], sent_at: answer[2] };
  return entries.map(([fingerprint, messageId, status = 'sent']) => {
    const name = fingerprint.slice(0, DIGEST_LENGTH);
    const person = fingerprint.slice(DIGEST_LENGTH);
    const outcome: Outcome =
      messageId === undefined ? { kind: 'uncertain', failure: unknown } : { kind: 'sent', messageId, status };
    return { name, person, outcome, batch, data };
  });
}
