/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import assert from 'node:assert/strict';

import { type Page } from 'playwright-core';

import { type InstanceWithSandbox } from '../../sandbox/n8n/instance';
import { asObject, asObjects, type JsonObject } from '../../tools/json';
import { type Execution } from '../../tools/n8n/execution';
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
export function copyOf(
  { name, nodes, connections, settings }: JsonObject,
  change: (node: JsonObject) => JsonObject,
): JsonObject {
  return { name, nodes: asObjects(nodes, 'nodes').map(change), connections, settings };
}

/** A node with a list, once the user has switched 'Dry Run' off, also where nothing is ever sent. */
export function withoutDryRun(node: JsonObject): JsonObject {
  return withOptions(node, ({ dryRun }) => {
    assert.equal(dryRun, true);
    return { dryRun: false };
  });
}

/** A node with a list, after the user has changed some of its options. */
export function withOptions(node: JsonObject, change: (options: JsonObject) => JsonObject): JsonObject {
  const parameters = asObject(node.parameters, 'parameters');
  if (parameters.source !== 'items') return node;
  const options = asObject(parameters.options, 'options');
  return { ...node, parameters: { ...parameters, options: { ...options, ...change(options) } } };
}
