import { isRecord, type JsonRecord, words } from './records';

/** Statuses by which a message was sent; by which it may still be; and by which it was not. */
const SENT = /^(sent|delivered)$/;
const ON_ITS_WAY = /^(queued|accepted|scheduled|pending)$/;
const NOT_SENT = /^(failed|failure|error|rejected|refused|invalid|not_sent|skipped|blocked|cancell?ed)$/;

/** The document's name for how many messages were sent (2.3), and others that services use. */
const COUNT = 'messages_sent';
const OTHER_COUNT =
  /^((messages|total)_)?(sent|delivered|succeeded|successful)$|^(sent|delivered|succeeded|successful|success)_(count|messages|total)$/;

/** What is in such a field, or beside one, is about the account, and not about the messages of the request. */
const OF_ACCOUNT =
  /^(?!credits_)(.*_)?(limits?|quotas?|usage|remaining|reset|period|window|balance|accounts?|plan|instances?)(_.*)?$/;

/** Lists that have an entry for each message; others count only if their entries say which message they are about. */
const LIST = /^(data|messages|results)$/;

/** Levels of an answer that are searched. */
const MAX_DEPTH = 6;

/** What is known of the request, and of its error. */
interface Refusal {
  /** How many messages the request had. */
  readonly messages: number;
  /** Whether the error's code says that nothing was sent (part 7): then "ok" may only mean that a message is valid. */
  readonly saysNothingSent: boolean;
  /** The error's text, for messages that may not have been sent. */
  readonly why: unknown;
}

interface Content {
  readonly lists: JsonRecord[][];
  readonly records: JsonRecord[];
}

/**
 * What an error tells of messages that were sent all the same. The document does not show how a batch is answered of
 * which only some was sent (4.3), so all of the answer is searched.
 * @returns data in the form of a success (API 2.2, 2.3), from which the outcome of each message is read; `some` where it
 * is not told which; null where nothing was sent
 */
export function sentDespite(
  envelope: JsonRecord,
  { messages, saysNothingSent, why }: Refusal,
): JsonRecord | 'some' | null {
  if (messages === 0) return null;
  const { lists, records } = contentOf(envelope);
  const counts = records.flatMap((record) => countsIn(record, saysNothingSent)).filter((count) => count <= messages);
  const isCounted = counts.some((count) => count > 0);
  const isNone = saysNothingSent && !isCounted && counts.length > 0;
  const isSign = (entry: JsonRecord) => {
    const status = statusOf(entry);
    if (SENT.test(status)) return true;
    const hasId = idOf(entry) !== null && !(saysNothingSent && NOT_SENT.test(status));
    return !isNone && (ON_ITS_WAY.test(status) || hasId);
  };
  const entries = lists.find((list) => list.some(isSign) || (!isNone && differ(list)));
  if (entries !== undefined) {
    return {
      messages: entries.map((entry) => (isPlain(entry) ? entry : { ...entry, status: 'unclear', reason: why })),
    };
  }
  const id = saysNothingSent ? null : (records.map(idOf).find((each) => each !== null) ?? null);
  // `true`, so that an error without a text is one.
  if (id !== null) return { message_id: id, error: [true, why] };
  return isCounted ? 'some' : null;
}

/** Whether some were not sent, and others have another status: then these may have been. */
function differ(entries: readonly JsonRecord[]): boolean {
  const statuses = entries.map(statusOf).filter((status) => status !== '');
  return statuses.some((status) => NOT_SENT.test(status)) && statuses.some((status) => !NOT_SENT.test(status));
}

/** Whether an entry means what it says, in spite of the error: it was sent, or not, or nothing is said of it. */
function isPlain(entry: JsonRecord): boolean {
  const status = statusOf(entry);
  return SENT.test(status) || NOT_SENT.test(status) || (status === '' && idOf(entry) === null);
}

/** The records and the lists of entries in an answer, the outer ones first, without those that are about the account. */
function contentOf(envelope: JsonRecord): Content {
  const lists: JsonRecord[][] = [];
  const records: JsonRecord[] = [];
  let level: Array<readonly [name: string, value: unknown]> = [['', envelope]];
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth += 1) {
    for (const [name, value] of level) {
      if (isRecord(value)) records.push(value);
      if (!Array.isArray(value)) continue;
      const entries = value.filter(isRecord);
      if (LIST.test(name) || entries.some(saysWhich)) lists.push(entries);
    }
    level = level.flatMap(([name, value]) => {
      // What is in a list has its name.
      if (Array.isArray(value)) return value.map((inner: unknown) => [name, inner] as const);
      const fields = isRecord(value) ? Object.entries(value) : [];
      return fields.map(([inner, each]) => [words(inner), each] as const).filter(([each]) => !OF_ACCOUNT.test(each));
    });
  }
  return { lists, records };
}

function saysWhich(entry: JsonRecord): boolean {
  return 'phone' in entry || 'message_id' in entry || 'index' in entry;
}

function countsIn(record: JsonRecord, isDocumentedOnly: boolean): number[] {
  const fields = Object.entries(record).map(([name, value]) => [words(name), value] as const);
  if (fields.some(([name]) => OF_ACCOUNT.test(name))) return [];
  return fields.flatMap(([name, value]) => {
    const isCount = name === COUNT || (!isDocumentedOnly && OTHER_COUNT.test(name));
    const count = Array.isArray(value) ? value.length : typeof value === 'string' ? Number(value) : value;
    return isCount && typeof count === 'number' && Number.isFinite(count) ? [count] : [];
  });
}

/** An ID; a text without a digit is none, but the name of a text. */
function idOf({ message_id: id }: JsonRecord): string | number | null {
  return typeof id === 'number' || (typeof id === 'string' && /^[\w-]*\d[\w-]*$/.test(id)) ? id : null;
}

function statusOf({ status }: JsonRecord): string {
  return typeof status === 'string' ? words(status) : '';
}
