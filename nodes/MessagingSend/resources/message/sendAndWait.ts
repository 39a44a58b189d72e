import {
  type IExecuteFunctions,
  type INode,
  type INodeExecutionData,
  type INodeProperties,
  type INodePropertyOptions,
  WAIT_INDEFINITELY,
} from 'n8n-workflow';

import { SEND } from '../../delivery/operation';
import { type Failure, failure, FailureError } from '../../failures/failure';
import { isHumanReview, isTool } from '../../n8n/execution';
import { draftFromItem } from '../../n8n/input/drafts';
import { sourceOfRun } from '../../n8n/input/itemParameters';
import { GivenOptions, maxWait, optionsField, requestsPerMinute, textField } from '../../n8n/input/readOptions';
import { sendForRun } from '../../n8n/run';
import { hasAsked, keepQuestion, linkTo, waitForAnswer } from '../../n8n/waiting';
import { defaultCountryCode, numberCheck, readDeliveryOptions } from './deliveryOptions';
import { forPeopleAndModels, MAX_TEXT, message, phone } from './fields';
import { approvalOptions, buttonLabel, pageTitle, readPage, responseType, thanks } from './pageFields';

const SHOW = { resource: ['message'], operation: ['sendAndWait'] };

export const sendAndWait: INodePropertyOptions = {
  name: 'Send and Wait for Response',
  value: 'sendAndWait',
  action: 'Send text message and wait for response',
  description: 'Send one message with a link to an answer page, and continue when the recipient answers',
  // A model is answered by its own tool's review step; that step has the operation whatever the list shows.
  displayOptions: { hide: { '@tool': [true] } },
  builderHint: {
    propertyHint:
      'Use this to ask a person for approval or an answer. It asks one question, for the first input item. The output is one item with data.approved, or data.text for Free Text. To ask for several things, use Send instead, with {{ $execution.resumeFormUrl }} in its message, followed by a Wait node that resumes on form submission. When Limit Wait Time is over, the output is the input items, without data: treat that as no approval. It does not work as an agent tool; to have tool calls approved, use the human review node of Messaging Send.',
  },
};

/** Not `phone`: a model may fill that in, and would then choose who approves what it does. */
const sendTo: INodeProperties = {
  ...phone,
  name: 'sendTo',
  builderHint: { propertyHint: 'Never let a model fill this in: it would choose who approves.' },
};

const question: INodeProperties = {
  ...message,
  placeholder: 'e.g. Refund order 1042?',
  hint: `A link to the answer page is added. Text and link together can have at most ${MAX_TEXT} characters.`,
  description: 'Question to send. The answer page shows it again.',
};

/** With the name that it has in n8n's own nodes. */
export const limitWaitTime = textField('Limit Wait Time', 'limitWaitTime', {
  default: '45 minutes',
  placeholder: 'e.g. 45 minutes, 2 hours or 3 days',
  description:
    'How long to wait for an answer, such as 45 minutes or 3 days. Then the execution continues with the input items of this node.',
});

/** Beside 'Limit Wait Time', it could be mistaken for the time to answer. */
const maxWaitToSend: INodeProperties = { ...maxWait, displayName: 'Max Wait to Send (Minutes)' };

export const sendAndWaitFields: INodeProperties[] = [
  // The editor has a button that lets the model fill in a tool's field, unless the field takes no expression.
  ...forPeopleAndModels(sendTo, SHOW, { noDataExpression: true }),
  { ...question, displayOptions: { show: SHOW } },
  { ...responseType, displayOptions: { show: SHOW } },
  { ...approvalOptions, displayOptions: { show: { ...SHOW, responseType: ['approval'] } } },
  optionsField(
    [defaultCountryCode, limitWaitTime, maxWaitToSend, numberCheck, pageTitle, requestsPerMinute, buttonLabel, thanks],
    SHOW,
  ),
];

/**
 * Send and Wait in a workflow: one message, for the first item. Once it is sent, n8n keeps the execution until the answer
 * arrives, or until the time limit, and then continues with the input.
 */
export async function sendAndWaitForResponse(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
  const given = new GivenOptions(sourceOfRun(this));
  const limit = given.read(limitWaitTime, durationIn, Infinity);
  const page = readPage(given, this.getWorkflow().name);
  const link = linkTo(this);
  const { rows, items } = await sendForRun(this, {
    operation: SEND,
    readDrafts: (item, parameters) => ({ ...draftFromItem(item, parameters, sendTo.name), link }),
    items: 1,
    // n8n gives only options of this operation: the others make no sense with one message.
    readOptions: readDeliveryOptions,
    failure: notForModel(this.getNode()) ?? given.failure,
    // If an earlier execution asked the question, its link no longer works, so another one must be sent.
    lost: hasAsked(this) ? null : failure('linkLost'),
  });
  const [row] = rows;
  if (row?.outcome?.kind !== 'sent') return [items];
  // Not before: a second try would take the question of an earlier execution for its own.
  keepQuestion(this, { text: row.text.replace(`\n${link}`, ''), ...page });
  const count = this.getInputData().length;
  const message = `Only the question of the first of ${count} items was sent. To ask one for each item, use Loop Over Items.`;
  if (count > 1) this.addExecutionHints({ message, location: 'outputPane', type: 'warning' });
  await waitForAnswer(this, new Date(Math.min(Date.now() + limit, WAIT_INDEFINITELY.getTime())));
  // A webhook that responds with the last output has it now. n8n takes a field `error` in it for the node's failure, and
  // Retry On Fail would ask again. What n8n passes on after the wait is the input itself.
  return [this.getInputData().map((item) => ({ ...item, json: { ...item.json, error: undefined } }))];
}

/** Why a model can't call the operation like this; null if it can. */
function notForModel(node: INode): Failure | null {
  if (!isTool(node)) return null;
  if (!isHumanReview(node)) return failure('waitUnavailable');
  const { [sendTo.name]: reviewer, [responseType.name]: response = 'approval' } = node.parameters;
  // The value as it is stored: an expression, which a model may fill in, isn't one of the choices.
  if (response !== 'approval') return failure('reviewNotApproval');
  return typeof reviewer === 'string' && /\$fromai\b/i.test(reviewer) ? failure('reviewerFromModel') : null;
}

/** Reads a time such as `45 minutes`. @returns milliseconds */
export function durationIn(value: unknown, _field: unknown, option: string): number {
  const [, amount, unit = ''] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]+?)s?\s*$/i.exec(String(value)) ?? [];
  const milliseconds = Number(amount) * (MILLISECONDS[unit.toLowerCase()] ?? NaN);
  // With no time at all, the message would arrive with a link that no longer works.
  if (milliseconds > 0) return milliseconds;
  throw new FailureError(failure('optionInvalid', { option, needed: 'a time such as 45 minutes, 2 hours or 3 days' }));
}

const MILLISECONDS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };
