import type { IExecuteFunctions } from 'n8n-workflow';

import { inLines, isTooExpensive, nextText, summaryLines } from './sentences';
import type { Summary } from './summary';

/** The minimum time between two lines of progress, in milliseconds. */
const MIN_INTERVAL = 500;

/** Reports how far a run is. In a manual run, n8n shows it in the browser's console. */
export function progressReporter(context: IExecuteFunctions | null): (done: number, total: number) => void {
  if (context?.getMode() !== 'manual') return () => undefined;
  const { name } = context.getNode();
  let next = 0;
  return (done, total) => {
    if (Date.now() < next && done < total) return;
    next = Date.now() + MIN_INTERVAL;
    context.sendMessageToUI(`${name}: ${done} of ${total} messages done`);
  };
}

const SEND_WHAT_IS_LEFT =
  "To send only what is left, first set 'Duplicate Messages' to 'Send Once, Also in Later Runs'.";

/** Reports the result of a run: in a hint over the output, and in production in n8n's log. */
export function reportSummary(context: IExecuteFunctions, summary: Summary): void {
  const { sent, notSent, uncertain, skipped, doubtful, planned } = summary;
  if (sent + notSent + uncertain + skipped.size + (planned?.messages ?? 0) === 0) return;
  // A run of several messages has noted whom it has sent what.
  const isListLeft = notSent > 0 && sent + notSent + uncertain > 1;
  const message = inLines(...summaryLines(summary, nextText(summary, isListLeft && SEND_WHAT_IS_LEFT)));
  const isDoubtful = notSent + uncertain + doubtful.length > 0 || isTooExpensive(summary);
  const type = isDoubtful ? 'warning' : 'info';
  context.addExecutionHints({ message, location: 'outputPane', type });
  if (context.getMode() !== 'manual') context.logger.info(`Messaging Send: ${summaryLines(summary).join(' ')}`);
}
