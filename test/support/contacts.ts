/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
/** A made-up API key, which a test's sandbox accepts and its workflow's credential contains. */
export const KEY = 'made-up-key-0123456789';

/** A made-up phone number, a different one for each index below 100,000. */
export const phoneAt = (index: number): string => `4477009${String(index).padStart(5, '0')}`;

export function contacts(count: number): Array<{ phone: string; text: string }> {
  return Array.from({ length: count }, (_, index) => ({ phone: phoneAt(index), text: `Hello ${index}` }));
}

/** The same contacts as the entries of a list, as the API names its fields. */
export function listOf(count: number): Array<{ phone: string; message: string }> {
  return contacts(count).map(({ phone, text }) => ({ phone, message: text }));
}

export const phones = (...indexes: number[]): string[] => indexes.map(phoneAt);
