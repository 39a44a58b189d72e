import { type JsonObject, type JsonScalar, pick } from '../api/objects';
import { type Failure, failure } from '../failures/failure';
import { digestOf, mayHaveBeenSent, nameOf, type Outcome, type Row } from '../messages/row';

/** The outcome of a message in an earlier attempt. */
export interface Past extends Pick<Row, 'batch' | 'data'> {
  readonly outcome: Outcome;
}

/**
 * What one memory knows about the messages of a run. One that can no longer be composed has a past as well, if it may
 * have been sent when it could.
 */
export type Memory = ReadonlyMap<Row, Past>;

/** For messages whose request is not known. */
export function pastWith(outcome: Outcome): Past {
  return { outcome, batch: null, data: null };
}

/** n8n did not store the outcome. */
export const INTERRUPTED = pastWith({ kind: 'uncertain', failure: failure('interrupted') });

/** An earlier attempt sent something to the person, perhaps this message with another text, or under another name. */
const TEXT_CHANGED = pastWith({ kind: 'uncertain', failure: failure('textChanged') });

/** The rows of one request, and the outcome of all of them; null if each has its own. */
interface Receipt {
  readonly rows: readonly Row[];
  readonly outcome: Outcome | null;
}

/** A receipt in the execution: only what must not be sent again, without API key, number or text. */
interface Stored extends Pick<Row, 'batch' | 'data'> {
  readonly rows: readonly StoredRow[];
  /** Why the outcome of the uncertain messages is unknown. */
  readonly failure: Failure | null;
}

/** The hashes of the message's name and of its person. Without a message ID, it is uncertain. */
type StoredRow = readonly [name: string, person: string, messageId?: JsonScalar, status?: JsonScalar];

/** What the output shows of an answer besides its messages (API 2.2, 2.3). */
const STORED_FIELDS = ['credits_used', 'credits_remaining', 'sent_at'] as const;

/** What is kept of one run of the node. */
export interface KeptRun {
  /** In a line each, written whenever n8n reads them. */
  readonly receipts: string;
  /**
   * The numbers of the ledger's attempts whose outcomes the receipts contain. Not how many they are: one of them may have
   * sent something to a row that was removed, and that is back.
   */
  attempts: readonly number[];
  /** Whether n8n was killed in an earlier attempt, which may only have asked about messages that are open. */
  isLost: boolean;
}

/**
 * The outcomes of one run of a node so far, kept in the execution, so that a re-run (Retry On Fail, Retry in the list
 * of executions) sends only what was not sent. n8n keeps a node's context through all re-runs, and a new execution
 * starts with an empty one. The runs of a loop share it, so records are kept by run index.
 */
export class DeliveryRecord {
  /** Whether an earlier attempt opened the record. */
  readonly isOpen: boolean;
  readonly run: KeptRun;
  private readonly name: string;
  private text: string;
  /** Not written yet. */
  private unwritten: Receipt[] = [];

  constructor(
    private readonly kept: JsonObject,
    runIndex: number,
  ) {
    this.name = `delivery ${runIndex}`;
    const before = kept[this.name] as KeptRun | undefined;
    const { receipts = '', attempts = [], isLost = false } = before ?? {};
    this.isOpen = before !== undefined;
    this.text = receipts;
    const written = () => this.written();
    this.run = {
      get receipts() {
        return written();
      },
      attempts,
      isLost,
    };
  }

  /** Gives n8n the record. First called when the run begins: a re-run that finds no record follows a kill. */
  open(): void {
    this.kept[this.name] = this.run;
  }

  /** Whether outcomes of this execution were lost: every message without one may have been sent. */
  get isInterrupted(): boolean {
    return this.kept.interrupted === true;
  }

  markInterrupted(): void {
    this.kept.interrupted = true;
  }

  /** What is known about the messages of a run. */
  lookUp(rows: readonly Row[]): { readonly recorded: Memory; readonly lastBatch: number } {
    const byName = new Map<string, Past & { readonly person: string }>();
    let lastBatch = 0;
    for (const text of this.written().split('\n').filter(Boolean)) {
      const { rows: stored, batch, data, failure: why } = JSON.parse(text) as Stored;
      for (const [name, person, messageId, status = null] of stored) {
        const outcome: Outcome =
          messageId === undefined
            ? { kind: 'uncertain', failure: why ?? failure('outcomeUnknown') }
            : { kind: 'sent', messageId, status };
        // The later outcome counts: the reply came after Stop.
        byName.set(name, { person, outcome, batch, data });
      }
      lastBatch = Math.max(lastBatch, batch ?? 0);
    }
    const recorded = new Map<Row, Past>();
    if (byName.size === 0 && !this.isInterrupted) return { recorded, lastBatch };
    for (const row of rows) {
      const name = digestOf(nameOf(row));
      const own = byName.get(name);
      if (own === undefined) continue;
      recorded.set(row, own);
      byName.delete(name);
    }
    // Those to whom something was sent, or may have been, that is not in the list under its name.
    const people = new Set([...byName.values()].map(({ person }) => person));
    for (const row of rows.filter((each) => !recorded.has(each))) {
      // A number that can't be read now may be that of any of them.
      if (people.size > 0 && (row.person === '' || people.has(markOf(row)))) recorded.set(row, TEXT_CHANGED);
      else if (this.isInterrupted) recorded.set(row, INTERRUPTED);
    }
    return { recorded, lastBatch };
  }

  /**
   * Notes messages of one request that must not be sent again: sent, or maybe sent. The text is written only when n8n
   * reads it to store the execution. A run that sends everything never needs it, and writing takes a tenth of its time.
   * @param outcome of all of them, in place of their own
   */
  note(rows: readonly Row[], outcome: Outcome | null = null): void {
    if (!rows.some((row) => mayHaveBeenSent(outcome ?? row.outcome))) return;
    this.unwritten.push({ rows, outcome });
    this.open();
  }

  private written(): string {
    for (const receipt of this.unwritten) this.text += `${JSON.stringify(storedOf(receipt))}\n`;
    this.unwritten = [];
    return this.text;
  }

  /** Forgets the run: everything was sent, so it will not be run again. */
  clear(): void {
    Reflect.deleteProperty(this.kept, this.name);
  }
}

/**
 * A hash of the person in 8 characters: enough to tell which messages of a run share one. Anyone who can read the
 * record could recover the number by brute force. No hash prevents that, and n8n stores the number itself in the
 * execution's input.
 */
function markOf({ person }: Row): string {
  return digestOf(person, 8);
}

function storedOf({ rows, outcome: ofAll }: Receipt): Stored {
  const stored: StoredRow[] = [];
  let why: Failure | null = null;
  for (const row of rows) {
    const outcome = ofAll ?? row.outcome;
    if (!mayHaveBeenSent(outcome)) continue;
    const ofRow = [digestOf(nameOf(row)), markOf(row)] as const;
    if (outcome.kind === 'sent') stored.push([...ofRow, outcome.messageId, outcome.status]);
    else {
      stored.push(ofRow);
      why ??= { ...outcome.failure, scope: 'request', outcome: 'uncertain' };
    }
  }
  const { batch = null, data = null } = rows[0] ?? {};
  return { rows: stored, batch, data: data && pick(data, STORED_FIELDS), failure: why };
}
