import type { Delivered } from '../../delivery/deliver';
import type { Failure } from '../../failures/failure';
import type { Message, Origin } from '../../messages/message';
import type { Unconfirmed } from '../../messages/outcome';
import { withinSentence } from './failureText';
import { placesText } from './places';

/** Why messages were not sent, or are uncertain. Texts of failures differ by what varies in them, such as a length. */
export interface Reason {
  readonly kind: Unconfirmed['kind'];
  readonly failure: Failure;
  /** Where the messages came from: at least one. */
  readonly origins: readonly Origin[];
}

/** The reasons of a delivery, in the order in which they first occur. A duplicate shares the reason of its original. */
export function reasonsOf({ unsendable, receipts, duplicates }: Delivered): readonly Reason[] {
  const reasons = new Map<string, Reason & { origins: Origin[] }>();
  const failures = new Map<Message, Unconfirmed>();
  const add = ({ kind, failure }: Unconfirmed, origin: Origin) => {
    const key = `${kind} ${failure.message}`;
    const known = reasons.get(key);
    if (known === undefined) reasons.set(key, { kind, failure, origins: [origin] });
    else known.origins.push(origin);
  };
  for (const draft of unsendable) {
    add({ kind: draft.outcome, failure: draft.failure }, draft);
  }
  for (const { results } of receipts) {
    for (const { message, outcome } of results) {
      if (!('failure' in outcome)) continue;
      add(outcome, message);
      if (duplicates.length > 0) failures.set(message, outcome);
    }
  }
  for (const { message, original } of duplicates) {
    const outcome = failures.get(original);
    if (outcome !== undefined) add(outcome, message);
  }
  return [...reasons.values()];
}

const MAX_REASONS = 10;

/** Names every message with its reason, in sentences; empty if there is only the one that the error is about. */
export function reasonsText(reasons: readonly Reason[]): string {
  const [only] = reasons;
  if (only === undefined || (reasons.length === 1 && only.origins.length === 1)) return '';
  const sentences: string[] = [];
  for (const reason of reasons.slice(0, MAX_REASONS)) sentences.push(reasonText(reason));
  const more = reasons.slice(MAX_REASONS).reduce((sum, { origins }) => sum + origins.length, 0);
  if (more > 0) sentences.push(`${more} more messages have other reasons.`);
  return [...sentences, 'The first item is item 0.'].join(' ');
}

function reasonText({ kind, failure, origins }: Reason): string {
  const notSent = origins.length === 1 ? 'was not' : 'were not';
  const outcome = kind === 'uncertain' ? 'may have been' : notSent;
  return `${placesText(origins)} ${outcome} sent: ${withinSentence(failure.message)}.`;
}
