import type { INode, NodeApiError, NodeOperationError } from 'n8n-workflow';

import type { Delivered } from '../delivery/deliver';
import type { Origin, Unsendable } from '../messages/message';
import type { Result, Unconfirmed } from '../messages/outcome';
import { descriptionOf, messageOf } from './failureText';
import { type ErrorText, nodeApiError, nodeOperationError } from './nodeErrors';
import { isTool, progressForModel, unsendableForModel } from './tool';

const SEND_THE_REST =
  'To send the rest, use Retry in the list of executions, on the newest one: it leaves those alone, while a new execution sends them again.';

/** The most items that an error names. */
const MAX_NAMED = 10;

/** A message that was not sent, or may have been. */
interface Failed extends Result {
  readonly outcome: Unconfirmed;
}

/**
 * The error that ends a run with On Error: Stop, or null if all was sent. It is that of the first failure, says how many
 * messages were sent before, and names the items that failed alike.
 */
export function runError(node: INode, delivered: Delivered): NodeApiError | NodeOperationError | null {
  const { unsendable, receipts } = delivered;
  const results = receipts.flatMap((receipt) => receipt.results);
  const [wrong] = unsendable;
  if (wrong !== undefined) {
    const text = isTool(node) ? unsendableForModel(delivered) : unsendableForUser(wrong, delivered, results);
    return nodeOperationError(node, text, wrong.item);
  }
  const failed = results.filter((result): result is Failed => result.outcome.kind !== 'sent');
  const [first] = failed;
  if (first === undefined) return null;
  const { failure, kind } = first.outcome;
  const progress = isTool(node) ? progressForModel(results) : progressForUser(results, failed, first);
  const description = `${descriptionOf(failure, kind)} ${progress}`;
  return nodeApiError(node, failure, first.message.item, { message: failure.message, description });
}

/** What the user needs to know of drafts that can't be sent: a Retry may follow attempts that did send. */
function unsendableForUser(wrong: Unsendable, { unsendable }: Delivered, results: readonly Result[]): ErrorText {
  const sent = count(results, 'sent');
  const uncertain = count(results, 'uncertain');
  const earlier = [
    sent > 0 ? `${sent} ${sent === 1 ? 'was' : 'were'} sent` : '',
    uncertain > 0 ? `${uncertain} may have been sent` : '',
  ];
  const known = earlier.filter((part) => part !== '').join(', and ');
  const nothing = known === '' ? 'Nothing was sent.' : `Nothing more was sent; ${known} in an earlier attempt.`;
  return {
    message: messageOf(wrong),
    description: `${descriptionOf(wrong.failure)} ${nothing}${alsoConcerned(unsendable)}`,
  };
}

/** How far the run was when it failed, how to send the rest, and which items failed alike. */
function progressForUser(results: readonly Result[], failed: readonly Failed[], first: Failed): string {
  const total = results.length;
  const sent = count(results, 'sent');
  const uncertain = count(results, 'uncertain');
  const also = uncertain > 0 ? `, and ${uncertain} may have been sent` : '';
  const messages = total === 1 ? 'message' : 'messages';
  const before = `${sent} of ${total} ${messages} ${sent === 1 || total === 1 ? 'was' : 'were'} sent before${also}.`;
  const rest = sent > 0 ? ` ${SEND_THE_REST}` : '';
  const alike = failed.filter(({ outcome }) => outcome.failure.message === first.outcome.failure.message);
  return `${before}${rest}${alsoConcerned(alike.map(({ message }) => message))}`;
}

function count(results: readonly Result[], kind: Result['outcome']['kind']): number {
  return results.filter(({ outcome }) => outcome.kind === kind).length;
}

function alsoConcerned(origins: readonly Origin[]): string {
  if (origins.length < 2) return '';
  const names = origins
    .slice(0, MAX_NAMED)
    .map(({ item, entry }) => (entry === null ? item : `${item} (entry ${entry})`));
  const more = origins.length > MAX_NAMED ? ` and ${origins.length - MAX_NAMED} more` : '';
  return ` Items concerned: ${names.join(', ')}${more}.`;
}
