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
  const { sent, notSent, uncertain } = summary;
  const counts = { messages_sent: sent, messages_not_sent: notSent, messages_uncertain: uncertain };
  try {
    const { customData } = context;
    const kept = keptOf(context);
    const run = Number(runDataOf(context).$runIndex);
    const before = isRecord(kept.counted) && kept.counted.run === run ? kept.counted : {};
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
    // The outcomes are in the items and in the hint as well.
  }
}
