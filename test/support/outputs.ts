/** The node's output: items and hints. */
import type { IDataObject, INodeExecutionData, NodeExecutionHint } from 'n8n-workflow';

import { isObject } from '../../nodes/MessagingSend/api/objects';
import type { Execution } from './engine/workflow';

type Item = Pick<INodeExecutionData, 'json'>;

/** The field `details` of a failed item. */
export function detailsOf(item: Item | undefined): IDataObject {
  const details = item?.json.details;
  if (!isObject(details)) throw new Error(`the item has no details: ${JSON.stringify(item)}`);
  return details as IDataObject;
}

/** The outcome of a failed item, or the status of one that did not fail. */
export const outcomeOf = (item: Item): unknown =>
  item.json.error === undefined ? item.json.status : detailsOf(item).outcome;

export const outcomesOf = ({ outputs }: Execution): unknown[] => outputs.flat().map(outcomeOf);

/** Why each item was skipped; undefined for one that was not. */
export const reasonsOf = ({ outputs }: Execution): unknown[] => outputs.flat().map(({ json }) => json.reason);

/** A field of each item, with the item that it came from. */
export const linked = (items: readonly INodeExecutionData[] = [], field = 'phone'): unknown[] =>
  items.map(({ json, pairedItem }) => [json[field], pairedItem]);

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

/** The names of the messages that were sent, and that may have been, by the receipts that the node has written. */
export function recordedIn(kept: IDataObject) {
  const runs = Object.entries(kept).flatMap(([name, run]) => (name.startsWith('delivery ') ? run : []));
  const lines = (runs as Array<{ receipts: string }>).flatMap(({ receipts }) => receipts.split('\n').filter(Boolean));
  type Row = [name: string, person: string, messageId?: unknown];
  const rows = lines.flatMap((line) => (JSON.parse(line) as { rows: Row[] }).rows);
  // Without a message ID, a message is uncertain.
  const namesOf = (isSent: boolean) => rows.filter((each) => each.length > 2 === isSent).map(([name]) => name);
  return { sent: namesOf(true), uncertain: namesOf(false) };
}
