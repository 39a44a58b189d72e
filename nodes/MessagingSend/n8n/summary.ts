import type { Delivered } from '../delivery/deliver';
import { countMessages, type Interruptible } from '../messages/message';
import type { Receipt } from '../messages/outcome';

/** The result of a run in numbers; no phone number and no text is among them. */
export interface Summary {
  readonly sent: number;
  /** Of those sent, the ones that an earlier attempt of the run had sent. */
  readonly resumed: number;
  readonly failed: number;
  readonly uncertain: number;
  readonly skipped: number;
  readonly planned: number;
  readonly creditsUsed: number;
  /** null where no answer reported it. */
  readonly creditsLeft: number | null;
  readonly requests: number;
  /** Time in which requests waited for the limit, in milliseconds. */
  readonly waited: number;
}

/** @param waited in milliseconds */
export function* summarize(delivered: Delivered, requests: number, waited: number): Interruptible<Summary> {
  const { unsendable, receipts, duplicates, planned, resumed } = delivered;
  const count = { sent: 0, not_sent: 0, uncertain: 0 };
  for (const { results } of receipts) {
    for (const { outcome } of results) count[outcome.kind] += 1;
    yield;
  }
  // A duplicate of one that failed has failed with it.
  const failures = duplicates.length === 0 ? new Set() : notSent(receipts);
  const failedDuplicates = duplicates.filter(({ original }) => failures.has(original)).length;
  const answers = receipts.flatMap(({ data }) => (data === null ? [] : [data]));
  const left = answers
    .map((data) => data.credits_remaining)
    .filter((credits): credits is number => typeof credits === 'number');
  return {
    sent: count.sent,
    resumed,
    failed: count.not_sent + unsendable.length + failedDuplicates,
    uncertain: count.uncertain,
    skipped: duplicates.length - failedDuplicates,
    planned: countMessages(planned),
    creditsUsed: answers.reduce(
      (total, data) => total + (typeof data.credits_used === 'number' ? data.credits_used : 0),
      0,
    ),
    // Answers to requests that ran at the same time come in any order; credits only go down.
    creditsLeft: left.reduce<number | null>(
      (least, credits) => (least === null || credits < least ? credits : least),
      null,
    ),
    requests,
    waited,
  };
}

function notSent(receipts: readonly Receipt[]): Set<unknown> {
  const results = receipts.flatMap((receipt) => receipt.results);
  return new Set(results.filter(({ outcome }) => outcome.kind !== 'sent').map(({ message }) => message));
}

/** The summary as one sentence for the hint over the output and the log. */
export function summaryText(summary: Summary): string {
  const { sent, resumed, failed, uncertain, skipped, planned, creditsUsed, creditsLeft, requests, waited } = summary;
  const parts = [
    planned > 0 ? `${planned} would be sent, nothing was sent (dry run)` : `${sent} sent`,
    resumed > 0 ? `of these ${resumed} in an earlier attempt` : '',
    failed > 0 ? `${failed} not sent` : '',
    uncertain > 0 ? `${uncertain} uncertain` : '',
    skipped > 0 ? `${skipped} skipped as duplicates` : '',
    creditsUsed > 0 ? `${creditsUsed} credits used` : '',
    creditsLeft === null ? '' : `${creditsLeft} left`,
    `${requests} ${requests === 1 ? 'request' : 'requests'}`,
    waited >= 500 ? `${Math.round(waited / 1000)} s spent waiting for the limit` : '',
  ];
  return `${parts.filter((part) => part !== '').join(', ')}.`;
}
