import type { IExecutePaginationFunctions, INodeExecutionData, INodePropertyRouting } from 'n8n-workflow';

import { failure } from '../failures/failure';
import { isTool } from '../n8n/execution';
import { setUpError } from '../n8n/output/errors';
import { failedItem } from '../n8n/output/outputItems';
import { sendAndWait } from './message/sendAndWait';

/**
 * The routing of an operation that has none: Send and Wait, by which n8n can't wait, and what an imported workflow has in
 * place of an operation. Without it, n8n would request the service's bare address and pass on its answer.
 */
export const unavailable: INodePropertyRouting = { send: { paginate: true }, operations: { pagination: refuse } };

function refuse(this: IExecutePaginationFunctions): Promise<INodeExecutionData[]> {
  const node = this.getNode();
  const waiting = isTool(node) ? 'waitUnavailable' : 'engineUnsupported';
  const reason = failure(node.parameters.operation === sendAndWait.value ? waiting : 'operationUnknown');
  // n8n itself would pass on an empty item to an MCP server or a sub-agent.
  if (this.continueOnFail()) return Promise.resolve([failedItem(this.getItemIndex(), reason)]);
  return Promise.reject(setUpError(node, reason, this.getItemIndex()));
}
