import type { Delivered } from '../delivery/deliver';
import { countMessages, type Interruptible, type Message } from '../messages/message';
import type { Tally } from '../requests/tally';

/** The result of a run in numbers; no phone number and no text is among them. */
export interface Summary {
  readonly sent: number;
  /** Of those sent, the ones that an earlier attempt of the run had sent. */
  readonly resumed: number;
  readonly failed: number;
  readonly uncertain: number;
  readonly skipped: number;
  /** Not sent, because another execution had. */
  readonly sentBefore: number;
  readonly planned: number;
  readonly creditsUsed: number;
  /** null where no answer reported it. */
  readonly creditsLeft: number | null;
  readonly requests: number;
  /** Time in which requests waited for the limit, in milliseconds. */
  readonly waited: number;
}

/** @param accounts how many accounts the messages were sent from */
export function* summarize(
  delivered: Delivered,
  { requests, waited }: Tally,
  accounts: number,
): Interruptible<Summary> {
  const { unsendable, receipts, duplicates, planned, resumed } = delivered;
  const count = { sent: 0, sent_before: 0, not_sent: 0, uncertain: 0 };
  const failures = new Set<Message>();
  let creditsUsed = 0;
  let creditsLeft: number | null = null;
  for (const { results, data } of receipts) {
    for (const { message, outcome } of results) {
      count[outcome.kind] += 1;
      if ('failure' in outcome && duplicates.length > 0) failures.add(message);
    }
    const { credits_used: used, credits_remaining: left } = data ?? {};
    if (typeof used === 'number') creditsUsed += used;
    // Answers to requests that ran at the same time come in any order; credits only go down.
    if (typeof left === 'number') creditsLeft = Math.min(left, creditsLeft ?? left);
    yield;
  }
  for (const { outcome } of unsendable) {
    count[outcome] += 1;
    yield;
  }
  // A duplicate of one that failed has failed with it.
  const failedDuplicates = duplicates.filter(({ original }) => failures.has(original)).length;
  return {
    sent: count.sent,
    resumed,
    failed: count.not_sent + failedDuplicates,
    uncertain: count.uncertain,
    skipped: duplicates.length - failedDuplicates,
    sentBefore: count.sent_before,
    planned: countMessages(planned),
    creditsUsed,
    // Each account has its own.
    creditsLeft: accounts > 1 ? null : creditsLeft,
    requests,
    waited,
  };
}

/** The summary as one sentence for the hint over the output and the log. */
export function summaryText(summary: Summary): string {
  const { sent, resumed, failed, uncertain, skipped, sentBefore, planned } = summary;
  const { creditsUsed, creditsLeft, requests, waited } = summary;
  const parts = [
    planned > 0 ? `${planned} would be sent, nothing was sent (dry run)` : `${sent} sent`,
    resumed > 0
      ? planned > 0
        ? `${resumed} sent in an earlier attempt`
        : `of these ${resumed} in an earlier attempt`
      : '',
    failed > 0 ? `${failed} not sent` : '',
    uncertain > 0 ? `${uncertain} uncertain` : '',
    skipped > 0 ? `${skipped} skipped as duplicates` : '',
    sentBefore > 0 ? `${sentBefore} skipped, because they were sent before` : '',
    creditsUsed > 0 ? `${creditsUsed} credits used` : '',
    creditsLeft === null ? '' : `${creditsLeft} left`,
    `${requests} ${requests === 1 ? 'request' : 'requests'}`,
    waited >= 500 ? `${Math.round(waited / 1000)} s spent waiting for the limit` : '',
  ];
  return `${parts.filter((part) => part !== '').join(', ')}.`;
}
