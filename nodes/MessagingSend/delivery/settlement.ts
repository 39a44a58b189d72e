import { messageFailure } from '../api/answerFailure';
import type { Rejected } from '../api/reply';
import { type Failure, failure } from '../failures/failure';
import type { AccountJournal } from '../journal/journal';
import type { Batch } from '../messages/message';
import { type Receipt, receiptOf, type Unconfirmed } from '../messages/outcome';
import type { Offenders } from './rejections';

export interface SettlementConfig {
  readonly journal: Pick<AccountJournal, 'settle'>;
  /** How many messages of the run are uncertain since an earlier attempt. */
  readonly uncertainBefore: number;
  /** Whether the first failure ends the run: no request starts after it. */
  readonly stopOnFailure: boolean;
  /** Called with the number of messages that got their outcomes. */
  readonly onSettled: (messages: number) => void;
}

/** Why no further request starts. */
type End =
  | { readonly kind: 'failure'; readonly why: Failure }
  /** The failure of unsent messages counts the uncertain ones, so it is known only at the end. */
  | { readonly kind: 'outage'; readonly why: Failure; readonly sign: Failure | null; readonly unsent: Batch[] };

/** Gives messages their outcomes, each once, and ends the run if an outcome means that every other request would fail. */
export class Settlement {
  private readonly receipts: Receipt[] = [];
  private uncertain: number;
  private end: End | null = null;

  /** @param onEnd called once, when the run ends */
  constructor(
    private readonly config: SettlementConfig,
    private readonly onEnd: () => void,
  ) {
    this.uncertain = config.uncertainBefore;
  }

  get whyEnded(): Failure | null {
    return this.end?.why ?? null;
  }

  settle(receipt: Receipt): void {
    for (const { outcome } of receipt.results) {
      if (outcome.kind === 'uncertain') this.uncertain += 1;
      if ('failure' in outcome) this.endAfter(outcome);
    }
    this.add(this.config.journal.settle(receipt));
  }

  settleAll(batch: Batch, outcome: Unconfirmed): void {
    if (batch.messages.length > 0) this.settle(receiptOf(batch, outcome));
  }

  /** Settles messages that this run has not sent. They are uncertain where something else may be sending them. */
  reject(batch: Batch, why: Failure): void {
    if (this.end?.kind === 'outage' && why === this.end.why) {
      this.end.unsent.push(batch);
      return;
    }
    const mayBeSent = why.sendAgain === 'checkFirst';
    // Another attempt sends these messages, and those of all other batches as well.
    if (mayBeSent) this.endRun({ kind: 'failure', why });
    this.settleAll(batch, { kind: mayBeSent ? 'uncertain' : 'not_sent', failure: why });
  }

  /** Messages named in the reply get their own failure. */
  rejectOffenders(batch: Batch, { failure: whole }: Rejected, offenders: Offenders): void {
    for (const [message, complaints] of offenders) {
      this.reject({ ...batch, messages: [message] }, messageFailure(whole, complaints));
    }
  }

  /** Adds outcomes that the journal knows already. */
  add(receipt: Receipt): void {
    this.receipts.push(receipt);
    this.config.onSettled(receipt.results.length);
  }

  /** @param sign the last sign of the outage; null if an earlier attempt saw it */
  endByOutage(sign: Failure | null): void {
    this.endRun({ kind: 'outage', why: serviceDown(sign, 0), sign, unsent: [] });
  }

  /** Returns the receipts, once all batches are processed. */
  finish(): readonly Receipt[] {
    if (this.end?.kind === 'outage') {
      const why = serviceDown(this.end.sign, this.uncertain);
      for (const batch of this.end.unsent) this.settleAll(batch, { kind: 'not_sent', failure: why });
    }
    return this.receipts;
  }

  private endAfter({ kind, failure: why }: Unconfirmed): void {
    if (why.scope !== 'run' && !this.config.stopOnFailure) return;
    const isWhy = why.scope === 'run' && kind === 'not_sent';
    this.endRun({ kind: 'failure', why: isWhy ? why : failure('notStarted') });
  }

  private endRun(end: End): void {
    if (this.end !== null) return;
    this.end = end;
    this.onEnd();
  }
}

function serviceDown(sign: Failure | null, uncertain: number): Failure {
  const { httpStatus = null, serviceSays = '', message } = sign ?? {};
  return failure(
    'serviceDown',
    { sign: message === undefined ? '' : `${message}. `, uncertain },
    { httpStatus, serviceSays },
  );
}
