import type { Input, List } from './lists';
import type { Settings } from './scenario';

/** A message that a scenario asks for, with its place among the inputs. */
export interface RequestedMessage {
  readonly item: number;
  readonly entry: number | null;
  readonly input: Input;
  /** The sandbox's label of the account's key; the first key's if all items have one account. */
  readonly account: string;
  /** What is sent of its text, in this order; null if the message can't be sent. */
  readonly texts: readonly string[] | null;
  /** The message is one person and one content: two with the same identity are the same. */
  readonly identity: string;
}

export const CAMPAIGN_KEY = 'summer-campaign';

/** The 'Message Key' of an input; null if it has none. */
export function keyOf(keys: Settings['keys'], { number }: Input): string | null {
  switch (keys) {
    case 'none':
      return null;
    case 'texts':
      return `Key ${number}`;
    case 'few':
      return `Key ${number % 3} of few`;
    case 'campaign':
      return CAMPAIGN_KEY;
  }
}

/** The messages of a list in the order of its inputs, determined without the node's code: texts are cut at 1,000. */
export function messagesOf(settings: Settings, { source, inputs }: List): RequestedMessage[] {
  const { accounts, stamp, options } = settings;
  // With Send Every One, the panel has no 'Message Key', and n8n gives the node none.
  const keys = options.duplicateMessages === 'send' ? 'none' : settings.keys;
  return inputs.flatMap((own, item) =>
    own.map((input, index): RequestedMessage => {
      const account = `key ${(item % accounts) + 1}`;
      const hasHole = input.hasHole && (keys === 'texts' || keys === 'few');
      // Without a key, its whole item can't be read.
      const entry = source === 'json' && !hasHole ? index : null;
      const text = input.text.normalize('NFC');
      const identity = `${input.cleanPhone} ${keyOf(keys, input) ?? `${stamp} ${text.trim()}`}`;
      const origin = { item, entry, input, account, identity };
      const isLong = text.length > 1000;
      const isRefused = input.cleanPhone === null || hasHole || text.trim() === '';
      if (isRefused || (isLong && options.longMessages === 'fail')) return { ...origin, texts: null };
      if (!isLong) return { ...origin, texts: [text] };
      const count = options.longMessages === 'truncate' ? 1 : Math.ceil(text.length / 1000);
      const parts = Array.from({ length: count }, (_, part) => text.trim().slice(1000 * part, 1000 * (part + 1)));
      return { ...origin, texts: parts.filter((part) => part !== '') };
    }),
  );
}

export const placeOf = ({ item, entry }: Pick<RequestedMessage, 'item' | 'entry'>): string =>
  entry === null ? `${item}` : `${item}.${entry}`;

export type Likeness = (account: string, phone: string, text: string) => string;

/** Account, phone and text; only account and phone where a key can stand for several texts. */
export const likenessIn =
  (sharesKeys: boolean): Likeness =>
  (account, phone, text) =>
    `${account} ${phone}${sharesKeys ? '' : ` ${text.trim()}`}`;

/** Whether messages that are the same are sent once in an attempt, if that is known. */
function isOnceInRun({ options, stamp, keys }: Settings): boolean {
  // Two texts that differ only in the time are duplicates only if they were made in the same millisecond.
  return options.duplicateMessages !== 'send' && (stamp !== 'time' || keys !== 'none');
}

/** Why a message is kept back; null if it isn't. */
export function keptBackBy(
  { optedOut, options }: Settings,
  { entry, input: { cleanPhone, hasEmptyField } }: RequestedMessage,
): 'opted_out' | 'empty_field' | null {
  if (optedOut.includes(cleanPhone ?? '')) return 'opted_out';
  // A list has no expressions for single texts.
  return hasEmptyField && entry === null && options.emptyFields === 'doNotSend' ? 'empty_field' : null;
}

/** How often each message is asked for in one execution, by its likeness. */
export function requestedAtMost(
  settings: Settings,
  messages: readonly RequestedMessage[],
  likenessOf: Likeness,
): Map<string, number> {
  const most = new Map<string, number>();
  const seen = new Set<string>();
  for (const message of messages) {
    const { account, input, texts, identity } = message;
    // Unlike the other reason, this one can keep back one of two messages that are the same.
    if (keptBackBy(settings, message) === 'empty_field') continue;
    // A message is sent once, from any account. Its parts may be like others.
    if (texts === null || (isOnceInRun(settings) && seen.has(identity))) continue;
    seen.add(identity);
    for (const text of texts) {
      const likeness = likenessOf(account, input.cleanPhone ?? '', text);
      most.set(likeness, (most.get(likeness) ?? 0) + 1);
    }
  }
  return most;
}

/**
 * What an execution shares with others that send the same messages once: nothing if it sends them again, or if its texts
 * are always new.
 */
export function memoryOf({ options, stamp, keys, apiKey }: Settings): string | null {
  if (options.duplicateMessages !== 'sendOnceEver') return null;
  if (keys !== 'none') return `${keys} ${apiKey}`;
  return stamp === 'none' || stamp === 'corrected' ? `${stamp} ${apiKey}` : null;
}
