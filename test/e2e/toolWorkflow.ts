/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { randomUUID } from 'node:crypto';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { CURRENT, type ReleaseName } from '../../tools/n8n/releases';
import {
  chain,
  type JsonObject,
  messagingSend,
  START,
  start,
  type Workflow,
  type WorkflowNode,
} from '../../tools/n8n/workflow';

/** The name of the agent in {@link agentWorkflow}. */
export const AGENT = 'AI Agent';

/** The parameters of each operation when a user picks it in the editor. */
export const GET_BALANCE = { resource: 'balance', operation: 'get' };
export const SEND = { resource: 'message', operation: 'send' };
export const SEND_BULK = { resource: 'message', operation: 'sendBulk', source: 'json' };

/**
 * This package's node as a tool of an agent or an MCP server. A model knows it by its name.
 *
 * @param settings  what the node's Settings tab sets, such as `onError`
 */
export function tool(name: string, parameters: JsonObject, settings: JsonObject = {}): WorkflowNode {
  return messagingSend(parameters, { name, type: 'n8n-nodes-messaging-send.messagingSendTool', ...settings });
}

/**
 * An AI Agent, started by hand, with a model and these tools.
 *
 * @param review  the step in which a person approves or declines their calls
 */
export function agentWorkflow(name: string, tools: WorkflowNode[], review?: WorkflowNode): Workflow {
  const agent = {
    name: AGENT,
    type: '@n8n/n8n-nodes-langchain.agent',
    typeVersion: 3.1,
    parameters: { promptType: 'define', text: 'Tell the customer that the order is on its way.', options: {} },
  };
  const model = {
    name: 'Model',
    type: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
    typeVersion: 1.3,
    parameters: { model: { __rl: true, mode: 'id', value: 'made-up' }, options: { maxRetries: 0 } },
    credentials: { openAiApi: { id: '', name: '' } },
  };
  const connections = {
    [START]: { main: [[{ node: AGENT, type: 'main', index: 0 }]] },
    [model.name]: { ai_languageModel: [[{ node: AGENT, type: 'ai_languageModel', index: 0 }]] },
    ...connected(tools, review?.name ?? AGENT),
    ...connected(review === undefined ? [] : [review], AGENT),
  };
  const nodes = [start(), agent, model, ...(review === undefined ? [] : [review]), ...tools];
  return { ...chain(name, nodes), connections };
}

export function mcpWorkflow(release: ReleaseName, path: string, tools: WorkflowNode[]): Workflow {
  const trigger = {
    name: 'MCP Server Trigger',
    type: '@n8n/n8n-nodes-langchain.mcpTrigger',
    // The newest one of each release.
    typeVersion: release === CURRENT ? 2.1 : 2,
    parameters: { authentication: 'none', path },
    webhookId: randomUUID(),
  };
  return { ...chain(path, [trigger, ...tools]), connections: connected(tools, trigger.name) };
}

export async function mcpClient(n8nUrl: string, path: string, headers: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: 'end-to-end tests', version: '1.0.0' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${n8nUrl}/mcp/${path}`), { requestInit: { headers } }),
  );
  return client;
}

function connected(tools: WorkflowNode[], to: string): JsonObject {
  return Object.fromEntries(tools.map(({ name }) => [name, { ai_tool: [[{ node: to, type: 'ai_tool', index: 0 }]] }]));
}
