import type { IExecuteFunctions } from 'n8n-workflow';

import { isNumber, isObject } from '../../api/objects';
import { isTool, runIndexOf } from '../execution';
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

/**
 * Adds the outcomes of a run in production to the execution's custom data, by which n8n finds executions. A summary
 * includes what earlier attempts sent, and a Retry begins with the custom data of its execution, so the counts of the
 * run's last attempt are subtracted. Both are stored together, in the execution.
 */
export function countInCustomData(context: IExecuteFunctions, summary: Summary): void {
  if (context.getMode() === 'manual' || summary.planned !== null) return;
  const { sent, notSent, uncertain } = summary;
  const counts = { messages_sent: sent, messages_not_sent: notSent, messages_uncertain: uncertain };
  try {
    const { customData } = context;
    const kept = context.getContext('node');
    const run = runIndexOf(context);
    const before = isObject(kept.counted) && kept.counted.run === run ? kept.counted : {};
    // A model may call a tool several times at once, and n8n retries none of it.
    if (notSent + uncertain > 0 && !isTool(context.getNode())) kept.counted = { run, ...counts };
    else delete kept.counted;
    const totals = customData.getAll();
    for (const [key, count] of Object.entries(counts)) {
      const added = before[key];
      const total = (Number(totals[key]) || 0) - (isNumber(added) ? added : 0) + count;
      if (total > 0 || totals[key] !== undefined) customData.set(key, String(total));
    }
  } catch {
    // The items and the hint show the outcomes as well.
  }
}
