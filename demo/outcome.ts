import type { ExampleWorkflow } from './example';
import { NOT_SENT_END, SENT_END } from './example';
import type { Execution, OutputItem } from './execution';
import { asArray, asNumber, asObject, asString, isObject } from './json';

/** What n8n's execution says about one contact; `item` is the contact's place in the list, from 0. */
export type ItemOutcome =
  | { kind: 'sent'; item: number | undefined; messageId: number; phone: string }
  | { kind: 'not sent'; item: number | undefined; code: string; reason: string };

/** What the sandbox received. */
export interface Received {
  id: number;
  phone: string;
  message: string;
}

/** What came of a run, from both ends. */
export interface Outcome {
  execution: Execution;
  /** Items that went into the sending node. */
  contactItems: number;
  /** In the order of the sending node's two outputs. */
  sent: Array<Extract<ItemOutcome, { kind: 'sent' }>>;
  notSent: Array<Extract<ItemOutcome, { kind: 'not sent' }>>;
  /** Items that arrived at the workflow's ends. */
  atSentEnd: number;
  atNotSentEnd: number;
  /** Time of the sending node. */
  sendingSeconds: number;
  /** In the order it came in. */
  received: Received[];
  /** Requests to the API during the run. */
  requests: number;
  creditsBefore: number;
  creditsAfter: number;
}

/** The sandbox's counters at one moment. */
export interface SandboxCounters {
  credits: number;
  requests: number;
}

/**
 * Collects what came of a run.
 *
 * @param before  the sandbox's counters from before the run
 */
export async function readOutcome(
  execution: Execution,
  example: ExampleWorkflow,
  sandboxUrl: string,
  before: SandboxCounters,
): Promise<Outcome> {
  const sending = execution.runsOf(example.sender);
  const [sent = [], notSent = []] = sending[0]?.outputs ?? [];
  const after = await readCounters(sandboxUrl);
  return {
    execution,
    contactItems: countItems(execution, example.contacts),
    sent: sent.map(readSent),
    notSent: notSent.map(readNotSent),
    atSentEnd: countItems(execution, SENT_END),
    atNotSentEnd: countItems(execution, NOT_SENT_END),
    sendingSeconds: sending[0]?.seconds ?? 0,
    received: await readReceived(sandboxUrl),
    requests: after.requests - before.requests,
    creditsBefore: before.credits,
    creditsAfter: after.credits,
  };
}

/** Asks the sandbox for its counters. */
export async function readCounters(sandboxUrl: string): Promise<SandboxCounters> {
  const state = await readSandbox(`${sandboxUrl}/_sandbox/state`);
  return { credits: asNumber(state.credits, 'credits'), requests: asNumber(state.requests, 'requests') };
}

async function readReceived(sandboxUrl: string): Promise<Received[]> {
  const received: Received[] = [];
  for (let after = 0; ;) {
    const page = await readSandbox(`${sandboxUrl}/_sandbox/messages?limit=1000&after=${after}`);
    const messages = asArray(page.messages, 'messages').map((message) => asReceived(message));
    if (messages.length === 0) return received;
    received.push(...messages);
    after = asNumber(page.next_after, 'next_after');
  }
}

async function readSandbox(address: string): Promise<Record<string, unknown>> {
  const answer = await fetch(address);
  return asObject(await answer.json(), address);
}

function asReceived(value: unknown): Received {
  const message = asObject(value, 'a message');
  return {
    id: asNumber(message.id, 'message.id'),
    phone: asString(message.phone, 'message.phone'),
    message: asString(message.message, 'message.message'),
  };
}

function countItems(execution: Execution, node: string): number {
  return execution.runsOf(node).reduce((count, run) => count + (run.outputs[0]?.length ?? 0), 0);
}

function readSent({ json, pairedItem }: OutputItem): Outcome['sent'][number] {
  return { kind: 'sent', item: pairedItem, messageId: Number(json.message_id), phone: String(json.phone) };
}

function readNotSent({ json, pairedItem }: OutputItem): Outcome['notSent'][number] {
  const details = isObject(json.details) ? json.details : {};
  const code = typeof details.code === 'string' ? details.code : '';
  return { kind: 'not sent', item: pairedItem, code, reason: typeof json.error === 'string' ? json.error : '' };
}
