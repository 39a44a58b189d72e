/** What a workflow sends, and how the list may differ in a retry. */
import fc from 'fast-check';

import { phoneAt } from '../../support/contacts';

/** An item, or an entry of a list. */
export interface Input {
  readonly phone: unknown;
  /** The digits that the service should receive; null if the phone is invalid. */
  readonly cleanPhone: string | null;
  /** With {@link STAMP} in it. */
  readonly text: string;
  /** Its 'Message Key': one for each text. */
  readonly key: string;
}

export interface List {
  readonly source: 'items' | 'json';
  /** By item; with the source `items` each item has one input. */
  readonly inputs: Input[][];
}

/** A placeholder in each text; an attempt replaces it with something of the same length. */
export const STAMP = '#############';

/** The text as it is in the scenario. */
export function withoutStamp(text: string): string {
  return text.replace(/\d{13}/, STAMP);
}

/** Only a few phone numbers, so that many messages share one. */
export const phones = fc.integer({ min: 0, max: 5 }).map(phoneAt);

type Draft = Pick<Input, 'phone' | 'cleanPhone'> & { readonly length: number; readonly like: number | null };

const goodPhone = fc.oneof(
  { weight: 12, arbitrary: phones.map((digits) => ({ phone: digits as unknown, cleanPhone: digits })) },
  {
    weight: 1,
    arbitrary: phones.map((digits) => ({
      phone: `+${digits.slice(0, 2)} (0)${digits.slice(2, 6)} ${digits.slice(6)}`,
      cleanPhone: digits,
    })),
  },
  { weight: 1, arbitrary: phones.map((digits) => ({ phone: Number(digits), cleanPhone: digits })) },
);
const badPhone = fc.constantFrom('', 'abc', null, {}, '123').map((bad) => ({ phone: bad, cleanPhone: null }));
const goodLength = fc.oneof(
  { weight: 12, arbitrary: fc.constant(30) },
  { weight: 1, arbitrary: fc.constantFrom(1000, 1001, 2500) },
);
const like = fc
  .option(fc.nat({ max: 20 }), { freq: 5, nil: null })
  .map((index) => (index !== null && index % 3 === 0 ? index : null));

const goodDraft: fc.Arbitrary<Draft> = fc
  .record({ phone: goodPhone, length: goodLength, like })
  .map(({ phone, ...rest }) => ({ ...phone, ...rest }));
const badDraft: fc.Arbitrary<Draft> = fc.oneof(
  fc.record({ phone: badPhone, length: goodLength, like }).map(({ phone, ...rest }) => ({ ...phone, ...rest })),
  goodDraft.map((draft) => ({ ...draft, length: 0 })),
);
const NO_PHONE: Draft = { phone: undefined, cleanPhone: null, length: 30, like: null };

/** With On Error set to Stop, a message that can't be sent keeps all others from being sent. */
export const drafts = fc.oneof(
  draftsOf(goodDraft, 1),
  draftsOf(fc.oneof({ weight: 6, arbitrary: goodDraft }, { weight: 1, arbitrary: badDraft }), 0),
);

function draftsOf(draft: fc.Arbitrary<Draft>, minLength: number): fc.Arbitrary<Draft[][]> {
  return fc.array(fc.array(draft, { minLength, maxLength: 4 }), { minLength: 1, maxLength: 12 });
}

/** Gives every message its own text, except those that repeat an earlier one. */
export function listOf(source: List['source'], given: Draft[][]): List {
  const earlier: Input[] = [];
  // An item has one message, or a list of any length.
  const lists = source === 'json' ? given : given.map(([first = NO_PHONE]) => [first]);
  const inputs = lists.map((list) =>
    list.map((one) => {
      const repeated = one.like === null ? undefined : earlier[one.like];
      const input = repeated ?? inputOf(one, earlier.length);
      earlier.push(input);
      return input;
    }),
  );
  return { source, inputs };
}

function inputOf({ phone, cleanPhone, length }: Omit<Draft, 'like'>, number: number): Input {
  const text = length === 0 ? '  ' : `Text ${number} ${STAMP} `.padEnd(length, 'x');
  return { phone, cleanPhone, text, key: `Key ${number}` };
}

/**
 * What a user changes between attempts, the same throughout a scenario: a row that replaces another one with its phone
 * and place could also be that row with a new text.
 */
export type Change = 'remove' | 'add' | 'swap' | 'order' | 'source';

/** The changes that a list allows: n8n gives a retry the same items, whose values can differ, but not their number. */
export const CHANGES: Readonly<Record<'send' | 'items' | 'json', readonly Change[]>> = {
  send: ['swap', 'order', 'order'],
  items: ['swap', 'order', 'order', 'source'],
  json: ['remove', 'add', 'swap', 'order'],
};

/**
 * `order` reverses the texts to each phone.
 * @param places of the rows to change, in pairs for `swap`; taken modulo the length
 */
export function changed(list: List, change: Change, places: readonly number[]): List {
  if (change === 'source') return { ...list, source: list.source === 'items' ? 'json' : 'items' };
  const rows = list.inputs.flatMap((own, item) => own.map((input) => ({ item, input })));
  if (change === 'order') {
    const left = rows.map(({ input }) => input);
    for (const row of rows) {
      const last = left.findLastIndex(({ cleanPhone }) => cleanPhone === row.input.cleanPhone);
      [row.input = row.input] = left.splice(last, 1);
    }
  }
  for (const [index, place] of places.entries()) {
    const at = place % (rows.length + (change === 'add' ? 1 : 0));
    const row = rows[at];
    if (change === 'add') {
      const phone = phoneAt(place % 6);
      const input = inputOf({ phone, cleanPhone: phone, length: 30 }, 1000 + rows.length);
      rows.splice(at, 0, { item: row?.item ?? list.inputs.length - 1, input });
    } else if (row !== undefined && change === 'remove') {
      rows.splice(at, 1);
    } else if (row !== undefined && index % 2 === 1) {
      const other = rows[(places[index - 1] ?? 0) % rows.length] ?? row;
      [row.input, other.input] = [other.input, row.input];
    }
  }
  const inputs = list.inputs.map((_, item) => rows.filter((row) => row.item === item).map(({ input }) => input));
  return { ...list, inputs };
}
