import { type INode, NodeApiError, NodeOperationError } from 'n8n-workflow';

import { type Failure, FailureError } from '../../failures/failure';
import { isTool } from '../tool';
import { descriptionOf } from './failureText';

/**
 * A failure of the service as n8n's error panel shows it.
 * @param item index of the item it is shown at; a trigger has none
 */
export function nodeApiError(node: INode, failure: Failure, item?: number, description?: string): NodeApiError {
  const text = textFor(node, failure, description);
  const status = failure.httpStatus === null ? null : String(failure.httpStatus);
  const error = new NodeApiError(node, {}, { ...text, httpCode: status ?? 'none', itemIndex: item });
  // n8n replaces a text that contains a word such as EPERM with its own.
  error.message = text.message;
  error.httpCode = status;
  return error;
}

/** What was found before any request: what the user gave can't be sent. */
export function nodeOperationError(node: INode, failure: Failure, item?: number, more?: string): NodeOperationError {
  const { message, description } = textFor(node, failure, more);
  return new NodeOperationError(node, message, { description, itemIndex: item });
}

/** A setting that can't be used, or n8n's own error where one can't be read. */
export function setUpError(node: INode, error: unknown, item?: number): NodeOperationError {
  if (error instanceof FailureError) return nodeOperationError(node, error.reason, item);
  return new NodeOperationError(node, error as Error, { itemIndex: item });
}

/** An AI Agent passes only an error's message to its model, so the message must contain the description. */
function textFor(node: INode, failure: Failure, description = descriptionOf(failure)) {
  const { message } = failure;
  return isTool(node) ? { message: `${message}. ${description}`, description: undefined } : { message, description };
}
