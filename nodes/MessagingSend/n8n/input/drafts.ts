import type { IExecutePaginationFunctions } from 'n8n-workflow';

import { asText, isObject } from '../../api/objects';
import { failure, FailureError } from '../../failures/failure';
import { type Draft, type Drafts, unreadable } from '../../messages/row';
import { countryWithCode } from '../../phone/country';
import { expressionError, ItemParameters, MESSAGE_KEY } from './itemParameters';

/** What an operation makes of the parameters of an item. */
export type ReadDrafts = (item: number, parameters: ItemParameters) => Draft | readonly Draft[];

/** The drafts of the one item that a call through the routing is about. */
export function draftsOfCall(context: IExecutePaginationFunctions, readDrafts: ReadDrafts): Drafts {
  const parameters = new ItemParameters({
    items: [],
    valueOf: (name, _item, fallback, options) => context.getNodeParameter(name, fallback, options),
    evaluate: (expression, item) => context.evaluateExpression(expression, item),
  });
  return { items: 1, of: () => readDrafts(context.getItemIndex(), parameters) };
}

const COUNTRY_CODE = 'options.defaultCountryCode';

/** @param recipient names the parameter with the phone number; the text is in `message` */
export function draftFromItem(item: number, parameters: ItemParameters, recipient = 'phone'): Draft {
  let phone: unknown = null;
  try {
    phone = parameters.read(recipient, item);
    const countryCode = parameters.readOption(COUNTRY_CODE, item, countryCodeIn);
    const key = parameters.readOption(MESSAGE_KEY, item, keyIn);
    const message = parameters.read('message', item);
    const empty = parameters.emptyIn('message', item, message);
    const draft: Draft = { item, entry: null, phone, message, countryCode, key };
    return empty.length === 0 ? draft : { ...draft, empty };
  } catch (error) {
    return brokenParameter(item, error, phone);
  }
}

/** The messages that one item gives to Send Bulk, by the parameter `source`. */
export function draftsFromSource(item: number, parameters: ItemParameters): Draft | readonly Draft[] {
  try {
    const isList = parameters.read('source', item) === 'json';
    return isList ? draftsFromList(item, parameters) : draftFromItem(item, parameters);
  } catch (error) {
    return brokenParameter(item, error);
  }
}

/** The messages in the parameter `messages` of one item: a list of `{ phone, message }`. */
function draftsFromList(item: number, parameters: ItemParameters): readonly Draft[] {
  const list = parseList(parameters.read('messages', item));
  const forAll = {
    countryCode: parameters.readOption(COUNTRY_CODE, item, countryCodeIn),
    key: parameters.readOption(MESSAGE_KEY, item, keyIn),
  };
  if (list === null) throw new FailureError(failure('listNotList'));
  return list.map((value, entry) =>
    isObject(value)
      ? { item, entry, phone: value.phone, message: value.message, ...forAll }
      : unreadable({ item, entry }, null, failure('listEntryNotObject')),
  );
}

/** A list in any form: from an expression, as JSON text, or inside the body that a webhook got; null if it isn't one. */
function parseList(given: unknown): unknown[] | null {
  try {
    const value: unknown = typeof given === 'string' ? JSON.parse(given) : given;
    const list = isObject(value) ? value.messages : value;
    return Array.isArray(list) ? list : null;
  } catch {
    return null;
  }
}

export function brokenParameter(item: number, error: unknown, phone: unknown = null): Draft {
  return unreadable(
    { item, entry: null },
    phone,
    (error instanceof FailureError ? error : expressionError(error)).reason,
  );
}

/**
 * The code in the option Default Country Code, for an item or for a run: 44, or the country's two letters.
 * @throws FailureError if it gives nothing, or can't be a code; whether a country has it is checked with the phone number
 */
export function countryCodeIn(value: unknown): string {
  const text = asText(value).trim();
  if (text === '') throw new FailureError(failure('optionEmpty', { option: 'Default Country Code' }));
  const code = countryWithCode(text.toUpperCase())?.code ?? text.replace(/^(?:\+|00)/, '');
  if (/^[1-9]\d{0,3}$/.test(code)) return code;
  throw new FailureError(failure('countryCodeInvalid'));
}

/**
 * The key in the option Message Key, for an item.
 * @throws FailureError if it has a hole, which would make different messages to a person the same
 */
function keyIn(value: unknown, item: number, parameters: ItemParameters): string {
  const empty = parameters.emptyIn(MESSAGE_KEY, item, [value].join(''));
  if (empty.length > 0) {
    const fields = empty.map((name) => `'${name}'`).join(', ');
    throw new FailureError(failure('keyIncomplete', { fields }));
  }
  const key = asText(value).trim().normalize('NFC');
  if (key === '') throw new FailureError(failure('optionEmpty', { option: 'Message Key' }));
  return key;
}
