import type { Input, List } from './lists';
import type { Scenario } from './scenario';

/** A message that a scenario asks for, with its place among the inputs. */
export interface RequestedMessage {
  readonly item: number;
  readonly entry: number | null;
  readonly part: number | null;
  readonly input: Input;
  /** The sandbox's label of the account's key. */
  readonly account: string;
  /** Null if the message can't be sent. */
  readonly text: string | null;
}

/** The messages of a list in the order of its inputs, worked out without the node's code: texts are cut at 1,000. */
export function messagesOf({ operation, accounts, options }: Scenario, { source, inputs }: List): RequestedMessage[] {
  return inputs.flatMap((own, item) =>
    own.flatMap((input, index): RequestedMessage[] => {
      const account = `key ${(item % accounts) + 1}`;
      const origin = { item, entry: source === 'json' ? index : null, part: null, input, account };
      const length = input.text.trim() === '' ? 0 : input.text.length;
      if (input.cleanPhone === null || length === 0) return [{ ...origin, text: null }];
      if (length <= 1000) return [{ ...origin, text: input.text }];
      if (options.longMessages === 'fail') return [{ ...origin, text: operation === 'send' ? null : input.text }];
      if (options.longMessages === 'truncate') return [{ ...origin, text: input.text.slice(0, 1000) }];
      return Array.from({ length: Math.ceil(length / 1000) }, (_, part) => ({
        ...origin,
        part,
        text: input.text.slice(1000 * part, 1000 * (part + 1)),
      }));
    }),
  );
}

/** The place of a message, as the delivery record writes it. */
export function placeOf({ item, entry, part }: Pick<RequestedMessage, 'item' | 'entry' | 'part'>): string {
  return part === null ? (entry === null ? `${item}` : `${item}.${entry}`) : `${item}.${entry ?? ''}.${part}`;
}
