/** Words that programs write in place of a missing value: one table for texts, their expressions, fields and keys. */

/** JavaScript's, and the errors of spreadsheets. A key with one of them has a hole, whoever wrote it. */
const CERTAIN =
  /[Uu]ndefined|UNDEFINED|(?<!\p{L})(?:null|NULL|NaN|Invalid (?:[Dd]ate|DateTime|Duration|Interval))(?!\p{L})|\[object \w+\]|function [\w$]*\(\) \{ \[native code\] \}|#(?:N\/A|NAME\?|(?:REF|ERROR|VALUE|DIV\/0|NULL|NUM|SPILL|CALC|BEZUG|WERT|ZAHL)!)/u;

/** Part of many texts, such as "None of us". Empty lists and objects inside JSON, or a link's `ids[]=1`, are not words. */
export const ORDINARY = /(?<!\p{L})(?:-?Infinity|None|nan|#NV|Loading\.{3})(?!\p{L})|(?<!": ?|[,[{\w])(?:\{\}|\[\])/gu;

const ANY = new RegExp(`${CERTAIN.source}|${ORDINARY.source}`, 'gu');

/** No reader sees these: space, control characters, halves of characters, and characters that fonts leave out. */
export const INVISIBLE = '[\\s\\p{Cc}\\p{Cs}\\p{Default_Ignorable_Code_Point}\\u2800]';

export const BLANK = new RegExp(`^${INVISIBLE}*$`, 'u');

/** Matches a text in which a reader sees nothing that means something. */
export const EMPTY = new RegExp(`^(?:${INVISIBLE}|${ANY.source})*$`, 'u');

/** How many words in a text stand for a missing value. */
export function emptyWordsIn(text: string, words = ANY): number {
  return text.match(words)?.length ?? 0;
}
