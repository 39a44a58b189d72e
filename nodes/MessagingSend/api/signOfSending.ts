import { isRecord, type JsonRecord, words } from './records';
import { FINE, ON_ITS_WAY, PLAINLY_NOT_SENT, SENT } from './statusWords';

/** The API's name for how many messages were sent (2.3), and names that other services use. */
const COUNT = 'messages_sent';
const OTHER_COUNT =
  /^((messages|total)_)?(sent|delivered|succeeded|successful)$|^(sent|delivered|succeeded|successful|success)_(count|messages|total)$/;

/** Fields about the account, not about the messages of the request; so are counts beside them. */
const OF_ACCOUNT =
  /^(?!credits_)(.*_)?(limits?|quotas?|usage|remaining|reset|period|window|balance|accounts?|plan|instances?)(_.*)?$/;

/** Lists with an entry for each message; the entries of other lists count only if they say which message they are about. */
const LIST = /^(data|messages|results)$/;

const MAX_DEPTH = 6;

/**
 * Whether the answer to a rejected request has any sign that some of its messages were sent. The API does not show how a
 * partly failing batch is answered (4.3), so all of the answer is searched.
 * @param messages how many the request had
 * @param isDocumented whether the code is one by which nothing is sent (part 7): then "ok" may mean that a message is
 * valid, and a count of 0 means more than IDs
 */
export function hasSignOfSending(envelope: JsonRecord, messages: number, isDocumented: boolean): boolean {
  if (messages === 0) return false;
  const records: JsonRecord[] = [];
  const lists: JsonRecord[][] = [];
  collect(envelope, '', 0, records, lists);
  const counts = records.flatMap((record) => countsIn(record, isDocumented)).filter((count) => count <= messages);
  if (counts.some((count) => count > 0) || records.some((record) => SENT.test(statusOf(record)))) return true;
  if (!isDocumented && records.some(hasId)) return true;
  const isNone = isDocumented && counts.length > 0;
  return !isNone && lists.some((list) => mayBeSent(list, isDocumented));
}

function mayBeSent(entries: readonly JsonRecord[], isDocumented: boolean): boolean {
  const isRefused = (entry: JsonRecord) => PLAINLY_NOT_SENT.test(statusOf(entry));
  const others = entries.filter((entry) => !isRefused(entry));
  // Where some messages were refused, the others may have been sent.
  if (others.length < entries.length && others.some((entry) => statusOf(entry) !== '')) return true;
  return others.some(
    (entry) => hasId(entry) || ON_ITS_WAY.test(statusOf(entry)) || (!isDocumented && FINE.test(statusOf(entry))),
  );
}

function collect(value: unknown, name: string, depth: number, records: JsonRecord[], lists: JsonRecord[][]): void {
  if (depth >= MAX_DEPTH) return;
  if (Array.isArray(value)) {
    const entries = value.filter(isRecord);
    if (LIST.test(name) || entries.some(saysWhich)) lists.push(entries);
    for (const entry of value) collect(entry, name, depth + 1, records, lists);
  } else if (isRecord(value)) {
    records.push(value);
    for (const [inner, each] of Object.entries(value)) {
      if (!OF_ACCOUNT.test(words(inner))) collect(each, words(inner), depth + 1, records, lists);
    }
  }
}

function saysWhich(entry: JsonRecord): boolean {
  return 'phone' in entry || 'message_id' in entry || 'index' in entry;
}

function countsIn(record: JsonRecord, isDocumented: boolean): number[] {
  const fields = Object.entries(record).map(([name, value]) => [words(name), value] as const);
  if (fields.some(([name]) => OF_ACCOUNT.test(name))) return [];
  return fields.flatMap(([name, value]) => {
    const isCount = name === COUNT || (!isDocumented && OTHER_COUNT.test(name));
    const count = Array.isArray(value) ? value.length : typeof value === 'string' ? Number(value) : value;
    return isCount && typeof count === 'number' && Number.isFinite(count) ? [count] : [];
  });
}

/** A text without a digit is the name of a text, not an ID. */
function hasId({ message_id: id }: JsonRecord): boolean {
  return typeof id === 'number' || (typeof id === 'string' && /^[\w-]*\d[\w-]*$/.test(id));
}

function statusOf({ status }: JsonRecord): string {
  return typeof status === 'string' ? words(status) : '';
}
