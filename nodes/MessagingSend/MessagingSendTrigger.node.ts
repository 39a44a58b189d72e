import { type INodeType, type INodeTypeDescription, NodeConnectionTypes } from 'n8n-workflow';

import { pollBalance } from './trigger/poll';
import { lowBalanceProperties } from './trigger/settings';

/** Starts a workflow when credits run low. n8n calls `poll` at the Poll Times, and once on activation. */
export class MessagingSendTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Messaging Send Trigger',
    name: 'messagingSendTrigger',
    icon: { light: 'file:../../icons/messagingSend.light.svg', dark: 'file:../../icons/messagingSend.dark.svg' },
    group: ['trigger'],
    version: 1,
    subtitle: '={{ { lowBalance: "Low Balance" }[$parameter["event"]] }}',
    // n8n lists node and trigger as one, with this text and the node's codex.
    description:
      'Send messages to phone numbers, one at a time or in bulk, ask for an answer, and start a workflow when credits run low',
    defaults: { name: 'Messaging Send Trigger' },
    polling: true,
    builderHint: {
      searchHint:
        'Starts the workflow once each time the balance drops below the threshold, with one item: credits, threshold, user_id, user_name, previous_credits and checked_at. Polling once an hour is enough for most workflows. Alert people through another service: without credits, Messaging Send sends nothing.',
      relatedNodes: [
        {
          nodeType: 'n8n-nodes-messaging-send.messagingSend',
          relationHint: 'Its operation Get Balance reads the balance at any time',
        },
      ],
    },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'messagingSendApi', required: true }],
    // A poll can't add hints, so this text is fixed, and must be true of every item.
    hints: [
      {
        message:
          'The published workflow starts once each time the balance drops below the credits in Warn Below. A test always returns the current balance, low or not.',
        type: 'info',
        location: 'outputPane',
        whenToDisplay: 'afterExecution',
      },
    ],
    triggerPanel: {
      header: '',
      executionsHelp:
        '<b>While building your workflow</b>, click the button to fetch a test event. It is shown in the editor.<br /><br /><b>While your workflow is published</b>, n8n checks the balance at the Poll Times and executes the workflow each time the balance drops below the credits in Warn Below. These executions are shown in the <a data-key="executions">executions list</a>, but not in the editor.',
    },
    properties: lowBalanceProperties,
  };

  poll = pollBalance;
}
