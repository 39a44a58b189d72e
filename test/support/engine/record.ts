/** The delivery record, which the node keeps in an execution. */
import type { IDataObject } from 'n8n-workflow';

/** The places of the messages in one line of the record. */
export interface RecordLine {
  readonly sent: string[];
  readonly uncertain: string[];
}

/** As the node writes a line; each message begins with its place. */
type StoredLine = [batch: number | null, sent: string[][], uncertain: string[][]];

/** The receipts that the node has written: those of its first run, and then of others, the earliest first. */
export function recordLines({ deliveries }: IDataObject): RecordLine[] {
  const texts = Object.values((deliveries ?? {}) as Record<string, string[]>).flat();
  return (
    texts
      .flatMap((text) => text.split('\n'))
      // Others list the messages that are about to be sent.
      .filter((line) => line.startsWith('['))
      .map((line) => {
        const [, sent, uncertain] = JSON.parse(line) as StoredLine;
        return { sent: placesOf(sent), uncertain: placesOf(uncertain) };
      })
  );
}

function placesOf(messages: string[][]): string[] {
  return messages.map(([place = '']) => place);
}
