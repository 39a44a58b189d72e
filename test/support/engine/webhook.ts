/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
/** Requests to the link in a message of Send and Wait, as n8n passes them on to the node. */
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

import { WebhookContext } from 'n8n-core';
import type { IDataObject, IWebhookData, IWebhookResponseData, IWorkflowExecuteAdditionalData } from 'n8n-workflow';

import { type Execution, prepare, type Setup, stored } from './workflow';

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The page, sent by the node or by n8n. */
  readonly page: string;
  /** The item that the execution continues with; undefined if it goes on waiting. */
  readonly item: IDataObject | undefined;
}

/** How a form is sent, and the status if n8n itself answers it. */
export interface Sent {
  readonly contentType?: string;
  readonly n8nAnswers?: number;
}

export const linkIn = (text: string): string => text.split('\n').at(-1) ?? '';

/** Opens a link of a waiting execution, or sends the form of its page, which n8n has parsed. */
export async function open(
  waiting: Execution,
  setup: Setup,
  link: string,
  form?: IDataObject,
  { contentType = 'application/x-www-form-urlencoded', n8nAnswers = 200 }: Sent = {},
): Promise<Answered> {
  const { workflow, additionalData, node, nodeType } = await prepare(setup);
  const request = Object.assign(new IncomingMessage(new Socket()), {
    method: form === undefined ? 'GET' : 'POST',
    query: Object.fromEntries(new URL(link).searchParams),
    headers: { 'content-type': contentType },
    body: form ?? {},
  });
  const response = new ServerResponse(request);
  let sent = '';
  response.end = ((text?: string) => {
    sent = text ?? '';
    return response;
  }) as typeof response.end;
  const context = new WebhookContext(
    workflow,
    node,
    { ...additionalData, httpRequest: request, httpResponse: response } as unknown as IWorkflowExecuteAdditionalData,
    'trigger',
    { webhookDescription: nodeType.description.webhooks?.[0] } as IWebhookData,
    [],
    stored(waiting.run.data),
  );
  await workflow.expression.acquireIsolate();
  const result: IWebhookResponseData = (await nodeType.webhook?.call(context)) ?? {};
  await workflow.expression.releaseIsolate();
  if (sent === '') response.statusCode = n8nAnswers;
  response.emit('finish');
  return {
    status: response.statusCode,
    headers: response.getHeaders(),
    page: sent === '' ? String(result.webhookResponse) : sent,
    item: result.workflowData?.[0]?.[0]?.json,
  };
}
