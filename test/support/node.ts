import type { INode } from 'n8n-workflow';

/** A node of a workflow, for code that only asks which one it is. */
export function nodeOfType(type: string): INode {
  return { id: '1', name: 'Messaging Send', type, typeVersion: 1, position: [0, 0], parameters: {} };
}
