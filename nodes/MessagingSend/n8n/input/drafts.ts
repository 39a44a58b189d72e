import { asText, isObject, type JsonObject } from '../../api/objects';
import { failure, FailureError } from '../../failures/failure';
import type { Draft } from '../../messages/row';
import { countryWithCode } from '../../phone/country';
import { expressionError, fieldNames, type ItemParameters, MESSAGE_KEY, NOT_ADDED } from './itemParameters';

/** What an operation makes of the parameters of an item. */
export type ReadDrafts = (item: number, parameters: ItemParameters) => Draft | readonly Draft[];

/** @param recipient names the parameter with the phone number; the text is in `message` */
export function draftFromItem(item: number, parameters: ItemParameters, recipient = 'phone'): Draft {
  let phone: unknown = null;
  try {
    phone = parameters.read(recipient, item);
    const countryCode = countryCodeOf(item, parameters);
    const key = keyOf(item, parameters);
    const message = parameters.read('message', item);
    const empty = parameters.emptyIn('message', item, message);
    const draft: Draft = { item, entry: null, phone, message, countryCode, key };
    return empty.length === 0 ? draft : { ...draft, empty };
  } catch (error) {
    return brokenParameter(item, error, phone);
  }
}

/** What one item gives to Send Bulk: by `source`, its own message or those in `messages`, a list of `{ phone, message }`. */
export function draftsFromSource(item: number, parameters: ItemParameters): Draft | readonly Draft[] {
  try {
    if (parameters.read('source', item) !== 'json') return draftFromItem(item, parameters);
    const list = parseList(parameters.read('messages', item, undefined, isPlainList));
    const forAll = { countryCode: countryCodeOf(item, parameters), key: keyOf(item, parameters) };
    return list.map((value, entry) => {
      const given = isObject(value) ? value : {};
      const { phone, message } = given;
      if ('phone' in given && 'message' in given) return { item, entry, phone, message, ...forAll };
      const names = fieldNames(Object.keys(given));
      const has = names && ` It has only ${names}.`;
      const incomplete = failure('listEntryIncomplete', { has });
      return { item, entry, phone: phone ?? null, message: null, ...forAll, failure: incomplete };
    });
  } catch (error) {
    return brokenParameter(item, error);
  }
}

/** `{ messages: […] }`, as in the body that a webhook got, stands for the list in it, any other object for a list of one. */
function listIn(value: unknown): unknown {
  return isObject(value) ? (value.messages ?? [value]) : value;
}

/** Whether n8n would give the same list: it replaces values that have their own `toJSON`, such as dates. */
function isPlainList(value: unknown): boolean {
  const list = listIn(value);
  const isPlain = (each: unknown) => typeof each !== 'object' || each === null || !('toJSON' in each);
  const isPlainEntry = (entry: JsonObject | null) => [entry, entry?.phone, entry?.message].every(isPlain);
  return isPlain(value) && Array.isArray(list) && isPlain(list) && list.every(isPlainEntry);
}

/** A list from an expression or in JSON, from which `trim` also takes a file's byte order mark. */
function parseList(given: unknown): unknown[] {
  try {
    const list = listIn(typeof given === 'string' ? JSON.parse(given.trim()) : given);
    if (Array.isArray(list)) return list;
  } catch {
    // V8's reason quotes the text, which can be personal.
  }
  throw new FailureError(failure('listNotList'));
}

function brokenParameter(item: number, error: unknown, phone: unknown = null): Draft {
  const { reason } = error instanceof FailureError ? error : expressionError(error);
  return { item, entry: null, phone, message: null, countryCode: null, key: null, failure: reason };
}

/**
 * The code in the option Default Country Code: 44, or the country's two letters. Null if the option isn't added.
 * @throws FailureError if it gives nothing, or can't be a code; whether a country has it is checked with the phone number
 */
function countryCodeOf(item: number, parameters: ItemParameters): string | null {
  const value = parameters.read('options.defaultCountryCode', item, NOT_ADDED);
  if (value === NOT_ADDED) return null;
  const text = asText(value).trim();
  if (text === '')
    throw new FailureError(failure('optionEmpty', { option: 'Default Country Code', needed: 'a text or a number' }));
  // The United Kingdom's code is GB, but people write UK.
  const code = countryWithCode(text.toUpperCase().replace(/^UK$/, 'GB'))?.code ?? text.replace(/^(?:\+|00)/, '');
  if (/^[1-9]\d{0,3}$/.test(code)) return code;
  throw new FailureError(failure('countryCodeInvalid'));
}

/**
 * The key in the option Message Key; null if the option isn't added.
 * @throws FailureError if it has a hole, which would make different messages to a person the same
 */
function keyOf(item: number, parameters: ItemParameters): string | null {
  const value = parameters.read(MESSAGE_KEY, item, NOT_ADDED);
  if (value === NOT_ADDED) return null;
  const empty = parameters.emptyIn(MESSAGE_KEY, item, [value].join(''));
  const key = asText(value).trim().normalize('NFC');
  if (empty.length === 0 && key !== '') return key;
  const from = empty.length > 0 ? ` from ${empty.map((name) => `'${name}'`).join(', ')}` : '';
  throw new FailureError(failure('optionEmpty', { option: 'Message Key', needed: `a text or a number${from}` }));
}
