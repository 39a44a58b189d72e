import { isRecord, type JsonRecord, words } from './records';
import { FINE, ON_ITS_WAY, PLAINLY_NOT_SENT, SENT } from './statusWords';

/** The API's name for how many messages were sent (2.3), and names that other services use. */
const COUNT = 'messages_sent';
const OTHER_COUNT =
  /^((messages|total)_)?(sent|delivered|succeeded|successful)$|^(sent|delivered|succeeded|successful|success)_(count|messages|total)$/;

/** Fields about the account: they are not searched, nor are counts beside them about the request. */
const OF_ACCOUNT =
  /^(?!credits_)(.*_)?(limits?|quotas?|usage|remaining|reset|period|window|balance|accounts?|plan|instances?)(_.*)?$/;

/** Lists with an entry for each message. Other lists count only if an entry says which message it is about. */
const LIST = /^(data|messages|results)$/;

const MAX_DEPTH = 7;

/**
 * Whether a rejection has any sign that some messages of its request were sent. The API does not show how it answers a
 * batch that fails in part (4.3), so the whole answer is searched.
 * @param messages how many the request had
 * @param isDocumented whether the code is one by which nothing is sent (part 7). Then "ok" may only mean that a message
 * is valid, and a count of 0 outweighs IDs.
 */
export function hasSignOfSending(envelope: JsonRecord, messages: number, isDocumented: boolean): boolean {
  if (messages === 0) return false;
  const found = recordsIn(envelope);
  const counts = found.flatMap(({ record }) => countsIn(record, isDocumented)).filter((count) => count <= messages);
  if (counts.some((count) => count > 0)) return true;
  if (found.some(({ record }) => SENT.test(statusOf(record)) || (!isDocumented && hasId(record)))) return true;
  if (isDocumented && counts.length > 0) return false;

  const entries = found.filter(({ isEntry }) => isEntry).map(({ record }) => record);
  const others = entries.filter((entry) => !PLAINLY_NOT_SENT.test(statusOf(entry)));
  // Where some messages were refused, any other status may mean that the message was sent.
  const isMixed = others.length < entries.length;
  return others.some((entry) => {
    const status = statusOf(entry);
    return hasId(entry) || ON_ITS_WAY.test(status) || (isMixed ? status !== '' : !isDocumented && FINE.test(status));
  });
}

interface Found {
  readonly record: JsonRecord;
  /** Whether it is in a list with an entry for each message. */
  readonly isEntry: boolean;
}

function recordsIn(value: unknown, name = '', isEntry = false, depth = 0): Found[] {
  if (depth >= MAX_DEPTH) return [];
  if (Array.isArray(value)) {
    const isListOfMessages = LIST.test(name) || value.some(saysWhich);
    return value.flatMap((inner) => recordsIn(inner, name, isListOfMessages, depth + 1));
  }
  if (!isRecord(value)) return [];
  const fields = Object.entries(value).map(([inner, each]) => [words(inner), each] as const);
  const others = fields.filter(([inner]) => !OF_ACCOUNT.test(inner));
  return [{ record: value, isEntry }, ...others.flatMap(([inner, each]) => recordsIn(each, inner, false, depth + 1))];
}

function saysWhich(entry: unknown): boolean {
  return isRecord(entry) && ('phone' in entry || 'message_id' in entry || 'index' in entry);
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
