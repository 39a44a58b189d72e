/** Runs with 'Send Once, Across Executions', and items with a key of the user. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { Sandbox } from '../../sandbox/server';
import { phoneAt } from './contacts';
import { type Execution, runWorkflow, type Setup } from './engine/workflow';
import { outcomeOf } from './outputs';
import { withOptions } from './parameters';
import { accountOf, receivedPhones } from './sandbox';

export const BY_ORDER: INodeParameters = { messageKey: '={{ $json.order }}' };

export function once(parameters: INodeParameters, options: INodeParameters = {}): INodeParameters {
  return withOptions(parameters, { duplicateMessages: 'sendOnceEver', ...options });
}

export function keyed(phone: number, text: string, order: string): { phone: string; text: string; order: string } {
  return { phone: phoneAt(phone), text, order };
}

/** Runs against one sandbox in production, with On Error: Continue. */
export function sendOnceIn(sandbox: () => Sandbox) {
  const setupOf = (items: IDataObject[], parameters: INodeParameters, more: Partial<Setup> = {}): Setup => ({
    account: accountOf(sandbox()),
    mode: 'trigger',
    onError: 'continueRegularOutput',
    items,
    parameters,
    ...more,
  });
  return {
    setupOf,
    run: async (items: IDataObject[], parameters: INodeParameters, more?: Partial<Setup>) =>
      await runWorkflow(setupOf(items, parameters, more)),
    received: () => receivedPhones(sandbox()).sort(),
  };
}

export const outcomesOf = ({ outputs }: Execution) => outputs.flat().map(outcomeOf);
export const phones = (...indexes: number[]) => indexes.map(phoneAt).sort();
