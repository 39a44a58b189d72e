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
export const outcomeOf = (item: Item): unknown =>
  item.json.error === undefined ? item.json.status : detailsOf(item).outcome;

export const outcomesOf = ({ outputs }: Execution): unknown[] => outputs.flat().map(outcomeOf);

/** Why each item was skipped; undefined for one that was not. */
export const reasonsOf = ({ outputs }: Execution): unknown[] => outputs.flat().map(({ json }) => json.reason);

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

/** The names of the messages in one line of the record that were sent, and that may have been. */
export interface RecordLine {
  readonly sent: string[];
  readonly uncertain: string[];
}

/** As the node writes a line; without a message ID, a message is uncertain. */
interface StoredLine {
  readonly rows: Array<[name: string, person: string, messageId?: unknown]>;
}

/** The receipts that the node has written, of its first run and then of others, the earliest first. */
export function recordLines(kept: IDataObject): RecordLine[] {
  const runs = Object.entries(kept).filter(([name]) => name.startsWith('delivery '));
  return runs
    .flatMap(([, run]) => (run as { receipts: string }).receipts.split('\n').filter(Boolean))
    .map((line) => {
      const { rows } = JSON.parse(line) as StoredLine;
      const namesOf = (isSent: boolean) => rows.filter((each) => each.length > 2 === isSent).map(([name]) => name);
      return { sent: namesOf(true), uncertain: namesOf(false) };
    });
}
