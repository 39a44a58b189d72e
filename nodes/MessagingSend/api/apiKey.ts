/** Removes what users paste along with a key: spaces around it, and invisible characters of a web page (a zero-width space). */
export function normalizeApiKey(apiKey: string): string {
  return apiKey.replace(/\p{Cf}/gu, '').trim();
}

/** Describes the first character of a key that no HTTP header can carry, without showing it; null if there is none. */
export function foreignCharacter(apiKey: string): string | null {
  const [found] = /[^\t\x20-\x7e\x80-\xff]/u.exec(apiKey) ?? [];
  if (found === undefined) return null;
  if (/[\n\r\u2028\u2029]/.test(found)) return 'a line break';
  if (/\p{Cc}/u.test(found)) return 'a control character';
  if (/\p{Zs}/u.test(found)) return 'an unusual space';
  if (/\p{Pd}/u.test(found)) return 'a typographic dash';
  if (/\p{L}/u.test(found)) return 'a letter that is not Latin';
  return /[\u2022\u25cf\u2026]/.test(found) ? 'a dot that hides a part of it' : 'a symbol';
}
