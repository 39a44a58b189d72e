/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import assert from 'node:assert/strict';

import { type Page } from 'playwright-core';

import { type InstanceWithSandbox } from '../../sandbox/n8n/instance';
import { type Execution } from '../../tools/n8n/execution';
import {
  chain,
  items,
  type JsonObject,
  START,
  start,
  type StoredWorkflow,
  type Workflow,
  type WorkflowNode,
} from '../../tools/n8n/workflow';
import { type Listed } from './arrivals';
import { type ChatModel } from './chatModel';
import { type InEditor } from './instanceForTests';
import { type MailServer } from './mailServer';

/** What a user changes in a node. */
type Change = (node: WorkflowNode) => WorkflowNode;

/** What the tests of an example work with; the sandbox is reset before each. */
export interface ExampleWorld {
  instance: () => InstanceWithSandbox;
  /** The example as n8n keeps it: imported as it is, with a credential for each that it names. */
  workflow: () => StoredWorkflow;
  /** The same, once the user has switched 'Dry Run' off. */
  sending: () => StoredWorkflow;
  /** A copy that has sent nothing yet, with other changes than that, and more, such as other settings. */
  own: (change?: Change, more?: JsonObject) => Promise<StoredWorkflow>;
  inEditor: InEditor;
  onForm: (path: string, complete: (page: Page) => Promise<void>) => Promise<void>;
  model: () => ChatModel;
  /** Where the examples send their mails; cleared before each test. */
  mailServer: () => MailServer;
  table: ReturnType<typeof dataTable>;
  /** The messages that the sandbox has received, in the order of their numbers. */
  received: () => Listed[];
  /** Runs it, or a copy, by hand from this node, to its end. */
  runFrom: (trigger: string, copy?: StoredWorkflow) => Promise<Execution>;
  /** The same, and sees that it has ended without an error. */
  succeedFrom: ExampleWorld['runFrom'];
  /** Keeps it active from before the tests until after them. */
  whileActive: () => void;
}

export const PEOPLE = [
  ...['Ada Example', 'Ben Made-Up', 'Cleo Sample', 'Dan Fiction'],
  ...['Eve Invented', 'Finn Pretend', 'Gail Imagined', 'Hugo Dreamt'],
];

export const saleMessage = (name: string, phone: string): Listed => ({
  phone,
  message: `Hello ${name}, our summer sale begins on Saturday at 9.`,
});

/** The items of a node's first output, in all its runs. */
export const itemsAt = (execution: Execution, node: string): JsonObject[] =>
  execution.outputOf(node).map(({ json }) => json);

/** Sees that an example has written the time of the test. */
export function assertNow(time: unknown): void {
  assert.ok(Math.abs(Date.now() - Date.parse(String(time))) < 600_000, String(time));
}

/** A workflow with each of its nodes changed, to be imported as one of its own. */
export function copyOf({ name, nodes, connections, settings }: Workflow, change: Change): Workflow {
  return { name, nodes: nodes.map(change), connections, settings };
}

/** Once the user has switched a list's 'Dry Run' off, also where nothing is ever sent, and has set these options. */
export function sendingWith(changes: JsonObject = {}): Change {
  return (node) => {
    const { parameters } = node;
    if (parameters.source !== 'items') return node;
    const options = parameters.options as JsonObject;
    assert.equal(options.dryRun, true);
    return { ...node, parameters: { ...parameters, options: { ...options, dryRun: false, ...changes } } };
  };
}

const TABLE = 'Table';

/** A Data Table of n8n, used as a person does who edits its rows. */
export function dataTable({ instance, workflow }: Pick<ExampleWorld, 'instance' | 'workflow'>) {
  const creating = () => workflow().nodes.find(({ parameters }) => parameters.tableName !== undefined)?.parameters;
  const run = async (node: WorkflowNode, before: WorkflowNode[] = []): Promise<JsonObject[]> => {
    const { rest } = instance();
    const table = dataTableNode(TABLE, creating() ?? {});
    const own = await rest.importWorkflow(chain('Data Table', [start(), table, ...before, node]));
    const execution = await rest.run(own, START);
    assert.equal(execution.status, 'success', execution.error);
    return itemsAt(execution, node.name);
  };
  const onRows = (operation: string, parameters: JsonObject) =>
    dataTableNode('Rows', {
      operation,
      dataTableId: { __rl: true, mode: 'id', value: `={{ $('${TABLE}').first().json.id }}` },
      ...parameters,
    });
  const matching = (keyName: string, condition: string, keyValue = '') => ({
    filters: { conditions: [{ keyName, condition, keyValue }] },
  });
  const all = matching('id', 'isNotEmpty');
  return {
    rows: async () => await run(onRows('get', { ...all, returnAll: true })),
    insert: async (...rows: JsonObject[]) => {
      await run(onRows('insert', { columns: { mappingMode: 'autoMapInputData' } }), [items(rows)]);
    },
    change: async (person: string, values: JsonObject) => {
      const columnsOfValues = { mappingMode: 'defineBelow', value: values };
      await run(onRows('update', { ...matching('name', 'eq', person), columns: columnsOfValues }));
    },
    clear: async () => {
      await run(onRows('deleteRows', all));
    },
  };
}

function dataTableNode(name: string, parameters: JsonObject): WorkflowNode {
  return { name, type: 'n8n-nodes-base.dataTable', typeVersion: 1.1, parameters };
}
