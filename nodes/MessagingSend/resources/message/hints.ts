import type { NodeHint } from 'n8n-workflow';

import { MAX_BATCH_SIZE, REQUESTS_PER_MINUTE } from '../../api/endpoints';
import { BULK_ADVISED_FROM } from '../../n8n/output/hints';

const SENDS_FOR_REAL = 'Every run sends real messages and uses credits';

/** Shown where the output will be, beside the button that runs the node; after a run, its summary is there. */
export const hintsBeforeRun: NodeHint[] = [
  hint(
    'info',
    `${SENDS_FOR_REAL}. To check without sending, add the option 'Dry Run'.`,
    '$parameter["operation"] !== "sendAndWait" && !$parameter["options"]["dryRun"]',
  ),
  hint('info', SENDS_FOR_REAL, '$parameter["operation"] === "sendAndWait"'),
  // Before the run, no expression knows the address.
  hint(
    'info',
    "The link in the message begins with n8n's address (N8N_WEBHOOK_URL). If that is http://localhost, no phone can open it.",
    '$parameter["operation"] === "sendAndWait"',
  ),
  hint(
    'warning',
    `Send makes one request per item, and the service allows ${REQUESTS_PER_MINUTE} per minute. Send Bulk makes one request for up to ${MAX_BATCH_SIZE} items.`,
    `$parameter["operation"] === "send" && $input.all().length >= ${BULK_ADVISED_FROM}`,
  ),
  hint(
    'warning',
    "Every input item sends the whole list in 'Messages' again. To send it once, turn on Execute Once under Settings.",
    '$parameter["operation"] === "sendBulk" && $parameter["source"] === "json" && $input.all().length > 1',
  ),
];

function hint(type: NodeHint['type'], message: string, condition: string): NodeHint {
  return {
    message,
    type,
    location: 'outputPane',
    whenToDisplay: 'beforeExecution',
    displayCondition: `={{ $parameter["resource"] === "message" && ${condition} }}`,
  };
}
