import { type INode, NodeApiError, NodeOperationError } from 'n8n-workflow';

import type { Failure } from '../failures/failure';

/** Whether a model calls the node, as the tool of an agent or an MCP server: n8n adds this ending to its type. */
export function isTool({ type }: INode): boolean {
  return type.endsWith('Tool');
}

/**
 * A failure of the service as n8n's error panel shows it.
 * @param item index of the item it is shown at; a trigger has none
 */
export function nodeApiError(node: INode, failure: Failure, item?: number): NodeApiError {
  const { message, description } = shown(node, failure);
  const error = new NodeApiError(
    node,
    {},
    {
      message,
      description,
      httpCode: failure.httpStatus === null ? 'none' : String(failure.httpStatus),
      itemIndex: item,
    },
  );
  // n8n puts a text of its own in place of one that contains a word such as EPERM.
  error.message = message;
  error.httpCode = failure.httpStatus === null ? null : String(failure.httpStatus);
  return error;
}

/** A failure that was found before any request: what the user gave can't be sent. */
export function nodeOperationError(node: INode, failure: Failure, item: number): NodeOperationError {
  const { message, description } = shown(node, failure);
  return new NodeOperationError(node, message, { description, itemIndex: item });
}

/** Of an error, an AI Agent hands only the message to its model, and without the rest the model can do nothing about it. */
function shown(node: INode, { message, description }: Failure): { message: string; description?: string } {
  return isTool(node) ? { message: `${message}. ${description}` } : { message, description };
}
