import type { IExecuteFunctions } from 'n8n-workflow';

import type { Delivery } from '../delivery/deliver';
import type { SendOperation } from '../delivery/operation';
import { bulkAdvice, type Summary, summaryText } from './summary';

/** Least time between two lines of progress, in milliseconds. */
const BETWEEN_LINES = 500;

/** Tells how far a run is: in a manual run n8n shows it in the browser's console. */
export function progressReporter(context: IExecuteFunctions): Delivery['onReceipt'] {
  if (context.getMode() !== 'manual') return () => {};
  const name = context.getNode().name;
  let next = 0;
  return (_receipt, { done, total }) => {
    if (Date.now() < next && done < total) return;
    next = Date.now() + BETWEEN_LINES;
    context.sendMessageToUI(`${name}: ${done} of ${total} messages done`);
  };
}

/** Says what a run came to: in a hint over the output, and in production in n8n's log. */
export function reportSummary(context: IExecuteFunctions, operation: SendOperation, summary: Summary): void {
  const { sent, failed, uncertain, resumed, skipped, planned } = summary;
  if (sent + failed + uncertain + skipped + planned === 0) return;
  const text = summaryText(summary);
  const isManual = context.getMode() === 'manual';
  context.addExecutionHints({
    // The button is at hand there, and it is no retry.
    message: isManual && sent > 0 ? `${text} Execute step would send them again.` : text,
    location: 'outputPane',
    type: failed + uncertain > 0 ? 'warning' : 'info',
  });
  const advice = bulkAdvice(operation, sent - resumed);
  if (advice !== null) context.addExecutionHints({ message: advice, location: 'outputPane', type: 'warning' });
  if (!isManual) context.logger.info(`Messaging Send: ${text}`);
}
