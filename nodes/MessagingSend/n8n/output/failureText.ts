import type { Failure } from '../../failures/failure';
import type { Unsendable } from '../../messages/message';
import type { Unconfirmed } from '../../messages/outcome';

/** What n8n's error panel shows. */
export interface ErrorText {
  readonly message: string;
  readonly description: string;
}

const CHECK_FIRST =
  'The message may have been sent: check with the recipient or in the service before you send it again.';
const TRY_LATER = 'Try again later.';

/** What to do about a failure, with the service's own words; safe to render as HTML. */
export function descriptionOf({ advice, serviceSays }: Failure, outcome: Unconfirmed['kind'] = 'not_sent'): string {
  const toDo = outcome === 'uncertain' ? [CHECK_FIRST, advice] : [advice === '' ? TRY_LATER : advice];
  return [...toDo, quoted(serviceSays)].filter((sentence) => sentence !== '').join(' ');
}

/** Why n8n could not give a value, in n8n's words. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : 'no reason given';
}

/** What is wrong with a draft, and which entry of a list it is. n8n itself shows which item. */
export function messageOf({ entry, failure }: Unsendable): string {
  return entry === null || failure.scope === 'run'
    ? failure.message
    : `${failure.message} (entry ${entry} of the list)`;
}

function quoted(serviceSays: string): string {
  if (serviceSays === '') return '';
  return `The service says: ${serviceSays}${/[.!?…]$/.test(serviceSays) ? '' : '.'}`;
}

/** A reason as a part of a sentence: it begins with a small letter, unless with a name. */
export function withinSentence(reason: string): string {
  return reason.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase());
}
