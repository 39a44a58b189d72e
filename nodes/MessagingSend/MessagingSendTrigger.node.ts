import { type INodeType, type INodeTypeDescription, NodeConnectionTypes } from 'n8n-workflow';

import { lowBalanceProperties } from './trigger/fields';
import { pollBalance } from './trigger/poll';

/** Starts a workflow when the credits run low. n8n calls `poll` at the Poll Times, and once on activation. */
export class MessagingSendTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Messaging Send Trigger',
    name: 'messagingSendTrigger',
    icon: {
      light: 'file:../../icons/messagingSend.light.svg',
      dark: 'file:../../icons/messagingSend.dark.svg',
    },
    group: ['trigger'],
    version: 1,
    subtitle: '={{ { lowBalance: "Low Balance" }[$parameter["event"]] }}',
    // n8n lists node and trigger as one: with this text, and with the codex of the node.
    description:
      'Send messages to phone numbers, one at a time or in bulk, and start a workflow when the credits run low',
    defaults: { name: 'Messaging Send Trigger' },
    polling: true,
    builderHint: {
      searchHint:
        'Starts the workflow once each time the credits drop below the threshold, with one item: credits, threshold, user_id, user_name, previous_credits and checked_at. Polling once an hour is enough for most workflows. Alert people by another service: without credits, Messaging Send sends nothing.',
      relatedNodes: [
        {
          nodeType: 'n8n-nodes-messaging-send.messagingSend',
          relationHint: 'Its operation Get Balance reads the credits at any time',
        },
      ],
    },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'messagingSendApi', required: true }],
    // A poll can't add hints, so this text is fixed, and true of every item.
    hints: [
      {
        message:
          'A test always gives the current balance, low or not. The active workflow starts only when the credits fall below the threshold, once for each fall.',
        type: 'info',
        location: 'outputPane',
        whenToDisplay: 'afterExecution',
      },
    ],
    triggerPanel: {
      header: '',
      executionsHelp: {
        inactive:
          '<b>While building your workflow</b>, fetch a test event: it is the current balance, low or not.<br /><br /><b>Once you\'re happy with your workflow</b>, publish it. Then n8n checks the balance at the Poll Times, and executes the workflow when the credits fall below the threshold. These executions will show up in the <a data-key="executions">executions list</a>, but not in the editor.',
        active:
          '<b>While building your workflow</b>, fetch a test event: it is the current balance, low or not.<br /><br /><b>Your workflow will also execute automatically</b>, since it\'s activated: n8n checks the balance at the Poll Times, and executes the workflow when the credits fall below the threshold. These executions will show up in the <a data-key="executions">executions list</a>, but not in the editor.',
      },
      activationHint: {
        inactive:
          'A test gives the current balance, low or not. Once the workflow is published, n8n checks the balance at the Poll Times.',
        active: 'A test gives the current balance, low or not. The active workflow is started only by a low balance.',
      },
    },
    properties: lowBalanceProperties,
  };

  poll = pollBalance;
}
