/** Runs with 'Send Once, Also in Later Runs'. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { SandboxOptions } from '../../sandbox/server';
import { nodeForTests } from './engine/nodeForTests';
import type { Execution, Setup } from './engine/workflow';
import { withOptions } from './parameters';

export function once(parameters: INodeParameters, options: INodeParameters = {}): INodeParameters {
  return withOptions(parameters, { duplicateMessages: 'sendOnceEver', ...options });
}

/** Why each item was skipped; undefined for one that was not. */
export function reasonsOf({ outputs }: Execution): unknown[] {
  return outputs.flat().map(({ json }) => json.reason);
}

/** Runs in production, with On Error: Continue. */
export function sendOnceForTests(options: Partial<SandboxOptions> = {}) {
  const node = nodeForTests({ mode: 'trigger', onError: 'continueRegularOutput' }, options);
  return {
    ...node,
    run: async (items: IDataObject[], parameters: INodeParameters, more: Partial<Setup> = {}) =>
      await node.run({ items, parameters, ...more }),
    /** The phone numbers of the messages that have arrived, sorted. */
    received: () => node.received().sort(),
  };
}
