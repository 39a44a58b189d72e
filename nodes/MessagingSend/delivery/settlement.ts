import { messageFailure } from '../api/answerFailure';
import type { Rejected } from '../api/reply';
import { type Failure, failure } from '../failures/failure';
import type { AccountJournal } from '../journal/journal';
import type { Batch } from '../messages/message';
import { type Receipt, receiptOf, type Unconfirmed } from '../messages/outcome';
import type { Offenders } from './rejections';

export interface SettlementConfig {
  readonly journal: Pick<AccountJournal, 'settle'>;
  /** Whether the first failure ends the run: no request starts after it. */
  readonly stopOnFailure: boolean;
  /** Called with the number of messages that got their outcomes. */
  readonly onSettled: (messages: number) => void;
}

/** Gives each message its outcome, once, and ends the run if an outcome means that every other request would fail. */
export class Settlement {
  readonly receipts: Receipt[] = [];
  private end: Failure | null = null;

  /** @param onEnd called once, when the run ends, with the reason */
  constructor(
    private readonly config: SettlementConfig,
    private readonly onEnd: (why: Failure) => void,
  ) {}

  /** Why no further request starts; null while the run goes on. */
  get whyEnded(): Failure | null {
    return this.end;
  }

  settle(receipt: Receipt): void {
    for (const { outcome } of receipt.results) if ('failure' in outcome) this.endAfter(outcome);
    this.add(this.config.journal.settle(receipt));
  }

  /** Settles messages that this run has not sent. They are uncertain if something else may be sending them. */
  reject(batch: Batch, why: Failure): void {
    if (batch.messages.length === 0) return;
    const mayBeSent = why.sendAgain === 'checkFirst';
    // Another attempt is sending these messages, and all other batches.
    if (mayBeSent) this.endRun(why);
    this.settle(receiptOf(batch, { kind: mayBeSent ? 'uncertain' : 'not_sent', failure: why }));
  }

  /** Messages named in the reply get their own failure. */
  rejectOffenders(batch: Batch, { failure: whole }: Rejected, offenders: Offenders): void {
    for (const [message, complaints] of offenders) {
      this.reject({ ...batch, messages: [message] }, messageFailure(whole, complaints));
    }
  }

  /** Adds outcomes that the journal already knows. */
  add(receipt: Receipt): void {
    this.receipts.push(receipt);
    this.config.onSettled(receipt.results.length);
  }

  endRun(why: Failure): void {
    if (this.end !== null) return;
    this.end = why;
    this.onEnd(why);
  }

  private endAfter({ kind, failure: why }: Unconfirmed): void {
    if (why.scope !== 'run' && !this.config.stopOnFailure) return;
    this.endRun(why.scope === 'run' && kind === 'not_sent' ? why : failure('notStarted'));
  }
}
