/**
 * n8n's own engine (n8n-core) in this process: the package is loaded from dist/ by n8n's loader, and
 * workflows run in its WorkflowExecute over real HTTP. Nothing of n8n is imitated but what n8n-core
 * leaves to the server: where credentials are stored.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

process.env.N8N_LOG_LEVEL = 'silent';
process.env.N8N_USER_FOLDER = mkdtempSync(join(tmpdir(), 'messaging-send-test-'));

import 'reflect-metadata';
import { parse, stringify } from 'flatted';
import { ExecuteContext, ExecutionLifecycleHooks, PackageDirectoryLoader, RoutingNode, WorkflowExecute } from 'n8n-core';
import {
  createRunExecutionData,
  ICredentialsHelper,
  NodeHelpers,
  Workflow,
  type ICredentialDataDecryptedObject,
  type ICredentials,
  type ICredentialType,
  type IDataObject,
  type IHttpRequestOptions,
  type INode,
  type INodeExecutionData,
  type INodeParameters,
  type INodeProperties,
  type INodeType,
  type INodeTypes,
  type IRun,
  type IRunExecutionData,
  type IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';

export const NODE_TYPE = 'n8n-nodes-messaging-send.messagingSend';
const ROOT = resolve(__dirname, '../..');

/** The node that a workflow begins with; n8n's own triggers come with n8n-nodes-base, which is not needed here. */
function itemsNode(items: INodeExecutionData[], inputs: Array<'main'> = []): INodeType {
  return {
    description: {
      displayName: 'Items',
      name: 'items',
      group: ['input'],
      version: 1,
      description: 'Hands on the items it was given',
      defaults: { name: 'Items' },
      inputs,
      outputs: ['main'],
      properties: [],
    },
    execute: async () => await Promise.resolve([items]),
  };
}

export interface Loaded {
  readonly node: INodeType;
  readonly credential: ICredentialType;
}

let loaded: Promise<Loaded> | undefined;

/** The built package, loaded as n8n does it, with the steps that make a declarative node runnable. */
export async function loadPackage(): Promise<Loaded> {
  loaded ??= (async () => {
    const loader = new PackageDirectoryLoader(ROOT);
    await loader.loadAll();
    const node = NodeHelpers.getVersionedNodeType(loader.getNode('messagingSend').type);
    node.execute = async function () {
      return (await new RoutingNode(this as unknown as ExecuteContext, node).runNode()) ?? [];
    };
    return { node, credential: loader.getCredential('messagingSendApi').type };
  })();
  return await loaded;
}

class Credentials extends ICredentialsHelper {
  constructor(private readonly data: ICredentialDataDecryptedObject, private readonly type: ICredentialType) {
    super();
  }

  getParentTypes(): string[] {
    return [];
  }

  isCredentialUsableByNode(): boolean {
    return true;
  }

  /** As n8n's server resolves the `authenticate` of a credential of type generic. */
  async authenticate(
    credentials: ICredentialDataDecryptedObject,
    _typeName: string,
    requestOptions: IHttpRequestOptions,
    workflow?: Workflow,
    node?: INode,
  ): Promise<IHttpRequestOptions> {
    const { authenticate } = this.type;
    if (typeof authenticate !== 'object' || workflow === undefined || node === undefined) throw new Error('not generic');
    for (const [name, value] of Object.entries(authenticate.properties.headers ?? {})) {
      requestOptions.headers ??= {};
      requestOptions.headers[name] = workflow.expression.getSimpleParameterValue(node, value as string, 'internal', {
        $credentials: credentials,
      }) as string;
    }
    return await Promise.resolve(requestOptions);
  }

  async preAuthentication(): Promise<undefined> {
    return await Promise.resolve(undefined);
  }

  async runPreAuthentication(): Promise<undefined> {
    return await Promise.resolve(undefined);
  }

  async getCredentials(): Promise<ICredentials> {
    return await Promise.reject(new Error('not needed'));
  }

  async getDecrypted(): Promise<ICredentialDataDecryptedObject> {
    return await Promise.resolve({ ...this.data });
  }

  getCredentialsProperties(): INodeProperties[] {
    return this.type.properties;
  }

  async updateCredentials(): Promise<void> {
    return await Promise.reject(new Error('not needed'));
  }

  async updateCredentialsOauthTokenData(): Promise<void> {
    return await Promise.reject(new Error('not needed'));
  }
}

export interface Setup {
  readonly items: IDataObject[];
  readonly parameters: INodeParameters;
  readonly account: { baseUrl: string; apiKey: string };
  readonly onError?: INode['onError'];
  /** "Retry On Fail"; n8n takes a wait of 0 for a second, so tests wait a millisecond. */
  readonly retryOnFail?: { readonly maxTries: number };
  /** Further lists of items: the node runs once more for each, in the same execution, as it does in a loop. */
  readonly moreItems?: IDataObject[][];
  /** How n8n counts the execution: `manual` is one started in the editor. */
  readonly mode?: 'manual' | 'trigger';
  /** Is given what a manual run shows in the browser's console. */
  readonly onConsole?: (...lines: unknown[]) => void;
  /** Is given what n8n stores of the execution, each time it does. */
  readonly onStore?: (data: IRunExecutionData) => void;
}

export interface Ran {
  readonly run: IRun;
  /** Items on the node's outputs: first the normal one, then the error output, if there is one. */
  readonly outputs: INodeExecutionData[][];
  /** The error that ended the run, as it is stored with the execution. */
  readonly error: StoredError | undefined;
}

export interface StoredError {
  readonly name: string;
  readonly message: string;
  readonly description?: string | null;
  readonly httpCode?: string | null;
  readonly context: { itemIndex?: number };
}

/** Runs a workflow of two nodes, items and Messaging Send, in n8n's engine. */
export async function runWorkflow(setup: Setup): Promise<Ran> {
  return await (await startWorkflow(setup)).ended;
}

/** A run under way. */
export interface Started {
  readonly ended: Promise<Ran>;
  /** The Stop button. */
  readonly stop: () => void;
}

/** Starts what `runWorkflow` runs. */
export async function startWorkflow(setup: Setup): Promise<Started> {
  const { workflow, additionalData, start } = await prepare(setup);
  const running = new WorkflowExecute(additionalData, setup.mode ?? 'manual').run({ workflow, startNode: start });
  return { ended: running.then((run) => ranWith(run)), stop: () => running.cancel() };
}

/**
 * "Retry" in the list of executions, as n8n's ExecutionService and WorkflowRunner do it: the data of
 * the failed execution comes back from storage, the failed run of its last node is taken out, and the
 * engine goes on with what was still to be run.
 * @param changed the workflow as it is saved now ("Retry with currently saved workflow"); left out, the
 * execution's own is used ("Retry with original workflow")
 */
export async function retryExecution({ run }: Ran, setup: Setup, changed?: Setup): Promise<Ran> {
  const data = stored(run.data);
  const { lastNodeExecuted, runData } = data.resultData;
  if (lastNodeExecuted !== undefined) {
    delete data.resultData.error;
    const runs = runData[lastNodeExecuted] ?? [];
    if (runs.at(-1)?.error !== undefined) runs.pop();
  }
  const { workflow, additionalData } = await prepare(changed ?? setup);
  if (changed !== undefined) {
    for (const next of data.executionData?.nodeExecutionStack ?? []) {
      const node = workflow.getNode(next.node.name);
      if (node === null) throw new Error(`the changed workflow has no node ${next.node.name}`);
      next.node = node;
    }
  }
  return ranWith(await new WorkflowExecute(additionalData, 'retry', data).processRunExecutionData(workflow));
}

/** The data of an execution as it comes back from n8n's database. */
export function stored(data: IRunExecutionData): IRunExecutionData {
  return parse(stringify(data)) as IRunExecutionData;
}

/** What the node keeps in an execution between its tries. */
export function keptBy(ran: Ran): IDataObject {
  return (ran.run.data.executionData?.contextData['node:Send'] ?? {}) as IDataObject;
}

/** What a run came to, told by the last run of the node. */
function ranWith(run: IRun): Ran {
  const data = run.data.resultData.runData.Send?.at(-1);
  const outputs = (data?.data?.main ?? []).map((items) => items ?? []);
  return { run, outputs, error: (data?.error ?? run.data.resultData.error) as StoredError | undefined };
}

/** Runs the node's `execute`, as MCP Server Trigger and sub-agents do: by its routing, past the custom operations. */
export async function runRouting(setup: Setup): Promise<INodeExecutionData[]> {
  const { workflow, additionalData, node, nodeType } = await prepare(setup);
  const items = setup.items.map((json) => ({ json }));
  const input = { main: [items] };
  const context = new ExecuteContext(
    workflow,
    node,
    additionalData,
    'manual',
    createRunExecutionData(),
    0,
    items,
    input,
    { node, data: input, source: null },
    [],
  );
  const outputs = await nodeType.execute?.call(context);
  return (outputs as INodeExecutionData[][])[0] ?? [];
}

async function prepare({ items, parameters, account, onError, retryOnFail, moreItems = [], mode = 'manual', onStore, onConsole }: Setup) {
  const { node: nodeType, credential } = await loadPackage();
  const types: Record<string, INodeType> = {
    'test.items': itemsNode(items.map((json) => ({ json }))),
    ...Object.fromEntries(moreItems.map((more, index) => [`test.more${index}`, itemsNode(more.map((json) => ({ json })), ['main'])])),
    [NODE_TYPE]: nodeType,
  };
  const nodeTypes: INodeTypes = {
    getByName: (name) => types[name] as INodeType,
    getByNameAndVersion: (name) => types[name] as INodeType,
    getKnownTypes: () => ({}),
  };
  const node: INode = {
    id: '2',
    name: 'Send',
    type: NODE_TYPE,
    typeVersion: 1,
    position: [200, 0],
    parameters,
    credentials: { messagingSendApi: { id: '1', name: 'Sandbox' } },
    ...(onError && { onError }),
    ...(retryOnFail && { retryOnFail: true, maxTries: retryOnFail.maxTries, waitBetweenTries: 1 }),
  };
  const start: INode = { id: '1', name: 'Items', type: 'test.items', typeVersion: 1, position: [0, 0], parameters: {} };
  const more = moreItems.map((_, index): INode => ({ id: `more${index}`, name: `More ${index}`, type: `test.more${index}`, typeVersion: 1, position: [0, 100 * (index + 1)], parameters: {} }));
  const toSend = { node: 'Send', type: 'main', index: 0 } as const;
  const workflow = new Workflow({
    id: 'test',
    nodes: [start, node, ...more],
    // By their places, n8n runs Send for the items of the first node before it goes on to the next.
    connections: {
      Items: { main: [[toSend, ...more.map(({ name }) => ({ node: name, type: 'main' as const, index: 0 }))]] },
      ...Object.fromEntries(more.map(({ name }) => [name, { main: [[toSend]] }])),
    },
    active: false,
    nodeTypes,
    settings: { executionOrder: 'v1' },
  });
  const hooks = new ExecutionLifecycleHooks(mode, '1', { id: 'test', name: 'test', active: false, nodes: [start, node], connections: {}, createdAt: new Date(), updatedAt: new Date(), isArchived: false, activeVersionId: null });
  if (onStore !== undefined) {
    hooks.addHandler('workflowExecuteAfter', async ({ data }) => {
      onStore(stored(data));
      await Promise.resolve();
    });
  }
  const address = 'http://127.0.0.1';
  const additionalData = {
    credentialsHelper: new Credentials(account, credential),
    currentNodeExecutionIndex: 0,
    executionId: '1',
    hooks,
    restApiUrl: address,
    instanceBaseUrl: address,
    formBaseUrl: address,
    formWaitingBaseUrl: address,
    formTestBaseUrl: address,
    webhookBaseUrl: address,
    webhookWaitingBaseUrl: address,
    webhookTestBaseUrl: address,
    mcpBaseUrl: address,
    mcpTestBaseUrl: address,
    variables: {},
    logAiEvent: () => {},
    sendDataToUI: (_type: string, data: { messages?: unknown[] }) => onConsole?.(...(data.messages ?? [])),
  } as unknown as IWorkflowExecuteAdditionalData;
  return { workflow, additionalData, start, node, nodeType };
}
