/** The delivery record, which the node keeps in an execution. */
import type { IDataObject } from 'n8n-workflow';

/** How many messages of one line of the record were sent, and how many may have been. */
export interface RecordLine {
  readonly sent: string[];
  readonly uncertain: string[];
}

/** As the node writes a line; without a message ID, a message is uncertain. */
interface StoredLine {
  readonly rows: Array<[name: string, person: string, messageId?: unknown]>;
}

/** The receipts that the node has written, of its first run and then of others, the earliest first. */
export function recordLines({ deliveries }: IDataObject): RecordLine[] {
  const runs = Object.values((deliveries ?? {}) as Record<string, { receipts: string[] }>);
  const texts = runs.flatMap(({ receipts }) => receipts);
  return texts
    .flatMap((text) => text.split('\n'))
    .map((line) => {
      const { rows } = JSON.parse(line) as StoredLine;
      const namesOf = (isSent: boolean) => rows.filter((each) => each.length > 2 === isSent).map(([name]) => name);
      return { sent: namesOf(true), uncertain: namesOf(false) };
    });
}
