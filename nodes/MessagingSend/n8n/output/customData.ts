import type { IExecuteFunctions } from 'n8n-workflow';

import { isNumber, isRecord } from '../../api/records';
import { keptOf } from '../memory/kept';
import { runDataOf } from '../memory/runData';
import { isTool } from '../tool';
import type { Summary } from './summary';

/**
 * Adds the outcomes of a run in production to the execution's custom data, by which n8n finds executions. A summary counts
 * what earlier attempts of its run have sent, and a Retry begins with the custom data of the execution it retries: so what
 * the latest attempt of the run has added is subtracted. Both are in the data of the execution, and stored together.
 */
export function countInCustomData(context: IExecuteFunctions, summary: Summary): void {
  if (context.getMode() === 'manual' || summary.planned !== null) return;
  const counts = {
    messages_sent: summary.sent,
    messages_not_sent: summary.notSent.messages,
    messages_uncertain: summary.uncertain.messages,
  };
  try {
    const { customData } = context;
    const kept = keptOf(context);
    const run = Number(runDataOf(context).$runIndex);
    // A model may call a tool several times at once, and n8n retries none of it.
    const isRetryable = counts.messages_not_sent + counts.messages_uncertain > 0 && !isTool(context.getNode());
    const before = countedIn(kept.counted, run);
    if (isRetryable) kept.counted = { run, ...counts };
    else delete kept.counted;
    const totals = customData.getAll();
    for (const [key, count] of Object.entries(counts)) {
      const total = (Number(totals[key]) || 0) - (before[key] ?? 0) + count;
      if (total > 0 || totals[key] !== undefined) customData.set(key, String(total));
    }
  } catch {
    // The outcomes are in the items and in the hint as well.
  }
}

/** What an earlier attempt of this run has added. */
function countedIn(kept: unknown, run: number): Readonly<Record<string, number>> {
  if (!isRecord(kept) || kept.run !== run) return {};
  return Object.fromEntries(Object.entries(kept).flatMap(([key, count]) => (isNumber(count) ? [[key, count]] : [])));
}
