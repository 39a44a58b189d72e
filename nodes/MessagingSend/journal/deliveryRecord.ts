import { createHash } from 'node:crypto';

import type { JsonRecord, JsonScalar } from '../api/records';
import { isRecord, pick, SEND_FIELDS } from '../api/records';
import { mayHaveGoneOut } from '../delivery/match';
import type { Failure } from '../failures/failure';
import type { Message, Origin } from '../messages/message';
import type { Outcome, Receipt, Result } from '../messages/outcome';
import type { Interruptible } from '../n8n/slices';

/**
 * One receipt as it is kept: a JSON text, because n8n stores an execution in a form in which one long
 * text is small and many objects are not. It holds no key, number or text; a message is known by where
 * it came from and by a fingerprint.
 */
interface Line {
  /** Batch; null where none is known. */
  readonly b: number | null;
  /** Numbers of the service's answer, such as credits; left out where there was none. */
  readonly d?: Readonly<Record<string, number>>;
  /** For a single send: credits_used, credits_remaining, sent_at. There is one for each message, so it is short. */
  readonly o?: readonly [JsonScalar, JsonScalar, JsonScalar];
  /** `[origin, fingerprint, message_id, status]` for each message that was sent; no status stands for `sent`. */
  readonly s?: ReadonlyArray<readonly [string, string, JsonScalar, JsonScalar?]>;
  /** `[origin, fingerprint]` for each message whose fate is not known. */
  readonly u?: ReadonlyArray<readonly [string, string]>;
  /** Why it is not known: code, HTTP status, message, description. */
  readonly f?: readonly [Failure['code'], number | null, string, string];
}

type Sent = Extract<Outcome, { kind: 'sent' }>;

interface Remembered {
  readonly line: Line;
  readonly outcome: Outcome;
}

/** For a message whose outcome n8n has not stored; no request is known to have carried it. */
const INTERRUPTED: Remembered = {
  line: { b: null },
  outcome: {
    kind: 'uncertain',
    failure: mayHaveGoneOut({
      code: 'INTERRUPTED',
      httpStatus: null,
      message: 'n8n was ended in the middle of an earlier try, and what became of this message was lost',
      description:
        'If it did not go out, set the option If the Outcome Is Uncertain to Send Again and retry with the currently saved workflow.',
      scope: 'run',
    }),
  },
};

/** Lines are joined up to this length: n8n's form of storage needs some room for each text. */
const JOINED = 4096;

/** How messages are looked up in a record. */
export interface Recall {
  /** Whether those whose fate is not known are to be sent. */
  readonly sendUncertainAgain: boolean;
  /** Whether the same number and text is known wherever it came from: it is to go out once. */
  readonly anyOrigin: boolean;
  /** Whether the service's answers have the form of a single send (API 2.2). */
  readonly isSingle: boolean;
}

/** What a record makes of a run's messages. */
export interface Recalled {
  /** Of those that have an outcome already, as they were when it was new. */
  readonly receipts: Receipt[];
  /** Those that are still to be sent. */
  readonly pending: readonly Message[];
  /** Of those, the ones that may have gone out already, with the reason. */
  readonly again: Map<Message, Failure>;
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
  /** Whether an earlier try has come as far as to open it. */
  readonly isOpen: boolean;

  constructor(
    private readonly context: JsonRecord,
    private readonly runIndex: number,
  ) {
    const kept = isRecord(context.deliveries) ? context.deliveries[String(runIndex)] : undefined;
    this.isOpen = Array.isArray(kept);
    this.lines = Array.isArray(kept) ? kept.filter((line) => typeof line === 'string') : [];
  }

  /** Leaves a sign that the run has begun, so that a re-run without one is known for what it is. */
  open(): void {
    this.save(this.lines);
  }

  /** Notes that outcomes of this execution were lost: every message that has none may have gone out. */
  markInterrupted(): void {
    this.context.interrupted = true;
  }

  /**
   * Parts messages by whether they have an outcome already. One whose number or text has changed is new.
   */
  *recall(messages: readonly Message[], { sendUncertainAgain, anyOrigin, isSingle }: Recall): Interruptible<Recalled> {
    const isInterrupted = this.context.interrupted === true;
    if (this.lines.length === 0 && !isInterrupted)
      return { receipts: [], pending: messages, again: new Map(), lastBatch: 0 };
    const remembered = yield* this.read(anyOrigin);
    const unknown = isInterrupted ? INTERRUPTED : undefined;
    const byLine = new Map<Line, Result[]>();
    const pending: Message[] = [];
    const again = new Map<Message, Failure>();
    for (const message of messages) {
      const print = fingerprint(message);
      const known =
        remembered.get(`${key(message)} ${print}`) ??
        (anyOrigin && message.part === null ? remembered.get(print) : undefined) ??
        unknown;
      if (known === undefined || (sendUncertainAgain && known.outcome.kind === 'uncertain')) {
        pending.push(message);
        if (known?.outcome.kind === 'uncertain') again.set(message, known.outcome.failure);
      } else {
        const results = byLine.get(known.line) ?? [];
        if (results.push({ message, outcome: known.outcome }) === 1) byLine.set(known.line, results);
      }
      yield;
    }
    const receipts = [...byLine].map(([line, results]): Receipt => ({
      batch: line.b,
      results,
      data: dataOf(line, results, isSingle),
    }));
    const lastBatch = [...remembered.values()].reduce((last, { line }) => Math.max(last, line.b ?? 0), 0);
    return { receipts, pending, again, lastBatch };
  }

  /** Notes what must not be sent again: what was sent, and what may have been. */
  note({ batch, results, data }: Receipt): void {
    const sent = results.flatMap(({ message, outcome }) =>
      outcome.kind === 'sent' ? [sentEntry(message, outcome)] : [],
    );
    const uncertain = results.flatMap(({ message, outcome }) =>
      outcome.kind === 'uncertain' ? [[key(message), fingerprint(message)] as const] : [],
    );
    if (sent.length + uncertain.length === 0) return;
    const failure = results.map(({ outcome }) => outcome).find((outcome) => outcome.kind === 'uncertain')?.failure;
    const line: Line = {
      b: batch,
      ...answerOf(data),
      ...(sent.length > 0 && { s: sent }),
      ...(uncertain.length > 0 && { u: uncertain }),
      ...(failure && { f: [failure.code, failure.httpStatus, failure.message, failure.description] }),
    };
    const text = JSON.stringify(line);
    const last = this.lines.at(-1);
    if (last === undefined || last.length > JOINED) this.lines.push(text);
    else this.lines[this.lines.length - 1] = `${last}\n${text}`;
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

  /** By origin and fingerprint; if asked, by fingerprint alone as well. */
  private *read(anyOrigin: boolean): Interruptible<Map<string, Remembered>> {
    const remembered = new Map<string, Remembered>();
    const remember = (origin: string, print: string, line: Line, outcome: Outcome) => {
      remembered.set(`${origin} ${print}`, { line, outcome });
      // Not for parts: two texts that were split may have one in common.
      if (anyOrigin && !isPart(origin)) remembered.set(print, { line, outcome });
    };
    for (const text of this.lines.flatMap((lines) => lines.split('\n'))) {
      const line = JSON.parse(text) as Line;
      for (const [origin, print, messageId, status = 'sent'] of line.s ?? []) {
        remember(origin, print, line, { kind: 'sent', messageId, status });
      }
      const uncertain: Outcome = { kind: 'uncertain', failure: failureOf(line) };
      for (const [origin, print] of line.u ?? []) remember(origin, print, line, uncertain);
      yield;
    }
    return remembered;
  }
}

/** Where a message came from, as a text: `12`, `12.3` for an entry of a list, `12.3.0` for a part. */
function key({ item, entry, part }: Origin): string {
  return part === null ? (entry === null ? `${item}` : `${item}.${entry}`) : `${item}.${entry ?? ''}.${part}`;
}

function isPart(origin: string): boolean {
  return origin.split('.').length === 3;
}

/** 72 bits, so that two texts are not taken for one, in 12 characters. */
function fingerprint({ phone, text }: Message): string {
  // As JSON, which writes even broken characters apart, each in its own way.
  return createHash('sha256')
    .update(JSON.stringify([phone, text]))
    .digest('base64')
    .slice(0, 12);
}

function sentEntry(message: Message, { messageId, status }: Sent): NonNullable<Line['s']>[number] {
  return status === 'sent'
    ? [key(message), fingerprint(message), messageId]
    : [key(message), fingerprint(message), messageId, status];
}

function failureOf({ f }: Line): Failure {
  const [code, httpStatus, message, description] = f ?? [
    'UNCERTAIN',
    null,
    'It is not known whether this message went out',
    '',
  ];
  return { code, httpStatus, message, description, scope: 'request' };
}

/** Credits, counts and times: all of the answer but texts that might tell of people. */
function answerOf(data: JsonRecord | null): Pick<Line, 'd' | 'o'> {
  if (data === null) return {};
  if ('sent_at' in data) {
    const { credits_used: used, credits_remaining: left, sent_at: at } = pick(data, SEND_FIELDS);
    return { o: [used, left, shortTime(at)] };
  }
  const numbers = Object.entries(data).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  return { d: Object.fromEntries(numbers) };
}

/** A time as a number where that can be written back exactly. */
function shortTime(time: JsonScalar): JsonScalar {
  const milliseconds = typeof time === 'string' ? Date.parse(time) : NaN;
  return Number.isFinite(milliseconds) && new Date(milliseconds).toISOString() === time ? milliseconds : time;
}

function longTime(time: JsonScalar): JsonScalar {
  return typeof time === 'number' ? new Date(time).toISOString() : time;
}

/** The service's answer as far as it was kept; what stood in it for each message comes from the results. */
function dataOf({ d, o }: Line, results: readonly Result[], isSingle: boolean): JsonRecord | null {
  if (d === undefined && o === undefined) return null;
  const entries = results.flatMap(({ message: { phone }, outcome }) =>
    outcome.kind === 'sent' ? [{ message_id: outcome.messageId, phone, status: outcome.status }] : [],
  );
  const single = o === undefined ? {} : { credits_used: o[0], credits_remaining: o[1], sent_at: longTime(o[2]) };
  return isSingle ? { ...entries[0], ...d, ...single } : { ...d, ...single, messages: entries };
}
