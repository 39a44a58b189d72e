import { type INodeType, type INodeTypeDescription, NodeConnectionTypes } from 'n8n-workflow';

import { BASE_URL_EXPRESSION } from './api/account';
import { REQUEST_DEFAULTS } from './n8n/http';
import { choiceField } from './n8n/input/readOptions';
import { requestOptions } from './n8n/input/requestOptions';
import { unavailable } from './n8n/routing';
import { answerQuestion, answerWebhooks } from './n8n/waiting';
import { balanceProperties, getBalances } from './resources/balance';
import { deliveryOptions } from './resources/message/deliveryOptions';
import { hintsBeforeRun, optionNotices, toolNotice } from './resources/message/notices';
import { sendAll, sendFields, sendOperations } from './resources/message/send';
import { sendAndWait, sendAndWaitFields, sendAndWaitForResponse } from './resources/message/sendAndWait';

/**
 * Declarative: each operation's routing names its endpoint and makes its requests for one item; MCP servers and
 * sub-agents call the node this way. Programmatic: in a workflow, n8n runs the custom operation of the same name over
 * all items of a run, which routing can't do.
 */
export class MessagingSend implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Messaging Send',
    name: 'messagingSend',
    icon: { light: 'file:../../icons/messagingSend.light.svg', dark: 'file:../../icons/messagingSend.dark.svg' },
    group: ['output'],
    version: 1,
    // The canvas shows that a node was left in Dry Run or Test Run.
    subtitle:
      '={{ { get: "Get Balance", send: "Send", sendBulk: "Send Bulk", sendAndWait: "Send and Wait" }[$parameter["operation"]] + ($parameter["resource"] !== "message" ? "" : $parameter["options"]["dryRun"] ? " (Dry Run)" : $parameter["options"]["testRun"] ? " (Test)" : "") }}',
    description:
      'Send messages to phone numbers, one at a time or in bulk, ask for an answer, and check the credit balance',
    defaults: { name: 'Messaging Send' },
    usableAsTool: true,
    builderHint: {
      searchHint:
        'Sends real messages, and each uses a credit; the option Dry Run checks everything and sends nothing. No loop is needed: the node processes all input items, keeps to the rate limit and waits automatically. To continue after a message that was not sent, set onError to continueErrorOutput: each such item has error and details, with details.outcome not_sent or uncertain. Do not send an uncertain message again: it may have been sent.',
      relatedNodes: [
        {
          nodeType: 'n8n-nodes-messaging-send.messagingSendTrigger',
          relationHint: 'Starts a workflow when credits run low',
        },
        { nodeType: 'n8n-nodes-base.if', relationHint: 'Branch on data.approved after Send and Wait for Response' },
      ],
    },
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'messagingSendApi', required: true }],
    hints: hintsBeforeRun,
    webhooks: answerWebhooks,
    waitingNodeTooltip: 'The execution continues when the recipient answers',
    requestDefaults: { baseURL: BASE_URL_EXPRESSION, ...REQUEST_DEFAULTS },
    properties: [
      choiceField('Resource', 'resource', {
        default: 'message',
        choices: {
          balance: ['Balance', 'Credits of the account'],
          message: ['Message', 'Text messages to phone numbers'],
        },
        routing: unavailable,
      }),
      ...balanceProperties,
      {
        displayName: 'Operation',
        name: 'operation',
        type: 'options',
        noDataExpression: true,
        displayOptions: { show: { resource: ['message'] } },
        options: [...sendOperations, sendAndWait],
        default: 'send',
      },
      toolNotice,
      ...sendFields,
      ...sendAndWaitFields,
      deliveryOptions,
      ...optionNotices,
      requestOptions,
    ],
  };

  customOperations = {
    balance: { get: getBalances },
    message: { ...sendAll, sendAndWait: sendAndWaitForResponse },
  };

  /** Called by n8n while the node waits, for each request to the link in its message. */
  webhook = answerQuestion;
}
