import { type INode, NodeApiError, NodeOperationError } from 'n8n-workflow';

import { type Failure, FailureError } from '../../failures/failure';
import { isTool } from '../tool';
import { descriptionOf } from './failureText';

/** What n8n's error panel shows. */
export interface ErrorText {
  readonly message: string;
  readonly description: string;
}

/**
 * A failure of the service as n8n's error panel shows it.
 * @param item index of the item it is shown at; a trigger has none
 * @param text where it says more than the failure
 */
export function nodeApiError(
  node: INode,
  failure: Failure,
  item?: number,
  text: ErrorText = textOf(failure),
): NodeApiError {
  const { message, description } = forCaller(node, text);
  const status = failure.httpStatus === null ? null : String(failure.httpStatus);
  const error = new NodeApiError(node, {}, { message, description, httpCode: status ?? 'none', itemIndex: item });
  // n8n replaces a text that contains a word such as EPERM with its own.
  error.message = message;
  error.httpCode = status;
  return error;
}

/** What was found before any request: what the user gave can't be sent. */
export function nodeOperationError(node: INode, text: ErrorText, item?: number): NodeOperationError {
  const { message, description } = forCaller(node, text);
  return new NodeOperationError(node, message, { description, itemIndex: item });
}

/**
 * A setting that can't be used, or n8n's own error where one can't be read.
 * @param item index of the item it is shown at; a trigger has none
 */
export function setUpError(node: INode, error: unknown, item?: number): NodeOperationError {
  if (!(error instanceof FailureError)) return new NodeOperationError(node, error as Error, { itemIndex: item });
  return nodeOperationError(node, textOf(error.reason), item);
}

function textOf(failure: Failure): ErrorText {
  return { message: failure.message, description: descriptionOf(failure) };
}

/** An AI Agent passes only an error's message to its model, so the message must contain the description. */
function forCaller(node: INode, text: ErrorText): { message: string; description?: string } {
  return isTool(node) ? { message: `${text.message}. ${text.description}` } : text;
}
