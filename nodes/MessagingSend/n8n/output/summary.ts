import type { Delivered } from '../../delivery/deliver';
import type { DeliveryOptions } from '../../delivery/options';
import { type Interruptible, withEach } from '../../messages/interruptible';
import { countMessages, type Message, personOf } from '../../messages/message';
import type { Skipped } from '../../messages/outcome';
import type { Tally } from '../../requests/tally';
import { type Reason, reasonsOf } from './reasons';

/** How many messages were not sent, or are uncertain, and the reason that most of them have. */
export interface Cause {
  readonly messages: number;
  readonly mainReason: string;
  readonly withMainReason: number;
}

export type SkipReason = Skipped['reason'] | 'duplicate';

/** The result of a run in numbers; no phone number and no text is among them. */
export interface Summary {
  readonly sent: number;
  /** How many of the sent messages an earlier attempt of the run had sent. */
  readonly resumed: number;
  readonly notSent: Cause;
  readonly uncertain: Cause;
  /** How many of the uncertain messages are duplicates of an uncertain message. */
  readonly uncertainDuplicates: number;
  /** Not sent, on purpose: how many for which reason. */
  readonly skipped: ReadonlyMap<SkipReason, number>;
  /** What a dry run would send, and in how many requests; null for a real run. */
  readonly planned: { readonly messages: number; readonly requests: number } | null;
  /** How many numbers the messages go to, and how many of these get more than one; null if none does. */
  readonly numbers: { readonly all: number; readonly withSeveral: number } | null;
  /** The fields that are empty in texts, with the number of texts. */
  readonly emptyFields: ReadonlyMap<string, number>;
  /** Whether what was sent went to a tester. */
  readonly isTest: boolean;
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
  { dryRun, duplicateMessages, testRun }: Pick<DeliveryOptions, 'dryRun' | 'duplicateMessages' | 'testRun'>,
): Interruptible<Summary> {
  const { unsendable, receipts, duplicates, planned, recalled } = delivered;
  const count = { sent: 0, skipped: 0, not_sent: 0, uncertain: 0 };
  const skipped = new Map<SkipReason, number>();
  let resumed = 0;
  let creditsUsed = 0;
  let creditsLeft: number | null = null;
  for (const [index, { results, data }] of receipts.entries()) {
    const isNew = index >= recalled;
    for (const { outcome } of results) {
      count[outcome.kind] += 1;
      if (!isNew && outcome.kind === 'sent') resumed += 1;
      if (outcome.kind === 'skipped') increase(skipped, outcome.reason);
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
  const skippedDuplicates = duplicates.length - failedDuplicates - uncertainDuplicates;
  if (skippedDuplicates > 0) skipped.set('duplicate', skippedDuplicates);
  return {
    sent: count.sent,
    resumed,
    notSent,
    uncertain,
    uncertainDuplicates,
    skipped,
    planned: dryRun ? { messages: countMessages(planned), requests: planned.length } : null,
    ...(yield* countContents(delivered)),
    isTest: testRun !== null,
    isRemembered: duplicateMessages === 'sendOnceEver' && testRun === null,
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

/** Counts the numbers that messages were sent to, or would be, and the fields that are empty in texts. */
function* countContents({
  receipts,
  planned,
  repeated,
}: Delivered): Interruptible<Pick<Summary, 'numbers' | 'emptyFields'>> {
  const messagesTo = new Map<string, number>();
  const emptyFields = new Map<string, number>();
  const countFields = ({ empty }: Message) => empty?.forEach((name) => increase(emptyFields, name));
  const count = (message: Message) => {
    const { phone, part, testFor } = message;
    if (part !== null && part > 0) return;
    if (repeated.size > 0 && testFor === undefined) increase(messagesTo, personOf(phone));
    countFields(message);
  };
  for (const { results } of receipts) {
    for (const { message, outcome } of results) {
      if (outcome.kind === 'sent' || outcome.kind === 'uncertain') count(message);
      else if (outcome.kind === 'skipped' && outcome.reason !== 'sent_before') countFields(message);
    }
    yield;
  }
  for (const { messages } of planned) {
    messages.forEach(count);
    yield;
  }
  const withSeveral = [...messagesTo.values()].filter((messages) => messages > 1).length;
  return { numbers: withSeveral === 0 ? null : { all: messagesTo.size, withSeveral }, emptyFields };
}

function increase<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

export function countAll({ sent, notSent, uncertain, skipped, planned }: Summary): number {
  const onPurpose = [...skipped.values()].reduce((sum, count) => sum + count, 0);
  return sent + notSent.messages + uncertain.messages + onPurpose + (planned?.messages ?? 0);
}
