/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import './environment';

import { dirname } from 'node:path';

import { LazyPackageDirectoryLoader } from 'n8n-core';
import type { INodeType, IVersionedNodeType } from 'n8n-workflow';

let base: Promise<LazyPackageDirectoryLoader> | undefined;

/** One of n8n's own nodes, from the published n8n-nodes-base, by the name of its type. */
export async function baseNode(type: string): Promise<INodeType | IVersionedNodeType> {
  base ??= loadBase();
  return (await base).getNode(type.replace('n8n-nodes-base.', '')).type;
}

async function loadBase(): Promise<LazyPackageDirectoryLoader> {
  const loader = new LazyPackageDirectoryLoader(dirname(require.resolve('n8n-nodes-base/package.json')));
  await loader.loadAll();
  return loader;
}
