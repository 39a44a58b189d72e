/** What a run tells n8n besides its items: how far it is, a hint over its output, and the error that ends it. */
import { type IExecuteFunctions, type INode, NodeApiError, NodeOperationError } from 'n8n-workflow';

import type { Failure } from '../../failures/failure';
import { isTool } from '../execution';
import { countsLines, descriptionOf, inSentences, nextText, reasonLines, summaryLines } from './sentences';
import type { Summary } from './summary';

/** The minimum time between two lines of progress, in milliseconds. */
const MIN_INTERVAL = 500;

/** Reports how far a run is. n8n shows it in the browser's console, if the run is a manual one. */
export function progressReporter(context: IExecuteFunctions | null): (done: number, total: number) => void {
  let next = 0;
  return (done, total) => {
    if (context === null || (Date.now() < next && done < total)) return;
    next = Date.now() + MIN_INTERVAL;
    context.sendMessageToUI(`${context.getNode().name}: ${done} of ${total} messages done`);
  };
}

/**
 * Reports the result of a run: in a hint over the output, and in production in n8n's log.
 * @param isNoted whether a run with 'Send Once, Also in Later Runs' would leave out what this one has sent
 */
export function reportSummary(context: IExecuteFunctions, summary: Summary, isNoted: boolean): void {
  const { sent, notSent, uncertain, skipped, doubtful, planned, content } = summary;
  const isEmpty = sent + notSent + uncertain + skipped.size + (planned?.messages ?? 0) === 0;
  const rest = inSentences(
    uncertain > 0 && 'Ask the recipients of the uncertain messages what arrived.',
    isNoted &&
      notSent > 0 &&
      `To send only what is left, first set 'Duplicate Messages' to 'Send Once, Also in Later Runs'. A message whose ${content} has changed is sent again.`,
  );
  const message = isEmpty
    ? 'Nothing was sent: the list is empty.'
    : summaryLines(summary, nextText(summary, 'what is named below', rest)).join('<br>');
  const isDoubtful = notSent + uncertain + doubtful.length > 0 || summary.isTooExpensive;
  context.addExecutionHints({ message, location: 'outputPane', type: isDoubtful ? 'warning' : 'info' });
  if (context.getMode() !== 'manual') context.logger.info(`Messaging Send: ${summaryLines(summary).join(' ')}`);
}

/**
 * The error that ends a run with On Error: Stop, or null if nothing failed: what happened first, how many messages were
 * sent, what to do about the rest, and why each of them was not sent.
 */
export function runError(node: INode, summary: Summary): NodeApiError | NodeOperationError | null {
  const { reasons, isInvalid, heldBack } = summary;
  const [first] = reasons;
  const [origin] = first?.origins ?? [];
  if (first === undefined || origin === undefined) return null;
  const { failure, kind, origins } = first;
  // If one item is concerned, n8n shows which; the failure of a run that sent nothing concerns all items.
  const isOneItem = origins.length === 1 && origin.entry === null;
  const isAll = failure.scope === 'run' && summary.isNothing && heldBack === 0;
  const which = reasons.length === 1 && (isOneItem || isAll) ? [] : reasonLines(summary, isTool(node));
  const toDo = descriptionOf(failure, kind);
  const counts = countsLines(summary);
  const description = isTool(node)
    ? inSentences(toDo, ...counts, ...which, forModel(summary))
    : [...counts, inSentences(toDo, forUser(summary)), ...which].filter(Boolean).join('<br>');
  return (isInvalid ? setUpError : nodeApiError)(node, failure, origin.item, description);
}

function forUser(summary: Summary): string {
  const others = 'To send the others anyway, set On Error under Settings to Continue (using error output).';
  const retry =
    "To send only the rest, open the tab Executions, and choose 'Retry with currently saved workflow' on the newest one.";
  const list = 'Retry would send nothing; with On Error set to Continue (using error output), it lists these items.';
  return inSentences(summary.heldBack > 0 && others, nextText(summary, 'that', summary.notSent === 0 ? list : retry));
}

/** A model would call again with what it thinks is left. */
function forModel({ sent, notSent, uncertain, reasons }: Summary): string {
  if (sent + uncertain === 0) return '';
  const isList = reasons.some(({ origins }) => origins.some(({ entry }) => entry !== null));
  if (isList && notSent > 0) return 'Call this tool again with only the entries named as not sent.';
  return 'Do not call this tool again until it is clear whether the message was sent.';
}

/**
 * A failure of the service, for n8n's error panel.
 * @param item index of the item that shows it; a trigger has none
 */
export function nodeApiError(node: INode, failure: Failure, item?: number, description?: string): NodeApiError {
  const text = textFor(node, failure, description);
  const status = failure.httpStatus === null ? null : String(failure.httpStatus);
  const error = new NodeApiError(node, {}, { ...text, httpCode: status ?? 'none', itemIndex: item });
  // n8n replaces a text that contains a word such as EPERM with one of its own.
  error.message = text.message;
  error.httpCode = status;
  return error;
}

/** For a setting or input that can't be used, found before any request. */
export function setUpError(node: INode, failure: Failure, item?: number, more?: string): NodeOperationError {
  const { message, description } = textFor(node, failure, more);
  return new NodeOperationError(node, message, { description, itemIndex: item });
}

/** For what keeps a run from sending anything. While another attempt sends, that is said instead. */
export function runRefused(node: INode, failure: Failure): NodeOperationError {
  const isSafe = failure.outcome === 'not_sent';
  return setUpError(node, failure, 0, inSentences(isSafe && 'Nothing was sent.', descriptionOf(failure)));
}

/** An AI Agent passes only an error's message to its model, so the message must contain the description. */
function textFor(node: INode, failure: Failure, description = descriptionOf(failure)) {
  const { message } = failure;
  return isTool(node) ? { message: `${message}. ${description}`, description: undefined } : { message, description };
}
