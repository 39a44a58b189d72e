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
}

/** The messages of a list in the order of its inputs, determined without the node's code: texts are cut at 1,000. */
export function messagesOf({ operation, accounts, options }: Settings, { source, inputs }: List): RequestedMessage[] {
  return inputs.flatMap((own, item) =>
    own.map((input, index): RequestedMessage => {
      const account = `key ${(item % accounts) + 1}`;
      const origin = { item, entry: source === 'json' ? index : null, input, account };
      const length = input.text.trim() === '' ? 0 : input.text.length;
      if (input.cleanPhone === null || length === 0) return { ...origin, texts: null };
      if (length <= 1000) return { ...origin, texts: [input.text] };
      if (options.longMessages === 'fail') return { ...origin, texts: operation === 'send' ? null : [input.text] };
      const parts = Array.from({ length: Math.ceil(length / 1000) }, (_, part) =>
        input.text.slice(1000 * part, 1000 * (part + 1)),
      );
      return { ...origin, texts: options.longMessages === 'truncate' ? parts.slice(0, 1) : parts };
    }),
  );
}

/** The place of a message, as the delivery record writes it. */
export function placeOf({ item, entry }: Pick<RequestedMessage, 'item' | 'entry'>): string {
  return entry === null ? `${item}` : `${item}.${entry}`;
}

/** What alike messages have in common: account, phone and text. */
export function likenessOf(account: string, phone: string, text: string): string {
  return `${account} ${phone} ${text}`;
}

/** Whether messages that are alike are sent once in an attempt, if that is known. */
function isOnceInRun({ options, stamp, isKeyed }: Settings, { source }: List): boolean {
  // Two texts that differ only in the time are duplicates only if they were made in the same millisecond.
  return options.duplicateMessages !== 'send' && (stamp !== 'time' || (isKeyed && source === 'items'));
}

/** Why nothing is sent to a message's phone; null if it may be. A test goes to somebody else, at any hour. */
export function keptBackBy(
  { optedOut, isClosed, tested }: Settings,
  { input: { cleanPhone } }: RequestedMessage,
): 'opted_out' | 'outside_window' | null {
  if (optedOut.includes(cleanPhone ?? '')) return 'opted_out';
  return isClosed && tested === null ? 'outside_window' : null;
}

/** How often each message is asked for in one execution, by its {@link likenessOf likeness}. */
export function requestedAtMost(
  settings: Settings,
  list: List,
  messages: readonly RequestedMessage[],
): Map<string, number> {
  const most = new Map<string, number>();
  if (settings.tested !== null) return most;
  const seen = new Set<string>();
  for (const { account, input, texts } of messages) {
    if (texts === null) continue;
    const phone = input.cleanPhone ?? '';
    // A whole text is sent once, from any account. Its parts may be alike, and other texts may have them, too.
    const whole = likenessOf('', phone, input.text);
    if (isOnceInRun(settings, list) && seen.has(whole)) continue;
    seen.add(whole);
    for (const text of texts) {
      const likeness = likenessOf(account, phone, text);
      most.set(likeness, (most.get(likeness) ?? 0) + 1);
    }
  }
  return most;
}

/**
 * How a Retry after a kill recognizes a list: by its places and phones and, if several messages go to one phone, by
 * their contents. Null if nobody knows.
 */
export function planOf({ tested, stamp, isKeyed }: Settings, messages: readonly RequestedMessage[]): string | null {
  const planned = messages.filter(({ texts }) => texts !== null);
  const isRepeated = new Set(planned.map(({ input }) => input.cleanPhone)).size < planned.length;
  if (tested !== null || (isRepeated && (stamp === 'time' || stamp === 'execution'))) return null;
  const contents = isRepeated ? [`${stamp} ${isKeyed}`, ...planned.map(({ input }) => input.text)] : [];
  return [...planned.map((message) => `${placeOf(message)} ${message.input.cleanPhone}`), ...contents].join();
}

/**
 * What an execution shares with others that send the same messages once: nothing if it sends them again, or if its texts
 * are always new.
 */
export function memoryOf({ options, stamp, isKeyed, apiKey }: Settings, { source }: List): string | null {
  if (options.duplicateMessages !== 'sendOnceEver') return null;
  if (isKeyed && source === 'items') return `keys ${apiKey}`;
  return stamp === 'none' || stamp === 'corrected' ? `${stamp} ${isKeyed} ${apiKey}` : null;
}
