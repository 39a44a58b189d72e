/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import assert from 'node:assert/strict';

import { type InstanceWithSandbox } from '../../sandbox/n8n/instance';
import { type Execution } from '../../tools/n8n/execution';
import {
  callWebhook,
  chain,
  ITEMS,
  items,
  type JsonObject,
  messagingSend,
  type StoredWorkflow,
  webhook,
  type WorkflowNode,
} from '../../tools/n8n/workflow';
import { phoneAt } from '../support/contacts';

export interface Page {
  readonly status: number;
  readonly text: string;
}

export async function open(link: string, request: RequestInit = {}): Promise<Page> {
  const answer = await fetch(link, request);
  return { status: answer.status, text: await answer.text() };
}

/** Sends the form of the page behind a link, as a browser does. */
export const submit = async (link: string, form: Record<string, string>): Promise<Page> =>
  await open(link, { method: 'POST', body: new URLSearchParams(form) });

export async function answer(link: string, form: Record<string, string>): Promise<void> {
  const { status, text } = await submit(link, form);
  assert.equal(status, 200, text);
  assert.match(text, /Thank you/);
}

/** The node after the one that asks: its input, and the order of the item that the question was about. */
const THEN = 'Then';
export const OTHER_ITEM = { phone: 'nobody', order: 'of nobody' };

/** A question that has arrived; its execution waits for the answer. */
export interface Asked {
  readonly workflow: StoredWorkflow;
  readonly execution: string;
  readonly phone: string;
  /** Without the link. */
  readonly text: string;
  readonly link: string;
}

export class Asking {
  private phones = 0;

  constructor(private readonly instance: () => InstanceWithSandbox) {}

  /** A number that nothing else is sent to. */
  newPhone(): string {
    return phoneAt((this.phones += 1));
  }

  /** Starts a workflow that asks: a webhook, an item, Send and Wait, and the node {@link THEN}. */
  async ask(parameters: JsonObject = {}, settings: JsonObject = {}): Promise<Asked> {
    const phone = this.newPhone();
    return await this.start(phone, [askedItem(phone), sendAndWait(parameters, settings), then()]);
  }

  /** Starts a workflow of these nodes after a webhook, and waits for its message to `phone`. */
  async start(phone: string, nodes: WorkflowNode[]): Promise<Asked> {
    const { rest, n8n, credential } = this.instance();
    const workflow = await rest.publish(chain(`Ask ${phone}`, [webhook(phone), ...nodes]), [credential]);
    await callWebhook(n8n.url, phone, {});
    return await this.asked(workflow, phone);
  }

  /** Waits for this many messages to `phone`, the last of them a question whose execution waits. */
  async asked(workflow: StoredWorkflow, phone: string, count = 1): Promise<Asked> {
    const message = await this.instance().waitFor(
      `message ${count} to ${phone}`,
      30,
      () => this.texts(phone)[count - 1],
    );
    const waiting = await this.instance().waitFor('the execution to wait', 30, async () => {
      const listed = await this.instance().rest.executionsOf(workflow);
      return listed.find(({ status }) => status === 'waiting');
    });
    const link = message.split('\n').at(-1) ?? '';
    return { workflow, execution: waiting.id, phone, text: message.slice(0, -link.length - 1), link };
  }

  async ended({ execution }: Asked): Promise<Execution> {
    return await this.instance().rest.waitForExecution(execution);
  }

  /** n8n's word for the state of the execution. */
  async status({ workflow, execution }: Asked): Promise<string | undefined> {
    const listed = await this.instance().rest.executionsOf(workflow);
    return listed.find(({ id }) => id === execution)?.status;
  }

  /** The messages that have arrived at `phone`, the oldest first. */
  texts(phone: string): string[] {
    const messages = this.instance().sandbox.messages();
    return messages.filter((each) => each.phone === phone).map(({ message }) => message);
  }
}

/** What {@link THEN} got, without the time of the answer, and what it found before the question. */
export function answersIn(execution: Execution): JsonObject[] {
  return execution.outputOf(THEN).map(({ json: { answer, order } }) => {
    const { data, ...rest } = answer as JsonObject;
    if (data === undefined) return { ...rest, order };
    const { respondedAt, ...answered } = data as JsonObject;
    assert.match(String(respondedAt), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    return { data: answered, order };
  });
}

export function sendAndWait(parameters: JsonObject = {}, settings: JsonObject = {}): WorkflowNode {
  return messagingSend(
    {
      resource: 'message',
      operation: 'sendAndWait',
      sendTo: '={{ $json.phone }}',
      message: '=Refund order {{ $json.order }}?',
      ...parameters,
    },
    settings,
  );
}

/** A node that outputs the item that the question is about, and one more. */
export function askedItem(phone: string): WorkflowNode {
  return items([{ phone, order: `of ${phone}` }, OTHER_ITEM]);
}

/** The node {@link THEN}. */
export function then(): WorkflowNode {
  const jsonOutput = `={{ { answer: $json, order: $('${ITEMS}').item.json.order } }}`;
  return { name: THEN, type: 'n8n-nodes-base.set', typeVersion: 3.4, parameters: { mode: 'raw', jsonOutput } };
}
