/** What the items that the node puts out contain. */
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

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

function isDataObject(value: unknown): value is IDataObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
