/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import assert from 'node:assert/strict';

import { type Page } from 'playwright-core';

import { type InstanceWithSandbox } from '../../sandbox/n8n/instance';
import { nodesOf } from '../../tools/n8n/examples';
import { type Execution } from '../../tools/n8n/execution';
import { type JsonObject, type WorkflowNode } from '../../tools/n8n/workflow';
import { type ChatModel } from './chatModel';
import { type DataTable } from './dataTable';
import { type InEditor } from './inEditor';
import { type MailServer } from './mailServer';
import { type Listed } from './recipients';

/** What the tests of an example work with; the sandbox is reset before each. */
export interface ExampleWorld {
  instance: () => InstanceWithSandbox;
  /** The example as n8n keeps it: imported as it is, with a credential for each that it names. */
  workflow: () => JsonObject;
  /** The same, once the user has switched 'Dry Run' off. */
  sending: () => JsonObject;
  inEditor: InEditor;
  onForm: (path: string, complete: (page: Page) => Promise<void>) => Promise<void>;
  model: () => ChatModel;
  /** Where the examples send their mails; cleared before each test. */
  mailServer: () => MailServer;
  table: DataTable;
  /** The messages that the sandbox has received, in the order of their numbers. */
  received: () => Listed[];
  /** Runs it, or a changed copy, by hand from this node, to its end. */
  runFrom: (trigger: string, copy?: JsonObject) => Promise<Execution>;
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

/** A workflow with each of its nodes changed, to be imported as one of its own. */
export function copyOf(workflow: JsonObject, change: (node: WorkflowNode) => WorkflowNode): JsonObject {
  const { name, connections, settings } = workflow;
  return { name, nodes: nodesOf(workflow).map(change), connections, settings };
}

/** A node with a list, once the user has switched 'Dry Run' off, also where nothing is ever sent. */
export function withoutDryRun(node: WorkflowNode): WorkflowNode {
  return withOptions(node, ({ dryRun }) => {
    assert.equal(dryRun, true);
    return { dryRun: false };
  });
}

/** A node with a list, after the user has changed some of its options. */
export function withOptions(node: WorkflowNode, change: (options: JsonObject) => JsonObject): WorkflowNode {
  const { parameters } = node;
  if (parameters.source !== 'items') return node;
  const options = parameters.options as JsonObject;
  return { ...node, parameters: { ...parameters, options: { ...options, ...change(options) } } };
}
