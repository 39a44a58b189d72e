/** The delivery record, which the node keeps in an execution. */
import type { IDataObject } from 'n8n-workflow';

/** A line of the record: the places of messages that were sent, and of those that are uncertain. */
export interface RecordLine {
  readonly sent: string[];
  readonly uncertain: string[];
}

type StoredLine = [batch: number | null, sent: Array<[place: string]>, uncertain: Array<[place: string]>];

/** The lines of the node's first run in an execution, the earliest first. */
export function recordLines({ deliveries }: IDataObject): RecordLine[] {
  const texts = ((deliveries ?? {}) as Record<string, string[]>)['0'] ?? [];
  return texts
    .flatMap((text) => text.split('\n'))
    .map((line) => {
      const [, sent, uncertain] = JSON.parse(line) as StoredLine;
      return { sent: sent.map(([place]) => place), uncertain: uncertain.map(([place]) => place) };
    });
}
