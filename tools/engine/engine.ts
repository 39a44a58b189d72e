/**
 * n8n's own engine (n8n-core) in this process: n8n's loader loads the package, and n8n's WorkflowExecute runs the
 * workflows over real HTTP. This only replaces what n8n-core leaves to n8n's server.
 */
import './environment';
import 'reflect-metadata';

import { type ExecuteContext, ExecutionLifecycleHooks, PackageDirectoryLoader, RoutingNode } from 'n8n-core';
import {
  type IConnections,
  type ICredentialType,
  type IDataObject,
  type INode,
  type INodeExecutionData,
  type INodeType,
  type INodeTypes,
  type IRunExecutionData,
  type IVersionedNodeType,
  type IWorkflowExecuteAdditionalData,
  type IWorkflowSettings,
  NodeHelpers,
  Workflow,
} from 'n8n-workflow';

import { PROJECT_FOLDER } from '../project';
import { type Account, Credentials } from './credentials';
import type { Lifetime } from './lifetime';
import { processedData } from './processedData';

export const NODE_TYPE = 'n8n-nodes-messaging-send.messagingSend';

export interface Loaded {
  readonly node: INodeType;
  readonly trigger: INodeType;
  readonly credential: ICredentialType;
}

const loaded = new Map<string, Promise<Loaded>>();
/** Each execution has its own ID, even a Retry. */
let executions = 0;

/** The built package in a folder, loaded as n8n loads it. */
export async function loadPackage(folder = PROJECT_FOLDER): Promise<Loaded> {
  const known = loaded.get(folder) ?? load(folder);
  loaded.set(folder, known);
  return await known;
}

async function load(folder: string): Promise<Loaded> {
  const loader = new PackageDirectoryLoader(folder);
  await loader.loadAll();
  const node = NodeHelpers.getVersionedNodeType(loader.getNode('messagingSend').type);
  // n8n gives a declarative node this `execute` when it loads it.
  node.execute = async function () {
    return (await new RoutingNode(this as unknown as ExecuteContext, node).runNode()) ?? [];
  };
  const trigger = NodeHelpers.getVersionedNodeType(loader.getNode('messagingSendTrigger').type);
  return { node, trigger, credential: loader.getCredential('messagingSendApi').type };
}

/** Outputs these items: n8n's own triggers have none for a test to choose. */
export function itemsNode(items: INodeExecutionData[], inputs: Array<'main'> = []): INodeType {
  return {
    description: {
      displayName: 'Items',
      name: 'items',
      group: ['input'],
      version: 1,
      description: 'Puts out the items that it was made with',
      defaults: { name: 'Items' },
      inputs,
      outputs: ['main'],
      properties: [],
    },
    execute: async () => await Promise.resolve([items]),
  };
}

export interface EngineSetup {
  readonly nodes: INode[];
  readonly connections: IConnections;
  readonly types: Readonly<Record<string, INodeType | IVersionedNodeType>>;
  readonly account: Account;
  /** How n8n started the execution; `manual`: in the editor. */
  readonly mode: 'manual' | 'trigger' | 'evaluation';
  readonly onConsole?: (...lines: unknown[]) => void;
  readonly onStore?: (data: IRunExecutionData) => void;
  readonly settings?: IWorkflowSettings;
  readonly staticData?: IDataObject;
  /** Empty for a workflow that was never saved. */
  readonly workflowId?: string;
  readonly onCredentialRead?: () => void;
  /** The n8n that runs the execution, and may be killed with it; by default it never is. */
  readonly lifetime?: Lifetime;
}

/** Where this n8n would be reached. */
const ADDRESS = 'http://127.0.0.1';
const BASES = 'instance form formWaiting formTest webhook webhookWaiting webhookTest mcp mcpTest'.split(' ');

export async function prepareEngine({
  nodes,
  connections,
  types,
  account,
  mode,
  onConsole,
  onStore,
  settings,
  staticData,
  onCredentialRead,
  lifetime,
  workflowId = 'test',
}: EngineSetup) {
  const { credential } = await loadPackage();
  const typeOf = (name: string): INodeType | IVersionedNodeType => {
    const type = types[name];
    if (type === undefined) throw new Error(`the workflow has a node of an unknown type ${name}`);
    return type;
  };
  const nodeTypes: INodeTypes = {
    getByName: typeOf,
    getByNameAndVersion: (name, version) => NodeHelpers.getVersionedNodeType(typeOf(name), version),
    getKnownTypes: () => ({}),
  };
  const workflow = new Workflow({
    id: workflowId,
    name: 'Made-up workflow',
    nodes,
    connections,
    active: false,
    nodeTypes,
    settings: { executionOrder: 'v1', ...settings },
    ...(staticData && { staticData }),
  });
  processedData.belongsTo(workflow, lifetime);
  executions += 1;
  const executionId = String(executions);
  const hooks = new ExecutionLifecycleHooks(mode, executionId, {
    id: 'test',
    name: 'test',
    active: false,
    nodes,
    connections,
    createdAt: new Date(),
    updatedAt: new Date(),
    isArchived: false,
    activeVersionId: null,
  });
  if (onStore !== undefined) {
    hooks.addHandler('workflowExecuteAfter', async ({ data }) => {
      onStore(data);
      await Promise.resolve();
    });
  }
  const additionalData = {
    credentialsHelper: new Credentials({ ...account }, credential, onCredentialRead, lifetime),
    currentNodeExecutionIndex: 0,
    executionId,
    hooks,
    restApiUrl: ADDRESS,
    ...Object.fromEntries(BASES.map((name) => [`${name}BaseUrl`, ADDRESS])),
    variables: {},
    logAiEvent: () => undefined,
    sendDataToUI: (_type: string, data: { messages?: unknown[] }) => onConsole?.(...(data.messages ?? [])),
  } as unknown as IWorkflowExecuteAdditionalData;
  return { workflow, additionalData, hooks };
}
