import type { Failure } from '../../failures/failure';
import type { Unconfirmed } from '../../messages/outcome';

const CHECK_FIRST =
  'The message may have been sent: check with the recipient or in the service before you send it again.';
const TRY_LATER = 'Try again later.';

/** What to do about a failure, with the service's own words; safe to render as HTML. */
export function descriptionOf({ advice, serviceSays }: Failure, outcome: Unconfirmed['kind'] = 'not_sent'): string {
  const toDo = outcome === 'uncertain' ? [CHECK_FIRST, advice] : [advice === '' ? TRY_LATER : advice];
  return inSentences(...toDo, quoted(serviceSays));
}

/** Why n8n could not give a value, in n8n's words. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : 'no reason given';
}

function quoted(serviceSays: string): string {
  if (serviceSays === '') return '';
  return `The service says: ${serviceSays}${/[.!?…]$/.test(serviceSays) ? '' : '.'}`;
}

/** Puts sentences one behind the other; an empty one says nothing. */
export function inSentences(...sentences: readonly string[]): string {
  return sentences.filter((sentence) => sentence !== '').join(' ');
}
