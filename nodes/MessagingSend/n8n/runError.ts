import { type INode, type NodeApiError, type NodeOperationError } from 'n8n-workflow';

import type { Delivered } from '../delivery/deliver';
import type { Failure } from '../failures/failure';
import type { Origin } from '../messages/message';
import { isTool, nodeApiError, nodeOperationError } from './nodeErrors';
import { toolStopError } from './toolRunError';

const SEND_THE_REST =
  'To send the rest, use Retry in the list of executions, on the newest one: it leaves those alone, while a new execution sends them again.';

/** The most items that an error names. */
const MOST_NAMED = 10;

/**
 * The error that ends a run with On Error: Stop, or null if all was sent. It is that of the first
 * failure, says how many messages had gone out before, and names the items that failed alike.
 */
export function stopError(node: INode, delivered: Delivered): NodeApiError | NodeOperationError | null {
  if (isTool(node)) return toolStopError(node, delivered);
  const { unsendable, receipts } = delivered;
  let sent = 0;
  let uncertain = 0;
  const failed: Array<Origin & { readonly failure: Failure }> = [];
  for (const { results } of receipts) {
    for (const { message, outcome } of results) {
      if (outcome.kind === 'sent') sent += 1;
      else failed.push({ ...message, failure: outcome.failure });
      if (outcome.kind === 'uncertain') uncertain += 1;
    }
  }
  const [wrong] = unsendable;
  if (wrong !== undefined) {
    const earlier = [
      sent > 0 ? `${sent} had gone out` : '',
      uncertain > 0 ? `${uncertain} may have gone out` : '',
    ].filter((part) => part !== '');
    const nothing =
      earlier.length > 0 ? `Nothing more was sent; ${earlier.join(', and ')} in an earlier try.` : 'Nothing was sent.';
    const description = `${wrong.failure.description} ${nothing}${alsoConcerned(unsendable)}`;
    return nodeOperationError(node, { ...wrong.failure, description }, wrong.item);
  }
  const [first] = failed;
  if (first === undefined) return null;
  const alike = failed.filter(({ failure }) => failure.message === first.failure.message);
  const total = sent + failed.length;
  const also = uncertain > 0 ? `, and ${uncertain} may have` : '';
  const gone = `${sent} of ${total} ${total === 1 ? 'message' : 'messages'} had gone out before${also}.`;
  const rest = sent > 0 ? ` ${SEND_THE_REST}` : '';
  const description = `${first.failure.description} ${gone}${rest}${alsoConcerned(alike)}`;
  return nodeApiError(node, { ...first.failure, description }, first.item);
}

function alsoConcerned(origins: readonly Origin[]): string {
  if (origins.length < 2) return '';
  const names = origins
    .slice(0, MOST_NAMED)
    .map(({ item, entry }) => (entry === null ? item : `${item} (entry ${entry})`));
  const more = origins.length > MOST_NAMED ? ` and ${origins.length - MOST_NAMED} more` : '';
  return ` Items concerned: ${names.join(', ')}${more}.`;
}
