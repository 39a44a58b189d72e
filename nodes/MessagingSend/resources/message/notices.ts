import type { INodeProperties, NodeHint } from 'n8n-workflow';

import { MAX_BATCH_SIZE, REQUESTS_PER_MINUTE } from '../../api/endpoints';
import type { Show } from './fields';

const MESSAGE = { resource: ['message'], operation: ['send', 'sendBulk'] };

export const toolNotice = notice(
  'toolNotice',
  'Every call by the model sends real messages and uses credits, even if it repeats an earlier call',
  { '@tool': [true] },
  { '/options.dryRun': [true], '/options.duplicateMessages': ['sendOnceEver'] },
);

const SET: Show[string] = [{ _cnd: { exists: true } }];

/** For choices under Options. They come after it, because n8n would offer a notice in a collection as an option. */
export const optionNotices: INodeProperties[] = [
  notice('dryRunNotice', "The option 'Dry Run' is on: nothing is sent", { '/options.dryRun': [true] }),
  notice(
    'testRunNotice',
    "The option 'Test Run' is on: its phone gets the first messages, and the recipients get none",
    { '/options.testRun': SET },
    { '/options.dryRun': [true] },
  ),
];

/** A box in the panel. It is shown only with the choice that risks money or a message, so that it is read. */
function notice(name: string, text: string, show: Show, hide?: Show): INodeProperties {
  const displayOptions = { show: { ...MESSAGE, ...show }, ...(hide && { hide }) };
  return { displayName: text, name, type: 'notice', default: '', displayOptions };
}

/** Shown where the output will be, beside the button that runs the node; after a run, its summary is there. */
export const hintsBeforeRun: NodeHint[] = [
  hint(
    'info',
    "Every run sends real messages and uses credits. To check without sending, add the option 'Dry Run': it also points out repeated numbers, empty fields and guessed countries.",
    '$parameter["operation"] !== "sendAndWait" && !$parameter["options"]["dryRun"] && $parameter["options"]["testRun"] === undefined',
  ),
  // Before the run, no expression knows the address.
  hint(
    'info',
    "Every run sends real messages and uses credits. The link in the message begins with n8n's address (N8N_WEBHOOK_URL). If that is http://localhost, no phone can open it.",
    '$parameter["operation"] === "sendAndWait"',
  ),
  hint(
    'warning',
    'Only the first input item is asked about. To ask about each, use Loop Over Items with a batch size of 1.',
    '$parameter["operation"] === "sendAndWait" && $input.all().length > 1',
  ),
  hint(
    'warning',
    `Send makes one request per item, and the service allows ${REQUESTS_PER_MINUTE} per minute. Send Bulk makes one request for up to ${MAX_BATCH_SIZE} items.`,
    '$parameter["operation"] === "send" && $input.all().length >= 10',
  ),
  hint(
    'warning',
    "Each input item sends its own list in 'Messages'. If all have the same list, turn on Execute Once under Settings.",
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
