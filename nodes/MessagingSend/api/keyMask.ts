/** Hides the API key in a text of the service. A text that contains the key comes back without its escapes. */
export type KeyMask = (text: string) => string;

/** A shorter text isn't a key, and hiding it would change much of an answer. */
const MIN_KEY_LENGTH = 4;

/** Finds the key in every form in which a program may repeat it: in a URL, in JSON, in base64, in capitals. */
export function keyMask(apiKey: string): KeyMask {
  if (apiKey.length < MIN_KEY_LENGTH) return (text) => text;
  const inUtf8 = Buffer.from(apiKey).toString('latin1');
  const inText = [apiKey, inUtf8].flatMap((key) => [key, withoutEscapes(key)]);
  // Alone or within a longer text such as `Bearer <key>`. Three bytes become four characters, so there are three forms.
  // Characters at the ends that also depend on what is around the key are left out.
  const inBase64 = [0, 1, 2].flatMap((before) =>
    (['base64', 'base64url'] as const).map((alphabet) => {
      const encoded = Buffer.from(' '.repeat(before) + apiKey, 'latin1').toString(alphabet);
      return encoded.slice(Math.ceil((before * 4) / 3), Math.floor(((before + apiKey.length) * 4) / 3));
    }),
  );
  const forms = new Set([...inText, ...inBase64]);
  const literally = Array.from(forms, (form) => form.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&'));
  const anyForm = new RegExp(literally.join('|'), 'gi');
  return (text) => {
    const plain = withoutEscapes(text);
    const masked = plain.replace(anyForm, '***');
    return masked === plain ? text : masked;
  };
}

/** The node reads nothing deeper than this in an answer. */
const MAX_DEPTH = 100;

/** A JSON value with each text, number and name masked. */
export function masked(value: unknown, mask: KeyMask, depth = 0): unknown {
  if (typeof value === 'string') return mask(value);
  if (typeof value === 'number') return mask(String(value)) === String(value) ? value : mask(String(value));
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((each) => masked(each, mask, depth + 1));
  const entries = Object.entries(value).map(([name, each]) => [mask(name), masked(each, mask, depth + 1)]);
  return Object.fromEntries(entries);
}

/** An escape of a URL or of JSON, nested up to three times (a URL in a URL, JSON in JSON). */
const ESCAPE = /(?:%(?:25){0,3}|\\{1,7}u00)([\da-f]{2})|\\{1,7}(["\\/])/gi;

function withoutEscapes(text: string): string {
  return text.replace(ESCAPE, (_, code: string | undefined, character: string) =>
    code === undefined ? character : String.fromCharCode(parseInt(code, 16)),
  );
}
