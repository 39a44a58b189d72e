import type { Delivered } from '../../delivery/deliver';
import type { DeliveryOptions } from '../../delivery/options';
import { type Interruptible, withEach } from '../../messages/interruptible';
import { countMessages, type Message } from '../../messages/message';
import type { Unconfirmed } from '../../messages/outcome';
import type { Tally } from '../../requests/traffic';

/** The result of a run in numbers; no phone number and no text is among them. */
export interface Summary {
  readonly sent: number;
  /** How many of the sent messages an earlier attempt of the run had sent. */
  readonly resumed: number;
  readonly failed: number;
  readonly uncertain: number;
  /** How many of the uncertain messages are duplicates of an uncertain message. */
  readonly uncertainDuplicates: number;
  readonly skipped: number;
  /** Not sent, because another execution had sent them. */
  readonly sentBefore: number;
  /** What a dry run would send, and in how many requests; null for a real run. */
  readonly planned: { readonly messages: number; readonly requests: number } | null;
  /** Whether the node would skip, in a later execution, what this one has sent. */
  readonly isRemembered: boolean;
  readonly creditsUsed: number;
  /** null where no answer of this attempt reported it. */
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
  { dryRun, duplicateMessages }: Pick<DeliveryOptions, 'dryRun' | 'duplicateMessages'>,
): Interruptible<Summary> {
  const { unsendable, receipts, duplicates, planned, recalled } = delivered;
  const count = { sent: 0, sent_before: 0, not_sent: 0, uncertain: 0 };
  const failures = new Map<Message, Unconfirmed['kind']>();
  let resumed = 0;
  let creditsUsed = 0;
  let creditsLeft: number | null = null;
  for (const [index, { results, data }] of receipts.entries()) {
    const isNew = index >= recalled;
    for (const { message, outcome } of results) {
      count[outcome.kind] += 1;
      if (!isNew && outcome.kind === 'sent') resumed += 1;
      if ('failure' in outcome && duplicates.length > 0) failures.set(message, outcome.kind);
    }
    const { credits_used: used, credits_remaining: left } = data ?? {};
    if (typeof used === 'number') creditsUsed += used;
    // Answers to requests that ran at the same time come in any order; credits only go down. Since an earlier attempt,
    // the account may have been topped up.
    if (isNew && typeof left === 'number') creditsLeft = Math.min(left, creditsLeft ?? left);
    yield;
  }
  yield* withEach(unsendable, ({ outcome }) => {
    count[outcome] += 1;
  });
  // A duplicate has the outcome of its original.
  const ofDuplicates = { skipped: 0, not_sent: 0, uncertain: 0 };
  yield* withEach(duplicates, ({ original }) => {
    ofDuplicates[failures.get(original) ?? 'skipped'] += 1;
  });
  return {
    sent: count.sent,
    resumed,
    failed: count.not_sent + ofDuplicates.not_sent,
    uncertain: count.uncertain + ofDuplicates.uncertain,
    uncertainDuplicates: ofDuplicates.uncertain,
    skipped: ofDuplicates.skipped,
    sentBefore: count.sent_before,
    planned: dryRun ? { messages: countMessages(planned), requests: planned.length } : null,
    isRemembered: duplicateMessages === 'sendOnceEver',
    creditsUsed,
    // Each account has its own.
    creditsLeft: accounts > 1 ? null : creditsLeft,
    requests,
    waited,
  };
}

/** The summary in words, for the hint over the output and the log. */
export function summaryText(summary: Summary): string {
  const { sent, resumed, failed, uncertain, skipped, sentBefore, planned } = summary;
  if (planned !== null) return dryRunText(summary, planned);
  const { creditsUsed, creditsLeft, requests, waited } = summary;
  const parts = [
    resumed > 0 ? `${sent} sent (${resumed} of them in an earlier attempt)` : `${sent} sent`,
    failed > 0 ? `${failed} not sent` : '',
    uncertain > 0 ? `${uncertain} uncertain (may have been sent)` : '',
    ...skippedTexts(skipped, sentBefore),
    creditsUsed > 0 ? `${counted(creditsUsed, 'credit')} used` : '',
    creditsLeft === null ? '' : `${creditsLeft} left`,
    counted(requests, 'request'),
    waited >= 500 ? `${durationText(waited)} spent waiting for the rate limit` : '',
  ];
  return `${joined(parts)}.`;
}

function dryRunText(
  { resumed, failed, uncertain, skipped, sentBefore }: Summary,
  { messages, requests }: NonNullable<Summary['planned']>,
): string {
  // Each message costs 1 credit (API 4.3).
  const cost = messages === 0 ? '' : ` in ${counted(requests, 'request')}, for ${counted(messages, 'credit')}`;
  const others = joined([
    failed > 0 ? `${failed} can't be sent` : '',
    uncertain > 0 ? `${uncertain} uncertain (may have been sent)` : '',
    ...skippedTexts(skipped, sentBefore),
    resumed > 0 ? `${resumed} already sent in an earlier attempt` : '',
  ]);
  const plan = `Dry run: ${counted(messages, 'message')} would be sent${cost}`;
  const nothing = resumed + uncertain > 0 ? 'Nothing more was sent.' : 'Nothing was sent.';
  return `${plan}${others === '' ? '' : `; ${others}`}. ${nothing}`;
}

function skippedTexts(skipped: number, sentBefore: number): string[] {
  return [
    skipped > 0 ? `${skipped} skipped as ${skipped === 1 ? 'a duplicate' : 'duplicates'}` : '',
    sentBefore > 0 ? `${sentBefore} skipped because ${sentBefore === 1 ? 'it was' : 'they were'} sent before` : '',
  ];
}

/** What running the step again would send a second time; empty if nothing. */
export function secondSendText({ sent, uncertain: all, uncertainDuplicates, isRemembered }: Summary): string {
  const uncertain = all - uncertainDuplicates;
  if (isRemembered || sent + uncertain === 0) return '';
  const doubtful = uncertain === 1 ? 'the uncertain message' : `the ${uncertain} uncertain messages`;
  if (sent === 0) return `Running this step again sends ${doubtful} again.`;
  const again = sent === 1 ? 'that message' : `the ${sent} messages`;
  return `Running this step again sends ${again} again${uncertain > 0 ? `, and ${doubtful}` : ''}.`;
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(', ');
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function durationText(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
