/** Requests to the link in a message of Send and Wait, as n8n passes them on to the node. */
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

import { WebhookContext } from 'n8n-core';
import type { IDataObject, IWebhookData, IWebhookResponseData, IWorkflowExecuteAdditionalData } from 'n8n-workflow';

import { type Execution, prepare, type Setup, stored } from './workflow';

/** What n8n gets of the node for a request. */
export interface Answered {
  /** Empty where n8n itself sends the page. */
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The page, whoever sends it. */
  readonly page: string;
  /** The item that the execution continues with; undefined if it goes on waiting. */
  readonly item: IDataObject | undefined;
}

/** The link at the end of a message. */
export function linkIn(text: string): string {
  return text.split('\n').at(-1) ?? '';
}

/** Opens a link of a waiting execution, or sends the form of its page, which n8n has parsed. */
export async function open(waiting: Execution, setup: Setup, link: string, form?: IDataObject): Promise<Answered> {
  const { workflow, additionalData, node, nodeType } = await prepare(setup);
  const request = Object.assign(new IncomingMessage(new Socket()), {
    method: form === undefined ? 'GET' : 'POST',
    query: Object.fromEntries(new URL(link).searchParams),
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
  return {
    status: response.statusCode,
    headers: response.getHeaders(),
    page: sent === '' ? String(result.webhookResponse) : sent,
    item: result.workflowData?.[0]?.[0]?.json,
  };
}
