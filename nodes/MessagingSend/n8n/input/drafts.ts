import type { IExecuteFunctions, IExecutePaginationFunctions } from 'n8n-workflow';

import { asText, isRecord } from '../../api/records';
import { failure, FailureError } from '../../failures/failure';
import { type Draft, type Drafts, type Unreadable, unreadable } from '../../messages/draft';
import { countryWithCode } from '../../phone/country';
import { reasonOf } from '../output/sentences';
import { emptyFieldsIn, parametersOf, type ReadParameter } from './itemParameters';

/** What an operation makes of the parameters of an item. */
export type ReadDrafts = (item: number, read: ReadParameter) => Draft | readonly Draft[];

export function draftsOfRun(context: IExecuteFunctions, readDrafts: ReadDrafts): Drafts {
  const read = naming(parametersOf(context));
  const emptyIn = emptyFieldsIn(context);
  const of = (item: number): Draft | readonly Draft[] => {
    const drafts = readDrafts(item, read);
    if (!('kind' in drafts) || drafts.kind !== 'given') return drafts;
    const empty = emptyIn(item, drafts.message);
    return empty.length === 0 ? drafts : { ...drafts, empty };
  };
  return { items: context.getInputData().length, of };
}

/** The drafts of the one item that a call through the routing is about. */
export function draftsOfCall(context: IExecutePaginationFunctions, readDrafts: ReadDrafts): Drafts {
  const read = naming((name, _item, fallback) => {
    const raw: unknown = context.getNodeParameter(name, fallback, { rawExpressions: true });
    return raw === '' && fallback !== undefined ? fallback : context.getNodeParameter(name, fallback);
  });
  return { items: 1, of: () => readDrafts(context.getItemIndex(), read) };
}

/** Reads parameters. @throws FailureError for an expression that fails; it names the parameter as the panel shows it */
export function naming(read: ReadParameter): ReadParameter {
  return (name, ...more) => {
    try {
      return read(name, ...more);
    } catch (error) {
      throw expressionError(error, name);
    }
  };
}

/** @param name of the parameter: `options.messageKey` is shown as 'Message Key', any field of the form as 'Form Elements' */
function expressionError(error: unknown, name = ''): FailureError {
  const [first = ''] = name.replace('options.', '').replace('formFields', 'formElements').split('.');
  const shown = first.replace(/^./, (letter) => letter.toUpperCase()).replace(/\B[A-Z]/g, ' $&');
  const place = shown && ` in '${shown}'`;
  return new FailureError(failure('expressionFailed', { place, reason: reasonOf(error) }));
}

const COUNTRY_CODE = 'options.defaultCountryCode';

/** Tells an option that is not set from one whose expression gives nothing. */
export const NOT_SET = '\0';

/** The message that the parameters `phone` and `message` make of one item. */
export function draftFromItem(item: number, read: ReadParameter): Draft {
  let phone: unknown = null;
  try {
    phone = read('phone', item);
    const countryCode = countryCodeIn(read(COUNTRY_CODE, item, NOT_SET));
    const key = readMessageKey(item, read);
    return { kind: 'given', item, entry: null, phone, message: read('message', item), countryCode, key };
  } catch (error) {
    return brokenParameter(item, error, phone);
  }
}

/** The messages that one item gives to Send Bulk, by the parameter `source`. */
export function draftsFromSource(item: number, read: ReadParameter): Draft | readonly Draft[] {
  try {
    return read('source', item) === 'json' ? draftsFromList(item, read) : draftFromItem(item, read);
  } catch (error) {
    return brokenParameter(item, error);
  }
}

/** The messages in the parameter `messages` of one item: a list of `{ phone, message }`. */
function draftsFromList(item: number, read: ReadParameter): readonly Draft[] {
  const origin = { item, entry: null };
  const list = parseList(read('messages', item));
  const forAll = { countryCode: countryCodeIn(read(COUNTRY_CODE, item, NOT_SET)), key: readMessageKey(item, read) };
  if (list === null) return [unreadable(origin, null, failure('listNotList'))];
  return list.map((value, entry) =>
    isRecord(value)
      ? { kind: 'given', item, entry, phone: value.phone, message: value.message, ...forAll }
      : unreadable({ item, entry }, null, failure('listEntryNotObject')),
  );
}

/** A list in any form: from an expression, as JSON text, or inside the body that a webhook got; null if it is none. */
function parseList(given: unknown): unknown[] | null {
  try {
    const value: unknown = typeof given === 'string' ? JSON.parse(given) : given;
    const list = isRecord(value) ? value.messages : value;
    return Array.isArray(list) ? list : null;
  } catch {
    return null;
  }
}

export function brokenParameter(item: number, error: unknown, phone: unknown = null): Unreadable {
  return unreadable(
    { item, entry: null },
    phone,
    (error instanceof FailureError ? error : expressionError(error)).reason,
  );
}

/**
 * What the option Default Country Code has for an item, or for a run: 44, or the country's two letters.
 * @returns the code; null where the option is not set
 * @throws FailureError if it gives nothing, or can't be a code; whether a country has it is checked with the phone number
 */
export function countryCodeIn(value: unknown): string | null {
  if (value === NOT_SET) return null;
  const text = asText(value).trim();
  if (text === '') throw new FailureError(failure('optionEmpty', { option: 'Default Country Code' }));
  const code = countryWithCode(text.toUpperCase())?.code ?? text.replace(/^(?:\+|00)/, '');
  if (/^[1-9]\d{0,3}$/.test(code)) return code;
  throw new FailureError(failure('countryCodeInvalid'));
}

/**
 * Reads the option Message Key.
 * @returns null where it is not set
 * @throws FailureError where it gives nothing, which would make all such messages the same
 */
function readMessageKey(item: number, read: ReadParameter): string | null {
  const value = read('options.messageKey', item, NOT_SET);
  if (value === NOT_SET) return null;
  const text = asText(value).trim();
  if (text === '' || Number.isNaN(value)) throw new FailureError(failure('optionEmpty', { option: 'Message Key' }));
  return text;
}
