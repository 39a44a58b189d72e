import type { INode } from 'n8n-workflow';

/** Whether a model calls the node, as the tool of an agent or an MCP server: n8n adds this ending to its type. */
export function isTool({ type }: INode): boolean {
  return type.endsWith('Tool');
}

/** Whether a person approves the calls of a tool through the node: n8n has a separate type for it. */
export function isHumanReview({ type }: INode): boolean {
  return type.endsWith('HitlTool');
}
