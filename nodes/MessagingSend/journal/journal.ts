import { addTo } from '../api/objects';
import { type Failure, failure, isFailure } from '../failures/failure';
import { type Batch, mayHaveBeenSent, type Outcome, type Row, settle } from '../messages/row';
import type { Attempt } from './crash/attempt';
import type { CrashLedger } from './crash/crashLedger';
import { type DeliveryRecord, INTERRUPTED, type Memory, pastWith } from './deliveryRecord';
import { MAX_REMEMBERED, type Reservations, type Taken } from './reservations';

/**
 * Whether the messages of a request may leave.
 * - `changed`: some were settled, because other executions have sent or reserved them. Ask again for the others.
 * - `wait`: another run of this process has some of them in flight. Ask again in a moment.
 * - A failure: none of them may leave. Another attempt has them, or n8n's database didn't take the note.
 */
export type Permission = 'leave' | 'changed' | 'wait' | Failure;

const NOT_STORED = failure('notReserved');
const [NOT_ASKED, ANOTHER_ATTEMPT] = [failure('notAsked'), failure('anotherAttempt')];
/** Only another attempt can have sent these messages, and notes them itself. */
const OF_ANOTHER: ReadonlySet<Failure> = new Set([NOT_ASKED, ANOTHER_ATTEMPT]);
const NONE: Taken = new Map();
const IN_FLIGHT: Outcome = { kind: 'uncertain', failure: failure('stoppedInFlight') };

/** What all executions have sent, by account. */
interface SendOnce {
  readonly open: (account: string) => Reservations;
  /** Whether this run asks before it sends. If not, it only notes at its end what it has sent, for runs that do. */
  readonly isAsked: boolean;
}

/** The messages of a run. */
export interface Intent {
  /** All of them, in the order of the input. */
  readonly rows: readonly Row[];
  /** Tells which of them the user keeps back. */
  readonly keptBack: () => Promise<ReadonlySet<Row>>;
  /** The account of an item's messages, or why there is none. */
  readonly senderOf: (item: number) => { readonly account: string } | Failure;
  /** Why a message that was sent is uncertain all the same; null if it is not. */
  readonly lost: Failure | null;
}

/**
 * Remembers what was sent before and must not leave again. It answers one question: may this message leave now? All its
 * memories must agree: the delivery record (in the execution), the crash ledger and the reservations (in n8n's
 * database).
 */
export class Journal {
  private attempt: Attempt | null = null;
  private readonly reservations = new Map<string, Reservations>();
  /** Batches whose requests may be on their way; on Stop, they are noted as uncertain. */
  private readonly inFlight = new Set<Batch>();

  /**
   * @param crash null if n8n's database keeps nothing for the run
   * @param sendOnce null if n8n's database is not to remember what the run sends
   */
  constructor(
    private readonly record: DeliveryRecord,
    private readonly crash: CrashLedger | null = null,
    private readonly sendOnce: SendOnce | null = null,
  ) {}

  /** Whether nothing shows that an earlier attempt sent something. */
  get isNew(): boolean {
    const { run, isInterrupted } = this.record;
    return run.receipts === '' && !isInterrupted && this.crash?.isRetry !== true;
  }

  /** @returns null if each execution may send the same messages again */
  reservationsOf(account: string, isNeeded = this.sendOnce?.isAsked): Reservations | null {
    if (this.sendOnce === null || isNeeded !== true) return null;
    const memory = this.reservations.get(account) ?? this.sendOnce.open(account);
    this.reservations.set(account, memory);
    return memory;
  }

  /**
   * Settles the messages that must not leave, because earlier attempts have sent them or may have.
   * @returns the highest batch number so far; 0 if there is none
   */
  async recall({ rows, keptBack, senderOf, lost }: Intent, pause: () => Promise<void>): Promise<number> {
    const { record, crash } = this;
    // If the database can't be asked, nothing leaves and nothing is noted: the next attempt asks again.
    const asked = await crash?.lookUp(rows, keptBack, pause).catch(() => notAsked(rows, crash.isRetry));
    const { listed, attempt = null } = asked ?? {};
    this.attempt = attempt;
    const { recorded, lastBatch } = record.lookUp(rows);
    if (recorded.size === 0 && (listed?.size ?? 0) === 0) return lastBatch;
    // The notes in the list are not kept for as long as the record.
    const toNote: Row[] = [];
    // What one memory knows to be sent is sent, whatever the other leaves open; else the execution's outcome counts.
    const pastOf = (row: Row) => {
      const [inRecord, inList] = [recorded.get(row), listed?.get(row)];
      return inRecord?.outcome.kind !== 'sent' && inList?.outcome.kind === 'sent' ? inList : (inRecord ?? inList);
    };
    const isDoubtful = (row: Row) => row.defect === null && pastOf(row)?.outcome.kind === 'uncertain';
    // Sent all the same, by what all executions remember.
    for (const [account, doubtful] of byAccount(rows.filter(isDoubtful), senderOf)) {
      const found = this.reservationsOf(account)?.find(doubtful);
      const taken = (await found?.catch(() => NONE)) ?? NONE;
      this.settleTaken(new Map([...taken].filter(([, state]) => state === 'noted')));
    }
    for (const row of rows) {
      if (row.outcome !== null) continue;
      const past = pastOf(row);
      if (past === undefined) continue;
      if (row.defect !== null) {
        if (mayHaveBeenSent(past.outcome)) settle(row, { kind: 'uncertain', failure: row.defect });
        continue;
      }
      row.isRecalled = true;
      row.batch = past.batch;
      row.data = past.data;
      const isLost = past.outcome.kind === 'sent' && lost !== null;
      settle(row, isLost ? { kind: 'uncertain', failure: lost } : past.outcome);
      if (attempt !== null && past !== recorded.get(row)) toNote.push(row);
    }
    record.note(toNote);
    return lastBatch;
  }

  /**
   * Settles messages that other executions sent or reserved; all of them, as not sent, if n8n's database doesn't answer.
   * @param rows open messages
   */
  async takeOut(rows: readonly Row[], reservations: Reservations): Promise<void> {
    try {
      this.settleTaken(await reservations.find(rows));
    } catch {
      for (const row of rows) settle(row, { kind: 'not_sent', failure: NOT_STORED });
    }
  }

  /**
   * Resolves once everything that a re-run must know is stored. Called again when the request is repeated.
   * Never rejects. After `leave`, call {@link afterFlight} exactly once.
   */
  async beforeRequest(batch: Batch, reservations: Reservations | null): Promise<Permission> {
    const { attempt, inFlight } = this;
    if (reservations?.mustWait(batch) === true) return 'wait';
    inFlight.add(batch);
    // Started together, so that the list writes both at once.
    const [taken, isTaken] = await Promise.all([
      reservations?.reserve(batch).catch(() => null) ?? NONE,
      attempt?.begin(batch).catch(() => null) ?? false,
    ]);
    const isFree = taken !== 'wait' && taken?.size === 0;
    if (isFree && isTaken === false) return 'leave';
    inFlight.delete(batch);
    if (isFree) reservations?.giveUp(batch);
    if (taken === null || isTaken === null) return NOT_STORED;
    if (isFree) return ANOTHER_ATTEMPT;
    if (taken === 'wait') return 'wait';
    this.settleTaken(taken);
    return 'changed';
  }

  /** What may leave later stays reserved; {@link note} gives up what was settled as not sent. */
  afterFlight(batch: Batch): void {
    this.inFlight.delete(batch);
  }

  /** Notes messages that have just been settled. */
  note(rows: readonly Row[], reservations: Reservations | null): void {
    this.attempt?.settled(rows);
    reservations?.settled(rows);
    this.record.note(rows);
  }

  /**
   * What other executions may be sending is not noted in the delivery record: by the time of a re-run, they may have
   * ended. But after a kill, it may be that the killed attempt only asked, and that nobody has sent it.
   */
  private settleTaken(taken: Taken): void {
    for (const [row, state] of taken) {
      const isDoubtful = state !== 'noted' && this.record.run.isLost;
      const reason = state === 'noted' ? 'sent_before' : 'may_have_been_sent';
      settle(row, isDoubtful ? INTERRUPTED.outcome : { kind: 'skipped', reason });
    }
    this.note([...taken.keys()], null);
  }

  /** n8n stores the execution as soon as Stop is pressed, so batches in flight are noted before their replies. */
  noteInFlight(): void {
    for (const batch of this.inFlight) this.record.note(batch, IN_FLIGHT);
  }

  /**
   * Called when the attempt has ended in any way. Resolves once everything that others need is stored.
   * @param rows all messages of the run; none if it was to send nothing, or could not
   * @returns whether runs that ask will find all that was sent
   */
  async finish(rows: readonly Row[], senderOf: Intent['senderOf']): Promise<boolean> {
    const { record, sendOnce } = this;
    const isDone = rows.every(({ outcome }) => outcome?.kind === 'sent' || outcome?.kind === 'skipped');
    if (rows.length > 0 && isDone) record.clear();
    const left = (sendOnce === null ? [] : rows).filter(
      ({ outcome }) => mayHaveBeenSent(outcome) && !('failure' in outcome && OF_ANOTHER.has(outcome.failure)),
    );
    const sent = byAccount(left.slice(-MAX_REMEMBERED), senderOf);
    for (const account of sent.keys()) this.reservationsOf(account, true);
    const notes = Array.from(this.reservations, async ([account, own]) => await own.finish(sent.get(account)));
    const isNoted = !(await Promise.all(notes)).includes(false) && left.length <= MAX_REMEMBERED;
    await this.crash?.finish(await this.attempt?.finish());
    return sendOnce !== null && isNoted;
  }
}

/** Without messages that no account can send. */
function byAccount(rows: readonly Row[], senderOf: Intent['senderOf']): ReadonlyMap<string, readonly Row[]> {
  const all = new Map<string, Row[]>();
  for (const row of rows) {
    const sender = senderOf(row.item);
    if (!isFailure(sender)) addTo(all, sender.account, row);
  }
  return all;
}

/** A Retry must assume that earlier attempts may have sent everything. */
function notAsked(rows: readonly Row[], isRetry: boolean): { readonly listed: Memory; readonly attempt: null } {
  const past = pastWith(
    isRetry ? { kind: 'uncertain', failure: NOT_ASKED } : { kind: 'not_sent', failure: NOT_STORED },
  );
  return { listed: new Map(rows.map((row) => [row, past])), attempt: null };
}
