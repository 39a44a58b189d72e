import type {
  IDataObject,
  IExecuteFunctions,
  INodeExecutionData,
  IWebhookDescription,
  IWebhookFunctions,
  IWebhookResponseData,
} from 'n8n-workflow';

import { asText, isObject, type JsonObject } from '../api/objects';
import { closedPage, PAGE_HEADERS, questionPage, thanksPage } from '../questions/page';
import { type Question, readForm } from '../questions/question';
import { isHumanReview, runDataOf } from './execution';

/** Waiting for a person's answer: n8n keeps the execution, and calls the node when somebody opens the link. */

/** The requests to a link that n8n passes on to the node: one to show the question, one to answer it. */
export const answerWebhooks = (['GET', 'POST'] as const).map((httpMethod): IWebhookDescription => ({
  httpMethod,
  name: 'default',
  responseMode: 'onReceived',
  responseData: '',
  path: '={{ $nodeId }}',
  restartWebhook: true,
  isFullPath: true,
}));

/** The link's parameter for the run's number: the same in all attempts at a run, new in each round of a loop. */
const RUN = 'q';

/** The name of the question in the node's context, which n8n keeps in the execution. */
const KEPT = 'question';

/**
 * The link to the page that asks. n8n signs it, so that nobody can make one up or alter it.
 * @throws what n8n throws if it has no execution
 */
export function linkTo(context: IExecuteFunctions): string {
  return context.getSignedResumeUrl({ [RUN]: String(runDataOf(context).$runIndex) });
}

/** Whether the node's present run has asked the latest question, so that its link still works. */
export function hasAsked(context: IExecuteFunctions): boolean {
  const kept = readKept(context.getContext('node')[KEPT]);
  return kept?.execution === context.getExecutionId() && kept.run === runDataOf(context).$runIndex;
}

/** Keeps the question for the page. As a text, because n8n passes only texts unchanged from there to a webhook. */
export function keepQuestion(context: IExecuteFunctions, question: Question): void {
  const kept: Kept = { execution: context.getExecutionId(), run: runDataOf(context).$runIndex, question };
  context.getContext('node')[KEPT] = JSON.stringify(kept);
}

/** Makes n8n keep the execution until the answer arrives, or until `end`. */
export async function waitForAnswer(context: IExecuteFunctions, end: Date): Promise<void> {
  await context.putExecutionToWait(end);
  const run = context.getExecuteData();
  // n8n ends the wait by disabling this object. Queued runs of the node share it, and would be skipped.
  run.node = { ...run.node };
  // When the time is up, n8n passes on the input. A model may have written there that the call is approved, and an
  // answer to an earlier question must not count as one to this question.
  run.data.main = isHumanReview(run.node)
    ? [[{ json: { data: { approved: false } }, pairedItem: { item: 0 } }]]
    : (run.data.main ?? []).map((items) => items?.map(withoutAnswer) ?? null);
}

function withoutAnswer({ json: { data, ...json }, ...item }: INodeExecutionData): INodeExecutionData {
  const isAnswer = isObject(data) && ['approved', 'text', 'respondedAt'].some((name) => name in data);
  return { ...item, json: isAnswer || data === undefined ? json : { ...json, data } };
}

/**
 * Called by n8n for each request to the link. Only the page's form can answer, because messaging apps and scanners open
 * links, too. Never throws, because n8n would then continue the execution.
 */
export function answerQuestion(this: IWebhookFunctions): Promise<IWebhookResponseData> {
  const response = this.getResponseObject() as PageResponse;
  for (const [name, value] of Object.entries(PAGE_HEADERS)) response.setHeader(name, value);
  const kept = keptQuestion(this);
  if (kept === null) return show(response, 410, closedPage());
  const { question } = kept;
  const { method } = this.getRequestObject() as { readonly method: string };
  if (method !== 'POST') return show(response, 200, questionPage(question));
  const { 'content-type': type } = this.getHeaderData() as JsonObject;
  if (!asText(type).startsWith('application/x-www-form-urlencoded')) return show(response, 415, questionPage(question));
  const body: unknown = this.getBodyData();
  const answer = readForm(question, isObject(body) ? body : {});
  if ('problem' in answer) return show(response, 400, questionPage(question, answer));
  if (!takeAnswer(kept, this.getNode().id, response)) return show(response, 409, closedPage());
  // In human review, an AI Agent passes a comment of this name to its model.
  const answered =
    isHumanReview(this.getNode()) && 'comment' in answer
      ? { approved: answer.approved, chatInput: answer.comment }
      : answer;
  const data: IDataObject = { ...answered, respondedAt: new Date().toISOString() };
  const item = { json: { data }, pairedItem: { item: 0 } };
  // n8n sends the page itself, after it has continued the execution, so nobody is thanked for an answer that was lost.
  return Promise.resolve({ webhookResponse: thanksPage(question, answer), workflowData: [[item]] });
}

/** When the answers of the last minute arrived, by execution, node and run. */
const taken = new Map<string, number>();

/**
 * Takes an answer, unless n8n is taking another one: n8n would respond to this one with an error in JSON. If n8n could
 * not take an answer, the next one can follow: at once if n8n says so, else after a minute.
 */
function takeAnswer({ execution, run }: Kept, node: string, response: PageResponse): boolean {
  const now = Date.now();
  for (const [name, time] of taken) if (time < now - 60_000) taken.delete(name);
  const name = JSON.stringify([execution, node, run]);
  if (taken.has(name)) return false;
  taken.set(name, now);
  response.once('finish', () => {
    if (response.statusCode !== 200) taken.delete(name);
  });
  return true;
}

/** Responds with a page; the execution goes on waiting. */
function show(response: PageResponse, status: number, page: string): Promise<IWebhookResponseData> {
  response.statusCode = status;
  response.end(page);
  return Promise.resolve({ noWebhookResponse: true });
}

/** The parts of n8n's response that this file uses; n8n-workflow does not export its type. */
interface PageResponse {
  statusCode: number;
  once(event: 'finish', listener: () => void): void;
  setHeader(name: string, value: string): void;
  end(page: string): void;
}

/** The question that the node waits for; null if the link is for another one. */
function keptQuestion(context: IWebhookFunctions): Kept | null {
  // A name can contain the characters that end an expression.
  const name = JSON.stringify(context.getNode().name).replaceAll('}', '\\u007d');
  try {
    const kept = readKept(context.evaluateExpression(`{{ $(${name}).context.${KEPT} }}`));
    return kept !== null && String(kept.run) === (context.getQueryData() as JsonObject)[RUN] ? kept : null;
  } catch {
    return null;
  }
}

/** A question, and the run of the node that asks it. */
interface Kept {
  readonly execution: string;
  readonly run: number;
  readonly question: Question;
}

function readKept(kept: unknown): Kept | null {
  return typeof kept === 'string' ? (JSON.parse(kept) as Kept) : null;
}
