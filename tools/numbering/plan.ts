import examples from 'libphonenumber-js/examples.mobile.json';
import metadata from 'libphonenumber-js/metadata.max.json';

import { startOf } from '../../nodes/MessagingSend/phone/country';

type Text = string | 0;
type NumberType = 0 | [pattern: string, lengths?: number[]];

/** A region in libphonenumber-js's metadata `max`, the only one with types of numbers; its `Metadata` class has names. */
type Fields = readonly [
  ...[code: string, exit: Text, pattern: string, lengths: number[], formats: unknown, trunk: Text, formatting: unknown],
  ...[parsing: Text, rule: Text, isOptional: unknown, leadingDigits: Text, types: NumberType[]],
];
export const METADATA = metadata as unknown as {
  readonly country_calling_codes: Readonly<Record<string, string[]>>;
  readonly countries: Readonly<Record<string, Fields>>;
  readonly nonGeographic: Readonly<Record<string, Fields>>;
};

/** What the node needs to know about numbers with a country code. */
export const PLAN_FILE = 'nodes/MessagingSend/phone/numberingPlan.ts';

/** The contents of PLAN_FILE, made from {@link METADATA}. */
export function numberingPlanFile(): string {
  const { country_calling_codes, countries, nonGeographic } = METADATA;
  const geographic = Object.entries(country_calling_codes).map(([code, names]) =>
    line(
      code,
      names.join(''),
      names.flatMap((name) => (countries[name] ? [region(name, countries[name])] : [])),
    ),
  );
  const others = Object.entries(nonGeographic).map(([code, given]) => line(code, '', [region(code, given)]));
  const lines = [...geographic, ...others];
  return `${HEADER}export const NUMBERING_PLAN = String.raw\`\n${byFirstDigit(lines)}\n\`;\n`;
}

/** Writes entries with spaces between them; country codes with the same first digit share a line. */
export function byFirstDigit(entries: readonly string[]): string {
  return Array.from('123456789', (digit) => entries.filter((entry) => entry.startsWith(digit)).join(' ')).join('\n');
}

const HEADER = `// Written by \`npm run numbering\` from libphonenumber-js's metadata.

/**
 * For each country code: the code; its regions, the main one first; how many digits follow the code; the domestic
 * prefix, and after a slash the pattern of all of them if there are several; whether the digits can begin with 0 (k:
 * usual, r: only in special numbers); the pattern of international prefixes, if not 00; the usual length of mobile
 * numbers; the lengths of mobile numbers, and a pattern of what these begin with; the same two for landlines.
 */
`;

/**
 * Countries whose landlines need their pattern, because the first two digits take many mobile numbers of other countries
 * for landlines. Each costs the package 10 to 330 bytes, so the others do without.
 */
const LANDLINES_BY_PATTERN: ReadonlySet<string> = new Set(
  'AR AT BR CD CN CU DE DZ EG HR ID IE IL KH KR LB MX MY PH PK PM SE TR TW'.split(' '),
);

/** By how many of their first digits mobile numbers are known where their patterns are long. */
const KNOWN_BY: Readonly<Record<string, number>> = { '1': 3, '56': 3, '852': 3, '995': 4, '998': 4 };

/** What the API takes (4.2), with the country code. */
const [MIN_DIGITS, MAX_DIGITS] = [7, 15];

type Region = ReturnType<typeof region>;

function line(code: string, name: string, regions: readonly Region[]): string {
  // Canada has 7-digit numbers, which can't be dialed from abroad. Mostly, 7 digits just lack their area code.
  const all = regions.flatMap((region) => region.lengths).filter((length) => code !== '1' || length !== 7);
  const isPossible = (digits: number) => digits >= MIN_DIGITS && digits <= MAX_DIGITS;
  const usualZero = regions.some(({ fixed, mobile }) => canBeginWith(fixed, '0') || canBeginWith(mobile, '0'));
  const anyZero = regions.some(({ pattern }) => canBeginWith(pattern, '0'));
  // Without a region, there is no domestic prefix that a 0 could be.
  const zero = usualZero || (anyZero && name === '') ? 'k' : anyZero ? 'r' : '';
  const trunk = regions.find((region) => region.trunk !== '')?.trunk ?? '';
  const usual = Math.min(...regions.map(({ example }) => example.length).filter((length) => length > 0));
  const prefix = alternatives(regions.map((region) => region.prefix));
  const exit = alternatives(regions.map((region) => region.exit));
  // In North America, mobile numbers look like landlines, and the patterns of its 25 regions are long: area codes do.
  const own = regions.flatMap(({ fixed, mobile }) => (code === '1' ? [fixed, mobile] : [mobile]));
  const start = `(${firstDigits(own, KNOWN_BY[code] ?? 0)})${code === '1' ? '[2-9]\\d{6}' : ''}`;
  // Ofcom reserves 77009 for examples: such numbers belong to nobody.
  const mobile = code in KNOWN_BY ? [start] : [...own, code === '44' ? '77009\\d{5}' : ''];
  const landline =
    name === '' || code === '1' ? [] : regions.map(({ fixed }) => fixed).filter((pattern) => !own.includes(pattern));
  const pattern = alternatives(landline);
  const mobileLengths = ranges(regions.flatMap((region) => region.mobileLengths));
  const landlineLengths = ranges(regions.flatMap((region) => region.fixedLengths));
  const isWhole = canBeginWith(pattern, '0') || regions.some((region) => LANDLINES_BY_PATTERN.has(region.name));
  const fields = [
    code,
    name,
    ranges(all.filter((length) => isPossible(code.length + length))),
    prefix === trunk ? trunk : `${trunk}/${prefix}`,
    zero,
    exit === '00' ? '' : exit,
    Number.isFinite(usual) ? usual : '',
    mobileLengths,
    beginning(alternatives(mobile), mobileLengths),
    pattern === '' ? '' : landlineLengths,
    isWhole ? beginning(pattern, landlineLengths) : firstDigits(landline, 2),
  ];
  return fields.join(';').replace(/;+$/, '');
}

const DIGITS = Array.from({ length: 10 }, (_, digit) => digit);

/** A pattern of the first digits of these patterns' numbers, as many as told; null if there are none. */
function firstDigits(patterns: readonly string[], count: number, start = ''): string | null {
  if (!patterns.some((pattern) => canBeginWith(pattern, start))) return null;
  const rests = (count > 0 ? DIGITS : []).map((digit) => firstDigits(patterns, count - 1, `${start}${digit}`));
  const digitsBefore = (rest: string) => ranges(DIGITS.filter((digit) => rests[digit] === rest)).replaceAll(',', '');
  const ways = [...new Set(rests)].flatMap((rest) => (rest === null ? [] : `[${digitsBefore(rest)}]${rest}`));
  const all = ways.join('|').replace(/\[(.)\]/g, '$1');
  return all === '[0-9]' ? '' : ways.length > 1 && start !== '' ? `(${all})` : all;
}

/** What numbers of a pattern begin with. If all have one length, what can be any digit at their end goes without saying. */
function beginning(pattern: string, lengths: string): string {
  if (pattern === '' || /\D/.test(lengths)) return pattern && `(${pattern})$`;
  let [isEnd, kept] = [true, ''];
  const endsOfGroups: boolean[] = [];
  for (const part of pattern.match(/\\d(?:\{\d+\})?|./g)?.reverse() ?? []) {
    if (isEnd && part.startsWith('\\d')) continue;
    if (part === ')') endsOfGroups.push(isEnd);
    else if (part === '|') isEnd = endsOfGroups.at(-1) ?? true;
    else isEnd = false;
    if (part === '(') endsOfGroups.pop();
    kept = part + kept;
  }
  return kept;
}

function canBeginWith(pattern: string, digits: string): boolean {
  return pattern !== '' && startOf(pattern).test(digits);
}

/** Joins several patterns. */
function alternatives(patterns: readonly string[]): string {
  return [...new Set(patterns.filter((pattern) => pattern !== ''))].join('|').replaceAll('(?:', '(');
}

/** A region of the numbering plan. Patterns are regular expressions of a number without its country code. */
function region(name: string, fields: Fields) {
  const [, exit, pattern, lengths, , trunk, , parsing, rule, , , [fixed = 0, ownMobile = 0]] = fields;
  // If mobile numbers can't be told from others, their pattern is empty.
  const mobile = ownMobile === 0 || ownMobile[0] === '' ? fixed : ownMobile;
  const patternOf = (type: NumberType) => (type === 0 ? '' : type[0]);
  const lengthsOf = (type: NumberType) => (type === 0 ? lengths : (type[1] ?? lengths));
  return {
    name,
    pattern,
    lengths,
    trunk: trunk || '',
    /** Everything that is dialed before a number inside the country; a pattern. */
    prefix: prefixIn(trunk || '', parsing || '', rule || ''),
    /** The international prefix; a pattern if there are several. */
    exit: exit || '',
    fixed: patternOf(fixed),
    fixedLengths: lengthsOf(fixed),
    mobile: patternOf(mobile),
    mobileLengths: mobile === 0 ? [] : lengthsOf(mobile),
    /** An example of a mobile number; empty if there is none. */
    example: (examples as Partial<Record<string, string>>)[name] ?? '',
  };
}

/**
 * What is dialed inside a country, from libphonenumber's `nationalPrefixForParsing` and its transform rule. Rules that add
 * an area code are left out: without it, nobody knows whose number it is.
 */
function prefixIn(trunk: string, parsing: string, rule: string): string {
  const prefixes = parsing.replace(/\([^()]*\)\$\|?/, '');
  // Argentina's 15 is read in `usualSpelling`. One of Japan's begins with 00, like toll-free numbers there.
  if (prefixes === '' || /^\W*00/.test(prefixes) || (prefixes === parsing && /^\d/.test(rule))) return trunk;
  // What a rule such as $2 keeps is only looked at.
  let group = 0;
  return prefixes.replace(/\((?!\?)/g, (open) => (rule === `$${(group += 1)}` ? '(?=' : open));
}

/** Writes 7, 9, 10, 11 as `7,9-11`, and 9, 10 as `9,10`. */
function ranges(given: readonly number[]): string {
  const sorted = [...new Set(given)].sort((a, b) => a - b);
  const starts = sorted.filter((number) => !sorted.includes(number - 1));
  const ends = sorted.filter((number) => !sorted.includes(number + 1));
  const marks = starts.map((start) => (given.includes(start + 2) ? '-' : ','));
  return starts.map((start, index) => [...new Set([start, ends[index]])].join(marks[index])).join(',');
}
