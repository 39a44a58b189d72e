/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
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
  /** Counts the texts; the same for texts that a reader sees as the same. */
  readonly number: number;
  /** Whether its field for the 'Message Key' is missing. */
  readonly hasHole: boolean;
  readonly hasEmptyField: boolean;
}

export interface List {
  readonly source: 'items' | 'json';
  /** By item; with the source `items` each item has one input. */
  readonly inputs: Input[][];
}

/** A placeholder in each text; an attempt replaces it with something of the same length. */
export const STAMP = '#############';
export const withoutStamp = (text: string): string => text.replace(/\d{13}/, STAMP);

/** Only a few phone numbers, so that many messages share one. */
export const phones = fc.integer({ min: 0, max: 5 }).map(phoneAt);

interface Draft extends Omit<Input, 'text' | 'number'> {
  readonly length: number;
  readonly like: number | null;
  readonly writing: (typeof WRITINGS)[number];
}

const WRITINGS = [
  (text: string) => text,
  (text: string) => `${text} `,
  (text: string) => `${text}\n`,
  (text: string) => text.normalize('NFD'),
] as const;

const goodPhone = fc.oneof(
  { weight: 12, arbitrary: phones.map((digits) => ({ phone: digits as unknown, cleanPhone: digits })) },
  { weight: 1, arbitrary: phones.map((digits) => ({ phone: withPlus(digits), cleanPhone: digits })) },
  { weight: 1, arbitrary: phones.map((digits) => ({ phone: Number(digits), cleanPhone: digits })) },
);
function withPlus(digits: string): string {
  return `+${digits.slice(0, 2)} (0)${digits.slice(2, 6)} ${digits.slice(6)}`;
}
const badPhone = fc.constantFrom('', 'abc', null, {}, '123').map((bad) => ({ phone: bad, cleanPhone: null }));
const goodLength = fc.oneof(
  { weight: 12, arbitrary: fc.constant(30) },
  { weight: 1, arbitrary: fc.constantFrom(1000, 1001, 2500) },
);
const content = {
  length: goodLength,
  like: fc
    .option(fc.nat({ max: 20 }), { freq: 5, nil: null })
    .map((index) => (index !== null && index % 3 === 0 ? index : null)),
  writing: fc.constantFrom(...WRITINGS),
  hasHole: fc.constant(false),
  hasEmptyField: fc.nat({ max: 9 }).map((number) => number === 0),
};

const goodDraft: fc.Arbitrary<Draft> = fc
  .record({ phone: goodPhone, ...content })
  .map(({ phone, ...rest }) => ({ ...phone, ...rest }));
const badDraft: fc.Arbitrary<Draft> = fc.oneof(
  fc.record({ phone: badPhone, ...content }).map(({ phone, ...rest }) => ({ ...phone, ...rest })),
  goodDraft.map((draft) => ({ ...draft, length: 0 })),
  goodDraft.map((draft) => ({ ...draft, hasHole: true })),
);
const NO_PHONE: Draft = {
  ...{ phone: undefined, cleanPhone: null, length: 30, like: null },
  ...{ writing: WRITINGS[0], hasHole: false, hasEmptyField: false },
};

/** With On Error set to Stop, a message that can't be sent keeps all others from being sent. */
export const drafts = fc.oneof(
  draftsOf(goodDraft, 1),
  draftsOf(fc.oneof({ weight: 6, arbitrary: goodDraft }, { weight: 1, arbitrary: badDraft }), 0),
);

function draftsOf(draft: fc.Arbitrary<Draft>, minLength: number): fc.Arbitrary<Draft[][]> {
  return fc.array(fc.array(draft, { minLength, maxLength: 4 }), { minLength: 1, maxLength: 12 });
}

/**
 * Gives every message its own text, except those that repeat an earlier one, perhaps in another writing.
 * @param areShort whether no text is long enough to be split
 */
export function listOf(source: List['source'], given: Draft[][], areShort: boolean): List {
  const earlier: Input[] = [];
  // An item has one message, or a list of any length.
  const lists = source === 'json' ? given : given.map(([first = NO_PHONE]) => [first]);
  const inputs = lists.map((list) =>
    list.map((one) => {
      const repeated = one.like === null ? undefined : earlier[one.like];
      const length = areShort ? Math.min(one.length, 30) : one.length;
      const input = repeated === undefined ? inputOf({ ...one, length }, earlier.length) : rewritten(repeated, one);
      earlier.push(input);
      return input;
    }),
  );
  return { source, inputs };
}

function inputOf({ length, like: _, writing: __, ...rest }: Draft, number: number): Input {
  return { ...rest, text: length === 0 ? '  ' : `Text ${number} ${STAMP} caf\u00e9 `.padEnd(length, 'x'), number };
}

/** The same message as a reader sees it: person and text are the same, and may be written in another way. */
function rewritten(input: Input, { writing, hasHole, hasEmptyField }: Draft): Input {
  const { phone, cleanPhone, text } = input;
  const respelled = cleanPhone !== null && writing !== WRITINGS[0] ? withPlus(cleanPhone) : phone;
  return { ...input, phone: respelled, text: writing(text.trimEnd()), hasHole, hasEmptyField };
}

/**
 * What a user changes between attempts, the same throughout a scenario: a row that replaces another one with its phone
 * and place could also be that row with a new text.
 */
export type Change = 'remove' | 'add' | 'swap' | 'order';

/**
 * `order` reverses the texts to each phone.
 * @param places of the rows to change, in pairs for `swap`; taken modulo the length
 */
export function changed(list: List, change: Change, places: readonly number[]): List {
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
      const input = inputOf({ ...NO_PHONE, phone, cleanPhone: phone }, 1000 + rows.length);
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
