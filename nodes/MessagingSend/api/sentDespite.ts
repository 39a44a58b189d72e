import { isRecord, type JsonRecord, words } from './records';

/** Statuses by which a message was sent, and those by which it may still be. */
const SENT = /^(sent|delivered)$/;
const ON_ITS_WAY = /^(queued|accepted|scheduled|pending)$/;

/** The document's name for how many messages were sent (2.3), and others that services use. */
const COUNT = 'messages_sent';
const OTHER_COUNT =
  /^((messages|total)_)?(sent|delivered|succeeded|successful)$|^(sent|delivered|succeeded|successful|success)_(count|messages|total)$/;

/** No answer has more levels, or more of them than a batch has messages. */
const MAX_DEPTH = 6;
const MAX_RECORDS = 2_000;

/**
 * What an error tells of messages that were sent all the same, in the form of the data of a success (API 2.2, 2.3). The
 * document does not show how a batch is answered of which only some was sent (4.3), so all of the answer is searched.
 * @param why the error, for what is told of messages that may not have been sent
 * @param saysNothingSent whether its code says so (part 7); then neither an ID nor a word such as "ok" means anything else
 * @returns null where it tells of none
 */
export function sentDespite(envelope: JsonRecord, why: unknown, saysNothingSent: boolean): JsonRecord | null {
  const { lists, records } = contentOf(envelope);
  const counts = records.flatMap((record) => countsIn(record, saysNothingSent));
  const isCounted = counts.some((count) => count > 0);
  const isNone = saysNothingSent && !isCounted && counts.length > 0;
  const isSign = (record: JsonRecord) =>
    SENT.test(statusOf(record)) ||
    (!isNone && ON_ITS_WAY.test(statusOf(record))) ||
    (!saysNothingSent && idOf(record) !== null);
  const entries = lists.find((list) => list.some(isSign));
  // `true`, so that an error without a text is one.
  const error = [true, why];
  if (entries !== undefined) {
    return { messages: entries.map((entry) => (isPlain(entry) ? entry : { ...entry, failure: error })) };
  }
  const id = saysNothingSent ? null : (records.map(idOf).find((each) => each !== null) ?? null);
  if (id !== null) return { message_id: id, error };
  return isCounted ? { status: 'unclear', error } : null;
}

/** Whether an entry means what it says, in spite of the error: it was sent, or nothing is said of it. */
function isPlain(entry: JsonRecord): boolean {
  return SENT.test(statusOf(entry)) || (statusOf(entry) === '' && idOf(entry) === null);
}

/** All records and lists of records of an answer, the outer ones first. */
function contentOf(envelope: JsonRecord): { lists: JsonRecord[][]; records: JsonRecord[] } {
  const lists: JsonRecord[][] = [];
  const records: JsonRecord[] = [];
  let level: unknown[] = [envelope];
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0 && records.length < MAX_RECORDS; depth += 1) {
    for (const list of level.filter(Array.isArray)) lists.push(list.filter(isRecord));
    records.push(...level.filter(isRecord).slice(0, MAX_RECORDS));
    level = level.flatMap((value): unknown[] =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    );
  }
  return { lists, records };
}

function countsIn(record: JsonRecord, isDocumentedOnly: boolean): number[] {
  return Object.entries(record).flatMap(([name, value]) => {
    const isCount = words(name) === COUNT || (!isDocumentedOnly && OTHER_COUNT.test(words(name)));
    const count = Array.isArray(value) ? value.length : typeof value === 'string' ? Number(value) : value;
    return isCount && typeof count === 'number' && Number.isFinite(count) ? [count] : [];
  });
}

function idOf({ message_id: id }: JsonRecord): string | number | null {
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

function statusOf({ status }: JsonRecord): string {
  return typeof status === 'string' ? words(status) : '';
}
