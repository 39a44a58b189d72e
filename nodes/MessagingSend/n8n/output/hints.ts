import type { IExecuteFunctions } from 'n8n-workflow';

import { MAX_BATCH_SIZE, REQUESTS_PER_MINUTE } from '../../api/endpoints';
import type { Progress } from '../../delivery/deliver';
import { countAll, type Summary } from './summary';
import { secondSendText, summaryText } from './summaryText';

/** The minimum time between two lines of progress, in milliseconds. */
const MIN_INTERVAL = 500;

/** From this many messages on, a hint recommends Send Bulk. */
export const BULK_ADVISED_FROM = 10;

/** Reports how far a run is: in a manual run n8n shows it in the browser's console. */
export function progressReporter(context: IExecuteFunctions): (progress: Progress) => void {
  if (context.getMode() !== 'manual') return () => undefined;
  const { name } = context.getNode();
  let next = 0;
  return ({ done, total }) => {
    if (Date.now() < next && done < total) return;
    next = Date.now() + MIN_INTERVAL;
    context.sendMessageToUI(`${name}: ${done} of ${total} messages done`);
  };
}

/** Reports the result of a run: in a hint over the output, and in production in n8n's log. */
export function reportSummary(context: IExecuteFunctions, maxBatchSize: number, summary: Summary): void {
  const { sent, notSent, uncertain, resumed, planned } = summary;
  if (countAll(summary) === 0) return;
  const text = summaryText(summary);
  const isManual = context.getMode() === 'manual';
  // In the editor, the button that runs the step is no retry.
  const again = isManual && planned === null ? secondSendText(summary) : '';
  // The editor shows a hint as HTML, and a reason can contain what n8n says about an expression.
  const show = (message: string, type: 'info' | 'warning') =>
    context.addExecutionHints({ message: message.replaceAll('<', '&lt;'), location: 'outputPane', type });
  show(again === '' ? text : `${text} ${again}`, notSent.messages + uncertain.messages > 0 ? 'warning' : 'info');
  if (maxBatchSize === 1 && sent - resumed >= BULK_ADVISED_FROM) show(bulkAdvice(sent - resumed), 'warning');
  if (!isManual) context.logger.info(`Messaging Send: ${text}`);
}

function bulkAdvice(messages: number): string {
  const requests = Math.ceil(messages / MAX_BATCH_SIZE);
  return `Send made one request for each of the ${messages} messages, and the service allows ${REQUESTS_PER_MINUTE} per minute. Send Bulk would need ${requests === 1 ? '1 request' : `${requests} requests`}.`;
}
