/** The parameters of 'Send Once, Across Executions', and items with a key of the user. */
import type { INodeParameters } from 'n8n-workflow';

import { phoneAt } from './contacts';
import { withOptions } from './parameters';

export const BY_ORDER: INodeParameters = { messageKey: '={{ $json.order }}' };

export function once(parameters: INodeParameters, options: INodeParameters = {}): INodeParameters {
  return withOptions(parameters, { duplicateMessages: 'sendOnceEver', ...options });
}

export function keyed(phone: number, text: string, order: string): { phone: string; text: string; order: string } {
  return { phone: phoneAt(phone), text, order };
}
