import type { INode, NodeApiError, NodeOperationError } from 'n8n-workflow';

import type { Delivered } from '../../delivery/deliver';
import type { Message, Unsendable } from '../../messages/message';
import type { Unconfirmed } from '../../messages/outcome';
import { isTool, progressForModel, unsendableForModel } from '../tool';
import { descriptionOf, type ErrorText, messageOf } from './failureText';
import { nodeApiError, nodeOperationError } from './nodeErrors';
import { reasonsOf, reasonsText } from './reasons';

interface Counts {
  readonly total: number;
  readonly sent: number;
  readonly uncertain: number;
}

interface Failed extends Unconfirmed {
  readonly message: Message;
}

/**
 * The error that ends a run with On Error: Stop, or null if everything was sent: the first failure, how many messages
 * were sent, and why each of the others was not.
 * @param isRemembered whether a new execution skips what this one has sent
 */
export function runError(
  node: INode,
  delivered: Delivered,
  isRemembered = false,
): NodeApiError | NodeOperationError | null {
  const { unsendable, receipts } = delivered;
  const [wrong] = unsendable;
  const { counts, first } = countsOf(delivered);
  if (wrong !== undefined) {
    const all = reasonsText(reasonsOf({ ...delivered, receipts: [] }));
    const text = isTool(node) ? unsendableForModel(delivered) : unsendableForUser(wrong, counts, delivered.heldUp, all);
    return nodeOperationError(node, text, wrong.item);
  }
  if (first === null) return null;
  const { message, failure, kind } = first;
  const results = () => receipts.flatMap((receipt) => receipt.results);
  const further = isTool(node)
    ? progressForModel(results())
    : `${progressForUser(counts, isRemembered)} ${reasonsText(reasonsOf(delivered))}`.trimEnd();
  const description = `${descriptionOf(failure, kind)} ${further}`;
  return nodeApiError(node, failure, message.item, { message: failure.message, description });
}

function countsOf({ unsendable, receipts }: Delivered): { counts: Counts; first: Failed | null } {
  let total = 0;
  let sent = 0;
  let uncertain = unsendable.filter(({ outcome }) => outcome === 'uncertain').length;
  let first: Failed | null = null;
  for (const { results } of receipts) {
    for (const { message, outcome } of results) {
      if (outcome.kind === 'skipped') continue;
      total += 1;
      if (outcome.kind === 'sent') {
        sent += 1;
        continue;
      }
      if (outcome.kind === 'uncertain') uncertain += 1;
      // With several accounts, messages that a failure kept from being sent may come before the failed one.
      if (first === null || (first.failure.code === 'NOT_STARTED' && outcome.failure.code !== 'NOT_STARTED')) {
        first = { ...outcome, message };
      }
    }
  }
  return { counts: { total, sent, uncertain }, first };
}

/** The error text for drafts that can't be sent. In a Retry, earlier attempts may have sent messages. */
function unsendableForUser(wrong: Unsendable, { sent, uncertain }: Counts, heldUp: number, all: string): ErrorText {
  const earlier = [
    sent > 0 ? `${sent} ${sent === 1 ? 'was' : 'were'} sent` : '',
    uncertain > 0 ? `${uncertain} may have been sent` : '',
  ];
  const known = earlier.filter((part) => part !== '').join(', and ');
  const nothing = known === '' ? 'Nothing was sent.' : `Nothing more was sent; ${known} in an earlier attempt.`;
  const others = heldUp === 1 ? 'the other message' : `the other ${heldUp} messages`;
  const way =
    heldUp === 0 ? '' : ` To send ${others} anyway, set On Error under Settings to Continue (using error output).`;
  return {
    message: messageOf(wrong),
    description: `${descriptionOf(wrong.failure)} ${nothing}${way} ${all}`.trimEnd(),
  };
}

/** How far the run was when it failed, and how to send the rest. */
function progressForUser({ total, sent, uncertain }: Counts, isRemembered: boolean): string {
  const also = uncertain > 0 ? `, and ${uncertain} may have been sent` : '';
  const messages = total === 1 ? 'message' : 'messages';
  const progress = `${sent} of ${total} ${messages} ${sent === 1 || total === 1 ? 'was' : 'were'} sent${also}.`;
  const rest = sent > 0 && sent + uncertain < total && !isRemembered ? ` ${sendTheRest(sent)}` : '';
  return `${progress}${rest}`;
}

function sendTheRest(sent: number): string {
  const again = sent === 1 ? 'that message' : `those ${sent} messages`;
  return `Don't run this step again: it would send ${again} again. To send the rest, open the tab Executions and use Retry on the newest one.`;
}
