import { type Sandbox } from '../sandbox/server';
import { isObject } from '../tools/json';
import { type ContactsExampleNodes } from '../tools/n8n/examples/contactsExample';
import { type Execution, type OutputItem } from '../tools/n8n/execution';

/** The sandbox, and the contacts example ready to run. */
export interface Demo {
  example: ContactsExampleNodes & { name: string };
  sandbox: Sandbox;
  run: () => Promise<Execution>;
}

/** A contact that got its message; `item` is the contact's place in the list, from 0. */
export interface Sent {
  item: number | undefined;
  messageId: number;
  phone: string;
}

/** A contact that got none. */
export interface NotSent {
  item: number | undefined;
  code: string;
  reason: string;
}

/** The result of a run, from n8n and from the sandbox. */
export interface Outcome {
  execution: Execution;
  /** In the order of the sending node's two outputs. */
  sent: Sent[];
  notSent: NotSent[];
  /** Contacts that an earlier run sent to. */
  sentBefore: number;
  /** Time of the sending node. */
  sendingSeconds: number;
  /** Requests to the API during the run. */
  requests: number;
  creditsBefore: number;
  creditsAfter: number;
}

/** Runs the example once. */
export async function runExample({ example, sandbox, run }: Demo): Promise<Outcome> {
  const creditsBefore = sandbox.credits();
  const requestsBefore = sandbox.requests().length;
  const execution = await run();
  const isSentBefore = ({ json }: OutputItem) => json.status === 'skipped';
  const items = execution.outputOf(example.sender, 0);
  return {
    execution,
    sent: items.filter((item) => !isSentBefore(item)).map(readSent),
    notSent: execution.outputOf(example.sender, 1).map(readNotSent),
    sentBefore: items.filter(isSentBefore).length,
    sendingSeconds: execution.runsOf(example.sender)[0]?.seconds ?? 0,
    requests: sandbox.requests().length - requestsBefore,
    creditsBefore,
    creditsAfter: sandbox.credits(),
  };
}

function readSent({ json, pairedItem }: OutputItem): Sent {
  return { item: pairedItem, messageId: Number(json.message_id), phone: String(json.phone) };
}

function readNotSent({ json, pairedItem }: OutputItem): NotSent {
  const details = isObject(json.details) ? json.details : {};
  const code = typeof details.code === 'string' ? details.code : '';
  return { item: pairedItem, code, reason: typeof json.error === 'string' ? json.error : '' };
}
