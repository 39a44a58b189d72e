import { LENGTHS, pagesOf, usualLength } from '../../messages/pages';
import { digestOf, type Row } from '../../messages/row';
import { type DeliveryRecord, INTERRUPTED, type Memory, type Past, pastWith } from '../deliveryRecord';
import type { Facts } from '../list/facts';
import { Attempt, begunName, type Left, lengthName, notesOf, NOTHING_LEFT } from './attempt';

/** How many attempts are looked up at once. */
const ASKED_TOGETHER = 8;

/** How many in a row can have taken a number and given it back: they ran at the same time, in different processes. */
const LONGEST_GAP = 4;

const SENT = pastWith({ kind: 'sent', messageId: null, status: 'sent' });

/** What an attempt finds when it starts. */
interface Start {
  readonly number: number;
  /** Earlier attempts that the delivery record doesn't contain. */
  readonly unrecorded: readonly number[];
  /** The usual length of their pages; null if none is noted. */
  readonly length: number | null;
}

/**
 * What n8n's database knows about one run of the node. After a kill, the execution itself contains nothing.
 *
 * An attempt takes the next number before it sends. A later attempt asks, for each of its pages, the attempts that its
 * delivery record doesn't contain: what is on an open page, and on none that is noted, is uncertain, and so is what was
 * not planned under this name. It bars pages that were not begun, so that the earlier attempt sends no more if it is
 * still running somewhere.
 */
export class CrashLedger {
  readonly isRetry: boolean;
  private readonly run: string;
  /** Noted when the run starts. Only with it, or the first run's, do missing facts prove that nothing was begun. */
  private readonly hasStarted: readonly string[];
  private readonly start: Promise<Start>;

  /**
   * Notes in the list that the run has started; or, if it follows a kill and the list has no such note, in the record that
   * outcomes were lost. A later attempt that finds a record doesn't check that again, so if the list can't be asked now, the
   * record is removed.
   * @param lineage what an execution shares with its Retries, and with no other execution
   * @param ordinal of the run within the execution, from 0
   */
  constructor(
    private readonly facts: Facts,
    { lineage, ordinal }: { readonly lineage: string; readonly ordinal: number },
    private readonly record: DeliveryRecord,
    { isRetry, followsKill }: { readonly isRetry: boolean; readonly followsKill: boolean },
  ) {
    this.isRetry = isRetry;
    this.run = digestOf(`${lineage} ${ordinal}`);
    this.hasStarted = [facts.of(this.run)];
    const isUnknown = followsKill && !record.isOpen;
    this.start = isRetry ? this.startAgain(digestOf(`${lineage} 0`), isUnknown) : this.startOnce();
    this.start.catch(() => {
      if (isUnknown) record.clear();
    });
  }

  private async startAgain(firstRun: string, isUnknown: boolean): Promise<Start> {
    const { facts, record, hasStarted } = this;
    const [own, first] = await facts.ask([...hasStarted, facts.of(firstRun)]);
    const isSilent = own !== 'noted' && first !== 'noted';
    // A second try learns only from the record that the first one found this.
    if (isSilent && (isUnknown || record.isInterrupted)) record.markInterrupted();
    else await facts.store({ noted: hasStarted });
    if (own === 'noted' && !record.isOpen) record.run.isLost = true;
    return await this.findUnrecorded();
  }

  /** A run that was noted before is a second try, or one of an execution that n8n continues for the second time. */
  private async startOnce(): Promise<Start> {
    const { facts, hasStarted: noted } = this;
    const wasNoted = await facts.store({ noted }, noted).catch(async () => {
      await facts.store({ noted });
      // Nobody knows who has noted it, so other attempts are asked about, too.
      return true;
    });
    if (wasNoted || this.record.run.attempts.length > 0) return await this.findUnrecorded();
    return { number: 1, unrecorded: [], length: null };
  }

  private async findUnrecorded(): Promise<Start> {
    const { facts, run, record } = this;
    const recorded = record.run.attempts;
    let last = Math.max(0, ...recorded);
    const unrecorded: number[] = [];
    const lengths = await facts.ask(LENGTHS.map((length) => facts.of(lengthName(run, length))));
    const length = LENGTHS[lengths.indexOf('noted')] ?? null;
    for (let first = 1; ; first += ASKED_TOGETHER) {
      const numbers = Array.from({ length: ASKED_TOGETHER }, (_, index) => first + index);
      const states = await facts.ask(numbers.map((number) => facts.of(begunName(run, number))));
      // An open one counts as well: it may have been noted before a kill during a question left it open.
      const known = numbers.filter((_number, index) => states[index] !== 'unknown');
      unrecorded.push(...known.filter((number) => !recorded.includes(number)));
      last = Math.max(last, ...known);
      // One that has sent nothing takes its number back, perhaps after others have taken the next ones.
      if (last + 1 + LONGEST_GAP < first + ASKED_TOGETHER) return { number: last + 1, unrecorded, length };
    }
  }

  /** Resolves once the start is stored. @param attempt what is left of the attempt */
  async finish({ begun, details }: Left = NOTHING_LEFT): Promise<void> {
    const { facts, hasStarted, isRetry } = this;
    await this.start.catch(() => undefined);
    // A later Retry of an older execution must learn that this one may have sent something.
    if (isRetry) facts.change({ facts: begun });
    // Without the start, the silence of the list proves nothing, so it goes first.
    facts.end([...hasStarted, ...(isRetry ? [] : begun)], details);
  }

  /**
   * What is known about these messages, and an attempt at them.
   * @param rows all messages of the run, in the order of the input
   * @param keptBackOf tells what the user keeps back of them
   * @throws what the storage throws: then nothing is known
   */
  async lookUp(
    rows: readonly Row[],
    keptBackOf: () => Promise<ReadonlySet<Row>>,
    pause: () => Promise<void>,
  ): Promise<{ readonly listed: Memory; readonly attempt: Attempt }> {
    const { facts, run, record } = this;
    const { number, unrecorded, length: earlier } = await this.start;
    const length = earlier ?? usualLength(rows.length);
    const pages = await pagesOf(rows, length, pause);
    const listed = new Map<Row, Past>();
    const toBar: string[] = [];
    const keptBack = unrecorded.length === 0 ? new Set<Row>() : await keptBackOf();
    for (const each of unrecorded) {
      toBar.push(...(await this.ask(notesOf(facts, run, each, pages, length), keptBack, listed)));
    }
    return { listed, attempt: new Attempt(facts, notesOf(facts, run, number, pages, length), toBar, record.run) };
  }

  /**
   * Asks what an earlier attempt has done with pages.
   * @param listed what is known of their messages. What one attempt has sent is sent, whatever another leaves open
   * @returns the facts of pages that it has not begun
   */
  private async ask(
    { pages, plan, plannedForNobody }: ReturnType<typeof notesOf>,
    keptBack: ReadonlySet<Row>,
    listed: Map<Row, Past>,
  ): Promise<string[]> {
    const isLeft = (row: Row) => !keptBack.has(row);
    const rests = pages.map(({ rows, factWithout }) => factWithout(rows.filter((row) => keptBack.has(row))));
    const asked = [...plan, ...pages.map(({ fact }) => fact), ...rests];
    const states = await this.facts.ask(asked);
    const stateOf = new Map(asked.map((fact, index) => [fact, states[index]]));
    const learn = (rows: readonly Row[], past: Past) => {
      for (const row of rows) if (listed.get(row) !== SENT) listed.set(row, past);
    };
    const unbegun: string[] = [];
    for (const [index, { rows, planned, plannedFor, fact }] of pages.entries()) {
      const state = stateOf.get(fact);
      // What could not be composed then either was never sent.
      const sendable = rows.filter(({ defect }) => defect === null);
      if (state === 'noted') learn(sendable, SENT);
      else if (stateOf.get(rests[index] ?? '') === 'noted') learn(sendable.filter(isLeft), SENT);
      else if (stateOf.get(planned) !== 'noted') {
        const isNew = stateOf.get(plannedForNobody) === 'noted' && stateOf.get(plannedFor) === 'unknown';
        // They may have been on another page.
        if (!isNew) learn(rows, INTERRUPTED);
      } else if (state === 'open') learn(sendable, INTERRUPTED);
      else if (state === 'unknown') unbegun.push(fact);
    }
    return unbegun;
  }
}
