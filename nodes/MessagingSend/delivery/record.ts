import { createHash } from 'node:crypto';

import type { JsonRecord, JsonScalar } from '../api/records';
import { isRecord } from '../api/records';
import type { Failure } from '../api/failure';
import type { Message, Origin } from './message';
import type { Outcome, Receipt, Result } from './outcome';

/**
 * One receipt as it is kept: a JSON text, because n8n stores an execution in a form in which one long
 * text is small and many objects are not. It holds no key, number or text; a message is known by where
 * it came from and by a fingerprint.
 */
interface Line {
  /** Batch. */
  readonly b: number;
  /** Numbers and times of the service's answer, such as credits; left out where there was none. */
  readonly d?: Record<string, JsonScalar>;
  /** `[origin, fingerprint, message_id, status]` for each message that was sent. */
  readonly s?: ReadonlyArray<readonly [string, string, JsonScalar, JsonScalar]>;
  /** `[origin, fingerprint]` for each message whose fate is not known. */
  readonly u?: ReadonlyArray<readonly [string, string]>;
  /** Why it is not known: code, HTTP status, message, description. */
  readonly f?: readonly [string, number | null, string, string];
}

interface Remembered {
  readonly line: Line;
  readonly fingerprint: string;
  readonly outcome: Outcome;
}

/** What a record makes of a run's messages. */
export interface Recalled {
  /** Of those that have an outcome already, as they were when it was new. */
  readonly receipts: Receipt[];
  /** Those that are still to be sent. */
  readonly pending: Message[];
  /** The highest batch number so far; 0 if there is none. */
  readonly lastBatch: number;
}

/**
 * The delivery record of one run of a node: the outcomes so far, kept in the execution, so that a
 * re-run (Retry On Fail, Retry in the list of executions) sends only what was not sent. n8n keeps
 * what a node writes to `getContext('node')` through all its re-runs, and begins each execution anew;
 * the runs of a loop share it, so they are kept apart by run index.
 */
export class DeliveryRecord {
  private readonly lines: string[];

  constructor(
    private readonly context: JsonRecord,
    private readonly runIndex: number,
  ) {
    const kept = isRecord(context.deliveries) ? context.deliveries[String(runIndex)] : undefined;
    this.lines = Array.isArray(kept) ? kept.filter((line) => typeof line === 'string') : [];
  }

  /**
   * Parts messages by whether they have an outcome already. One whose number or text has changed is new.
   * @param sendUncertainAgain whether those whose fate is not known are to be sent
   * @param isSingle whether the service's answers have the form of a single send (API 2.2)
   */
  recall(messages: readonly Message[], sendUncertainAgain: boolean, isSingle: boolean): Recalled {
    const remembered = this.read();
    const byLine = new Map<Line, Result[]>();
    const pending: Message[] = [];
    for (const message of messages) {
      const known = remembered.get(key(message));
      const counts = known !== undefined && known.fingerprint === fingerprint(message);
      if (!counts || (sendUncertainAgain && known.outcome.kind === 'uncertain')) {
        pending.push(message);
      } else {
        const results = byLine.get(known.line) ?? [];
        if (results.push({ message, outcome: known.outcome }) === 1) byLine.set(known.line, results);
      }
    }
    const receipts = [...byLine].map(([line, results]): Receipt => ({ batch: line.b, results, data: dataOf(line, results, isSingle) }));
    const lastBatch = [...remembered.values()].reduce((last, { line }) => Math.max(last, line.b), 0);
    return { receipts, pending, lastBatch };
  }

  /** Notes what must not be sent again: what was sent, and what may have been. */
  note({ batch, results, data }: Receipt): void {
    const sent = results.flatMap(({ message, outcome }) =>
      outcome.kind === 'sent' ? [[key(message), fingerprint(message), outcome.messageId, outcome.status] as const] : [],
    );
    const uncertain = results.flatMap(({ message, outcome }) =>
      outcome.kind === 'uncertain' ? [[key(message), fingerprint(message)] as const] : [],
    );
    if (sent.length + uncertain.length === 0) return;
    const failure = results.map(({ outcome }) => outcome).find((outcome) => outcome.kind === 'uncertain')?.failure;
    const line: Line = {
      b: batch,
      ...(data !== null && { d: plainValues(data) }),
      ...(sent.length > 0 && { s: sent }),
      ...(uncertain.length > 0 && { u: uncertain }),
      ...(failure && { f: [failure.code, failure.httpStatus, failure.message, failure.description] }),
    };
    this.lines.push(JSON.stringify(line));
    this.save(this.lines);
  }

  /** Forgets the run: all went well, so nothing will be run again. */
  clear(): void {
    this.save(undefined);
  }

  private save(lines: string[] | undefined): void {
    const deliveries: JsonRecord = isRecord(this.context.deliveries) ? this.context.deliveries : {};
    if (lines === undefined) delete deliveries[String(this.runIndex)];
    else deliveries[String(this.runIndex)] = lines;
    if (Object.keys(deliveries).length > 0) this.context.deliveries = deliveries;
    else delete this.context.deliveries;
  }

  private read(): Map<string, Remembered> {
    const remembered = new Map<string, Remembered>();
    for (const text of this.lines) {
      const line = JSON.parse(text) as Line;
      for (const [origin, print, messageId, status] of line.s ?? []) {
        remembered.set(origin, { line, fingerprint: print, outcome: { kind: 'sent', messageId, status } });
      }
      const uncertain: Outcome = { kind: 'uncertain', failure: failureOf(line) };
      for (const [origin, print] of line.u ?? []) remembered.set(origin, { line, fingerprint: print, outcome: uncertain });
    }
    return remembered;
  }
}

/** Where a message came from, as a text: `12`, `12.3` for an entry of a list, `12.3.0` for a part. */
function key({ item, entry, part }: Origin): string {
  return part === null ? (entry === null ? `${item}` : `${item}.${entry}`) : `${item}.${entry ?? ''}.${part}`;
}

/** 72 bits, so that two texts are not taken for one, in 12 characters. */
function fingerprint({ phone, text }: Message): string {
  return createHash('sha256').update(`${phone} ${text}`).digest('base64').slice(0, 12);
}

function failureOf({ f }: Line): Failure {
  const [code, httpStatus, message, description] = f ?? ['UNCERTAIN', null, 'It is not known whether this message went out', ''];
  return { code, httpStatus, message, description, scope: 'request' };
}

/** Credits, counts and times: all of the answer but texts that might tell of people. */
function plainValues(data: JsonRecord): Record<string, JsonScalar> {
  const entries = Object.entries(data).filter(
    (entry): entry is [string, number | string] =>
      typeof entry[1] === 'number' || (entry[0] === 'sent_at' && typeof entry[1] === 'string'),
  );
  return Object.fromEntries(entries.filter(([name]) => name !== 'message_id'));
}

/** The service's answer as far as it was kept; what stood in it for each message comes from the results. */
function dataOf({ d }: Line, results: readonly Result[], isSingle: boolean): JsonRecord | null {
  if (d === undefined) return null;
  const entries = results.flatMap(({ message: { phone }, outcome }) =>
    outcome.kind === 'sent' ? [{ message_id: outcome.messageId, phone, status: outcome.status }] : [],
  );
  return isSingle ? { ...entries[0], ...d } : { ...d, messages: entries };
}
