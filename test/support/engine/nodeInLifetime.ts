import { join } from 'node:path';

import type { INodeType } from 'n8n-workflow';
import * as n8nWorkflow from 'n8n-workflow';

import { loadPackage } from '../../../tools/engine/engine';
import type { Lifetime } from '../../../tools/engine/lifetime';
import { PROJECT_FOLDER } from '../../../tools/project';

const nodes = new WeakMap<Lifetime, INodeType>();

/** The node in one lifetime of n8n: what it kept in memory in another one is gone. */
export async function nodeIn(lifetime: Lifetime | undefined): Promise<INodeType> {
  const { node } = await loadPackage();
  if (lifetime === undefined) return node;
  const own: INodeType = nodes.get(lifetime) ?? { ...node, ...newNode(), description: node.description };
  nodes.set(lifetime, own);
  return own;
}

const NODE_FILE = join(PROJECT_FOLDER, 'dist/nodes/MessagingSend/MessagingSend.node.js');

function newNode(): INodeType {
  const made: INodeType[] = [];
  jest.isolateModules(() => {
    // n8n and the node share it.
    jest.doMock('n8n-workflow', () => n8nWorkflow);
    const { MessagingSend } = jest.requireActual<{ MessagingSend: new () => INodeType }>(NODE_FILE);
    made.push(new MessagingSend());
  });
  const [node] = made;
  if (node === undefined) throw new Error('the node was not loaded');
  return node;
}
