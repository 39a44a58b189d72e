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
  type IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';

export const NODE_TYPE = 'n8n-nodes-messaging-send.messagingSend';
const ROOT = resolve(__dirname, '../..');

/** The node that a workflow begins with; n8n's own triggers come with n8n-nodes-base, which is not needed here. */
function itemsNode(items: INodeExecutionData[]): INodeType {
  return {
    description: {
      displayName: 'Items',
      name: 'items',
      group: ['input'],
      version: 1,
      description: 'Hands on the items it was given',
      defaults: { name: 'Items' },
      inputs: [],
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
  const { workflow, additionalData, start } = await prepare(setup);
  const run = await new WorkflowExecute(additionalData, 'manual').run({ workflow, startNode: start });
  const data = run.data.resultData.runData.Send?.[0];
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

async function prepare({ items, parameters, account, onError }: Setup) {
  const { node: nodeType, credential } = await loadPackage();
  const types: Record<string, INodeType> = {
    'test.items': itemsNode(items.map((json) => ({ json }))),
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
  };
  const start: INode = { id: '1', name: 'Items', type: 'test.items', typeVersion: 1, position: [0, 0], parameters: {} };
  const workflow = new Workflow({
    id: 'test',
    nodes: [start, node],
    connections: { Items: { main: [[{ node: 'Send', type: 'main', index: 0 }]] } },
    active: false,
    nodeTypes,
    settings: { executionOrder: 'v1' },
  });
  const address = 'http://127.0.0.1';
  const additionalData = {
    credentialsHelper: new Credentials(account, credential),
    currentNodeExecutionIndex: 0,
    executionId: '1',
    hooks: new ExecutionLifecycleHooks('manual', '1', { id: 'test', name: 'test', active: false, nodes: [start, node], connections: {}, createdAt: new Date(), updatedAt: new Date(), isArchived: false, activeVersionId: null }),
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
  } as unknown as IWorkflowExecuteAdditionalData;
  return { workflow, additionalData, start, node, nodeType };
}
