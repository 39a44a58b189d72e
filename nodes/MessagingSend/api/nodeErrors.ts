import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';

import type { Failure } from './failure';

/**
 * A failure of the service as n8n's error panel shows it.
 * @param item index of the item it is shown at; a trigger has none
 */
export function nodeApiError(node: INode, failure: Failure, item?: number): NodeApiError {
  const error = new NodeApiError(node, {}, {
    message: failure.message,
    description: failure.description,
    httpCode: failure.httpStatus === null ? 'none' : String(failure.httpStatus),
    itemIndex: item,
  });
  // n8n puts a text of its own in place of one that contains a word such as EPERM.
  error.message = failure.message;
  error.httpCode = failure.httpStatus === null ? null : String(failure.httpStatus);
  return error;
}

/** A failure that was found before any request: what the user gave can't be sent. */
export function nodeOperationError(node: INode, failure: Failure, item: number): NodeOperationError {
  return new NodeOperationError(node, failure.message, {
    description: failure.description,
    itemIndex: item,
  });
}
