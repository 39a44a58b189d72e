import type { Delivered } from '../../delivery/deliver';
import type { DeliveryOptions } from '../../delivery/options';
import { type Interruptible, withEach } from '../../messages/interruptible';
import { countMessages, type KeptBack, type Message, personOf } from '../../messages/message';
import type { Tally } from '../../requests/traffic';
import { withinSentence } from './failureText';
import { type Reason, reasonsOf } from './reasons';

/** How many messages were not sent, or are uncertain, and the reason that most of them have. */
export interface Cause {
  readonly messages: number;
  readonly mainReason: string;
  readonly withMainReason: number;
}

/** The result of a run in numbers; no phone number and no text is among them. */
export interface Summary {
  readonly sent: number;
  /** How many of the sent messages an earlier attempt of the run had sent. */
  readonly resumed: number;
  readonly notSent: Cause;
  readonly uncertain: Cause;
  /** How many of the uncertain messages are duplicates of an uncertain message. */
  readonly uncertainDuplicates: number;
  readonly skipped: number;
  /** Not sent, because another execution had sent them. */
  readonly sentBefore: number;
  /** Not sent, because the user chose so: how many for which reason. */
  readonly keptBack: ReadonlyMap<KeptBack['reason'], number>;
  /** What a dry run would send, and in how many requests; null for a real run. */
  readonly planned: { readonly messages: number; readonly requests: number } | null;
  /** How many numbers the messages go to, and how many of these get more than one; null if none does. */
  readonly numbers: { readonly all: number; readonly withSeveral: number } | null;
  /** The fields that are empty in texts, with the number of texts. */
  readonly emptyFields: ReadonlyMap<string, number>;
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
  const { unsendable, receipts, duplicates, keptBack, planned, recalled } = delivered;
  const count = { sent: 0, sent_before: 0, not_sent: 0, uncertain: 0 };
  let resumed = 0;
  let creditsUsed = 0;
  let creditsLeft: number | null = null;
  for (const [index, { results, data }] of receipts.entries()) {
    const isNew = index >= recalled;
    for (const { outcome } of results) {
      count[outcome.kind] += 1;
      if (!isNew && outcome.kind === 'sent') resumed += 1;
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
  const reasons = yield* reasonsOf(delivered);
  const [notSent, uncertain] = [causeOf(reasons, 'not_sent'), causeOf(reasons, 'uncertain')];
  // The reasons count duplicates as well: each shares the outcome of its original.
  const uncertainDuplicates = uncertain.messages - count.uncertain;
  const failedDuplicates = notSent.messages - count.not_sent;
  return {
    sent: count.sent,
    resumed,
    notSent,
    uncertain,
    uncertainDuplicates,
    skipped: duplicates.length - failedDuplicates - uncertainDuplicates,
    sentBefore: count.sent_before,
    keptBack: yield* countKeptBack(keptBack),
    planned: dryRun ? { messages: countMessages(planned), requests: planned.length } : null,
    numbers: yield* countNumbers(delivered),
    emptyFields: yield* countEmptyFields(delivered),
    isRemembered: duplicateMessages === 'sendOnceEver',
    creditsUsed,
    // Each account has its own.
    creditsLeft: accounts > 1 ? null : creditsLeft,
    requests,
    waited,
  };
}

/** What stopped a run is named before what did not start because of it. */
function causeOf(reasons: readonly Reason[], kind: Reason['kind']): Cause {
  const ofKind = reasons.filter((reason) => reason.kind === kind);
  const messages = ofKind.reduce((sum, { origins }) => sum + origins.length, 0);
  const rank = ({ failure, origins }: Reason) => (failure.code === 'NOT_STARTED' ? 0 : origins.length);
  const [main] = ofKind.sort((a, b) => rank(b) - rank(a));
  return { messages, mainReason: main?.failure.message ?? '', withMainReason: main?.origins.length ?? 0 };
}

/** The messages that were sent, may have been, or would be. */
function* outgoing({ receipts, planned }: Delivered): Generator<readonly Message[]> {
  for (const { results } of receipts) {
    const gone = results.filter(({ outcome }) => outcome.kind === 'sent' || outcome.kind === 'uncertain');
    yield gone.map(({ message }) => message);
  }
  for (const { messages } of planned) yield messages;
}

function* countNumbers(delivered: Delivered): Interruptible<Summary['numbers']> {
  if (delivered.repeated.size === 0) return null;
  const messagesTo = new Map<string, number>();
  for (const messages of outgoing(delivered)) {
    for (const { phone, part } of messages) {
      const person = personOf(phone);
      if (part === null || part === 0) messagesTo.set(person, (messagesTo.get(person) ?? 0) + 1);
    }
    yield;
  }
  let withSeveral = 0;
  for (const count of messagesTo.values()) if (count > 1) withSeveral += 1;
  return { all: messagesTo.size, withSeveral };
}

function* countEmptyFields(delivered: Delivered): Interruptible<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const count = ({ empty = [], part }: Message) => {
    if (part !== null && part > 0) return;
    for (const name of empty) counts.set(name, (counts.get(name) ?? 0) + 1);
  };
  for (const messages of outgoing(delivered)) {
    messages.forEach(count);
    yield;
  }
  yield* withEach(delivered.keptBack, ({ message }) => {
    count(message);
  });
  return counts;
}

function* countKeptBack(keptBack: readonly KeptBack[]): Interruptible<Summary['keptBack']> {
  const counts = new Map<KeptBack['reason'], number>();
  yield* withEach(keptBack, ({ reason }) => {
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  });
  return counts;
}

/** The summary in words, for the hint over the output and the log. */
export function summaryText(summary: Summary): string {
  const { notSent, uncertain, planned, numbers, emptyFields } = summary;
  const isNothing = planned === null && notSent.messages > 0 && countAll(summary) === notSent.messages;
  const failed = planned === null ? 'Not sent' : "Can't be sent";
  return [
    isNothing ? `Nothing was sent: ${causeText(notSent)}.` : '',
    planned === null ? countsText(summary, isNothing) : dryRunText(summary, planned),
    notSent.messages > 0 && !isNothing ? `${failed}: ${causeText(notSent)}.` : '',
    uncertain.messages > 0 ? `Uncertain: ${causeText(uncertain)}.` : '',
    numbers === null ? '' : numbersText(numbers, planned === null ? 'went' : 'would go'),
    emptyFieldsText(emptyFields),
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

/** How many messages the run was about. */
export function countAll({ sent, notSent, uncertain, skipped, sentBefore, keptBack, planned }: Summary): number {
  const held = [...keptBack.values()].reduce((sum, count) => sum + count, 0);
  return sent + notSent.messages + uncertain.messages + skipped + sentBefore + held + (planned?.messages ?? 0);
}

function countsText(summary: Summary, isNothing: boolean): string {
  const { sent, resumed, notSent, uncertain, creditsUsed, creditsLeft, requests, waited } = summary;
  const inAll = resumed > 0 ? `${sent} sent (${resumed} of them in an earlier attempt)` : `${sent} sent`;
  const parts = [
    isNothing ? '' : inAll,
    notSent.messages > 0 ? `${notSent.messages} not sent` : '',
    uncertain.messages > 0 ? `${uncertain.messages} uncertain (may have been sent)` : '',
    ...skippedTexts(summary),
    creditsUsed > 0 ? `${counted(creditsUsed, 'credit')} used` : '',
    creditsLeft === null ? '' : `${creditsLeft} left`,
    counted(requests, 'request'),
    waited >= 500 ? `${durationText(waited)} spent waiting for the rate limit` : '',
  ];
  return `${joined(parts)}.`;
}

function dryRunText(summary: Summary, { messages, requests }: NonNullable<Summary['planned']>): string {
  const { resumed, notSent, uncertain } = summary;
  // Each message costs 1 credit (API 4.3).
  const cost = messages === 0 ? '' : ` in ${counted(requests, 'request')}, for ${counted(messages, 'credit')}`;
  const rest = joined([
    notSent.messages > 0 ? `${notSent.messages} can't be sent` : '',
    uncertain.messages > 0 ? `${uncertain.messages} uncertain (may have been sent)` : '',
    ...skippedTexts(summary),
    resumed > 0 ? `${resumed} already sent in an earlier attempt` : '',
  ]);
  const plan = `Dry run: ${counted(messages, 'message')} would be sent${cost}`;
  const nothing = resumed + uncertain.messages > 0 ? 'Nothing more was sent.' : 'Nothing was sent.';
  return `${plan}${rest === '' ? '' : `; ${rest}`}. ${nothing}`;
}

const WHY_KEPT_BACK: Record<KeptBack['reason'], string> = {
  empty_field: 'a field is empty',
  opted_out: "of 'Never Send To'",
};

function skippedTexts({ skipped, sentBefore, keptBack }: Summary): string[] {
  return [
    skipped > 0 ? `${skipped} skipped as ${skipped === 1 ? 'a duplicate' : 'duplicates'}` : '',
    sentBefore > 0 ? `${sentBefore} skipped because ${sentBefore === 1 ? 'it was' : 'they were'} sent before` : '',
    ...Array.from(keptBack, ([reason, count]) => `${count} skipped because ${WHY_KEPT_BACK[reason]}`),
  ];
}

/** The most frequent reason, and how many messages have others. */
function causeText({ messages, mainReason, withMainReason }: Cause): string {
  const reason = withinSentence(mainReason);
  const others = messages - withMainReason;
  return others === 0 ? reason : `${withMainReason} × ${reason}, ${others} for other reasons (see each item)`;
}

function numbersText({ all, withSeveral }: NonNullable<Summary['numbers']>, went: 'went' | 'would go'): string {
  if (withSeveral === 0) return '';
  if (all === 1) return `All messages ${went} to 1 number.`;
  return `More than one message ${went} to ${counted(withSeveral, 'number')}.`;
}

/** The most fields that are named. */
const MAX_FIELDS = 3;

function emptyFieldsText(fields: Summary['emptyFields']): string {
  const sentences = [...fields]
    .sort(([, a], [, b]) => b - a)
    .slice(0, MAX_FIELDS)
    .map(([name, count]) => `${counted(count, 'message')} ${count === 1 ? 'has' : 'have'} nothing for '${name}'.`);
  const more = fields.size - sentences.length;
  return [
    ...sentences,
    ...(more > 0 ? [`${counted(more, 'other field')} ${more === 1 ? 'is' : 'are'} empty as well.`] : []),
  ].join(' ');
}

/** What running the step again would send a second time; empty if nothing. */
export function secondSendText({ sent, uncertain: all, uncertainDuplicates, isRemembered }: Summary): string {
  const uncertain = all.messages - uncertainDuplicates;
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
