/** The node's output: items and hints. */
import type { IDataObject, INodeExecutionData, NodeExecutionHint } from 'n8n-workflow';

import type { Execution } from './engine/workflow';

type Item = Pick<INodeExecutionData, 'json'>;

/** The field `details` of a failed item. */
export function detailsOf(item: Item | undefined): IDataObject {
  const details = item?.json.details;
  if (!isDataObject(details)) throw new Error(`the item has no details: ${JSON.stringify(item)}`);
  return details;
}

/** The outcome of a failed item, or the status of one that did not fail. */
export function outcomeOf(item: Item): unknown {
  return item.json.error === undefined ? item.json.status : detailsOf(item).outcome;
}

/** The outcomes of all items, in the order of the outputs. */
export function outcomesOf({ outputs }: Execution): unknown[] {
  return outputs.flat().map(outcomeOf);
}

/** The hints above the output of the node's first run. */
export function hintsOf({ run: { data } }: Execution): NodeExecutionHint[] {
  const hints = data.resultData.runData.Send?.[0]?.hints ?? [];
  return hints.map(({ message, type, location }) => ({ message, type, location }));
}

/** @throws unless the value is a text */
export function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new Error(`this is not a text: ${JSON.stringify(value)}`);
  return value;
}

function isDataObject(value: unknown): value is IDataObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
