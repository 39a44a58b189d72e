/** Made-up data for the tests of several subjects. */
import type { INode } from 'n8n-workflow';

import { isObject, type JsonObject } from '../../nodes/MessagingSend/api/objects';
import { compose } from '../../nodes/MessagingSend/delivery/compose';
import type { Failure } from '../../nodes/MessagingSend/failures/failure';
import type { Intent } from '../../nodes/MessagingSend/journal/journal';
import type { Outcome, Row } from '../../nodes/MessagingSend/messages/row';
import { GivenOptions } from '../../nodes/MessagingSend/n8n/input/readOptions';
import { phoneAt } from '../support/contacts';

/** A message that was read without a doubt, and has no outcome yet. */
export function rowAt(index: number, changed: Partial<Row> = {}): Row {
  const { phone = phoneAt(index) } = changed;
  const content = { phone: phoneAt(index), message: `Text ${index}`, countryCode: null, key: null };
  const rules = { longMessages: 'fail', numberCheck: 'off', emptyFields: 'send' } as const;
  const row = compose({ item: index, entry: null, ...content }, rules);
  return { ...row, phoneGiven: phone, phone, person: phone, readAs: null, ...changed };
}

export const rowsUpTo = (count: number, changed: Partial<Row> = {}): Row[] =>
  Array.from({ length: count }, (_, index) => rowAt(index, changed));

export const noPause = async (): Promise<void> => await Promise.resolve();

/** To send these messages from one account, and to keep none back. */
export function intentOf(rows: readonly Row[]): Intent {
  return {
    rows,
    keptBack: async () => await Promise.resolve(new Set<Row>()),
    senderOf: () => ({ account: 'account' }),
    lost: null,
  };
}

export const SENT: Outcome = { kind: 'sent', messageId: 7, status: 'sent' };

export function failureWith(changed: Partial<Failure> = {}): Failure {
  const told = { code: 'SOME_CODE', message: 'It failed', advice: 'Do something.', serviceSays: '' };
  return { ...told, httpStatus: 400, scope: 'request', outcome: 'not_sent', ...changed };
}

/** Values that a parameter or an answer should not have, but sometimes has. */
export const ODD_VALUES: ReadonlyArray<[name: string, value: unknown]> = [
  ['undefined', undefined],
  ['null', null],
  ['true', true],
  ['false', false],
  ['0', 0],
  ['-1', -1],
  ['NaN', NaN],
  ['Infinity', Infinity],
  ['a big integer', 10n ** 30n],
  ['an empty text', ''],
  ['a space', ' '],
  ['a null character', '\0'],
  ['half of a surrogate pair', '\ud800'],
  ['surrogates in the wrong order', '\udc00\ud800'],
  ['a text of 100,000 characters', 'x'.repeat(100_000)],
  ['an empty list', []],
  ['a list in a list', [null, [undefined]]],
  ['an empty object', {}],
  ['an object without toString', { toString: null }],
  ['an object without a prototype', Object.create(null)],
  [
    'an object with __proto__ as a key',
    JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}'),
  ],
  ['a symbol', Symbol('odd')],
  ['a function', () => 'odd'],
  ['an invalid date', new Date(NaN)],
  ['a map', new Map([['phone', 1]])],
];

/** The values of a list with commas between them, for tables whose rows are single words. */
export const listOf = (values: string): string[] => values.trim().split(/,\s+/);
export const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** The options in these collections as n8n stores them; unlike n8n, it evaluates no expressions. */
export function givenOptions(options: JsonObject, requestOptions: JsonObject = {}): GivenOptions {
  const valueAt = (path: string) =>
    path
      .split('.')
      .reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), { options, requestOptions });
  const valueOf = (path: string, _item: number, fallback?: unknown) => valueAt(path) ?? fallback;
  return new GivenOptions({ items: [], valueOf, evaluate: () => undefined });
}

/** A node of a workflow, for code that only asks which one it is. */
export function nodeOfType(type: string): INode {
  return { id: '1', name: 'Messaging Send', type, typeVersion: 1, position: [0, 0], parameters: {} };
}
