import type { Delivered } from '../../delivery/deliver';
import type { DeliveryOptions } from '../../delivery/options';
import type { Failure } from '../../failures/failure';
import { countMessages, type Message, type Origin } from '../../messages/message';
import type { Outcome, Skipped, Unconfirmed } from '../../messages/outcome';
import { countryOf } from '../../phone/country';
import { personOf } from '../../phone/numbering';

/** Why messages were not sent, or may have been. Reasons differ by the values in their texts, such as a length. */
export interface Reason {
  readonly kind: Unconfirmed['kind'];
  readonly failure: Failure;
  /** Where the messages came from: at least one. */
  readonly origins: readonly Origin[];
}

export type SkipReason = Skipped['reason'] | 'duplicate';

/** The result of a run, counted once for hint, log, error and custom data. It contains no phone number or text. */
export interface Summary {
  readonly sent: number;
  /** How many of the sent messages an earlier attempt of the run had sent. */
  readonly resumed: number;
  readonly notSent: number;
  readonly uncertain: number;
  /** How many a Retry would send. */
  readonly left: number;
  /** Deliberately not sent: how many for which reason. */
  readonly skipped: ReadonlyMap<SkipReason, number>;
  /** In the order in which they first occur; messages that another one kept from being sent come last. */
  readonly reasons: readonly Reason[];
  readonly isInvalid: boolean;
  readonly heldUp: number;
  /** What a dry run would send, and in how many requests; null for a real run. */
  readonly planned: { readonly messages: number; readonly requests: number } | null;
  /** How many numbers get more than one message. */
  readonly numbersWithSeveral: number;
  /** The fields that are empty in texts, with the number of texts. */
  readonly emptyFields: ReadonlyMap<string, number>;
  /** Where a dry run's texts have placeholders that n8n does not fill in. */
  readonly placeholders: readonly Origin[];
  /** How many numbers 'Never Send To' has; null if it is not set. */
  readonly optOuts: number | null;
  /** How many numbers without + were read with which code; empty if all have the code of 'Default Country Code'. */
  readonly codes: ReadonlyMap<string, number>;
  readonly isTest: boolean;
  /** Whether a later execution would skip what this one has sent. */
  readonly isRemembered: boolean;
  /** By this attempt. */
  readonly creditsUsed: number;
  /** null if no answer in this attempt reported it. */
  readonly creditsLeft: number | null;
  readonly requests: number;
}

/** Other programs' placeholders: {name}, [[name]], <<name>>, *|NAME|*, %name%; no encoded characters of a link. */
const PLACEHOLDER =
  /(?<!\{)\{[\p{L}\d][\p{L}\w .-]*\}|\[\[[^[\]]+\]\]|<<[^<>]+>>|\*\|\w+\|\*|(?<!\w)%[a-z_]\w*%(?!\w)/iu;

/** @param accounts how many accounts the messages were sent from */
export function summarize(
  delivered: Delivered,
  requests: number,
  accounts: number,
  { dryRun, duplicateMessages, neverSendTo, testRun }: DeliveryOptions,
): Summary {
  const { unsendable, receipts, duplicates, planned, recalled, repeated, heldUp } = delivered;
  const count = { sent: 0, skipped: 0, not_sent: 0, uncertain: 0 };
  const skipped = new Map<SkipReason, number>();
  const reasons = new Map<string, Reason & { origins: Origin[] }>();
  const emptyFields = new Map<string, number>();
  const messagesTo = new Map<string, number>();
  const guessed = new Map<string, Message['readAs']>();
  let [resumed, creditsUsed] = [0, 0];
  let creditsLeft: number | null = null;

  const addFailed = ({ kind, failure }: Unconfirmed, origin: Origin) => {
    count[kind] += 1;
    const key = `${kind} ${failure.message}`;
    const reason = reasons.get(key);
    if (reason === undefined) reasons.set(key, { kind, failure, origins: [origin] });
    else reason.origins.push(origin);
  };
  const addContents = ({ phone, testFor, empty, readAs }: Message, arrives: boolean) => {
    if (readAs !== undefined) guessed.set(testFor ?? phone, readAs);
    if (arrives && repeated.size > 0 && testFor === undefined) increase(messagesTo, personOf(phone));
    for (const name of empty ?? []) increase(emptyFields, name);
  };

  for (const draft of unsendable) addFailed({ kind: draft.outcome, failure: draft.failure }, draft);
  for (const [index, { results, data }] of receipts.entries()) {
    const isNew = index >= recalled;
    for (const { message, outcome } of results) {
      if ('failure' in outcome) addFailed(outcome, message);
      else count[outcome.kind] += 1;
      if (outcome.kind === 'sent' && !isNew) resumed += 1;
      if (outcome.kind === 'skipped') increase(skipped, outcome.reason);
      if (outcome.kind === 'sent' || outcome.kind === 'uncertain') addContents(message, true);
      else if (outcome.kind === 'skipped' && outcome.reason !== 'sent_before') addContents(message, false);
    }
    const { credits_used: used, credits_remaining: left } = data ?? {};
    if (isNew && typeof used === 'number') creditsUsed += used;
    // Answers to requests that ran at the same time come in any order, and credits only go down, so the lowest is the
    // latest. Earlier attempts don't count: the account may have been topped up since.
    if (isNew && typeof left === 'number') creditsLeft = Math.min(left, creditsLeft ?? left);
  }
  const outcomes = outcomesOfOriginals(delivered);
  for (const { message, original } of duplicates) {
    const outcome = outcomes.get(original);
    if (outcome === undefined || !('failure' in outcome)) increase(skipped, 'duplicate');
    else addFailed(outcome, message);
  }
  for (const { messages } of planned) for (const message of messages) addContents(message, true);

  const codes = new Map<string, number>();
  for (const phone of guessed.keys()) increase(codes, countryOf(phone)?.code ?? '');
  const isExpected = codes.size < 2 && ![...guessed.values()].includes('abroad');
  const isCause = ({ failure }: Reason) => failure.code !== 'NOT_STARTED';
  return {
    sent: count.sent,
    resumed,
    notSent: count.not_sent,
    uncertain: count.uncertain,
    left: count.not_sent,
    skipped,
    reasons: [...reasons.values()].sort((a, b) => Number(isCause(b)) - Number(isCause(a))),
    isInvalid: unsendable.length > 0,
    heldUp,
    planned: dryRun ? { messages: countMessages(planned), requests: planned.length } : null,
    numbersWithSeveral: [...messagesTo.values()].filter((messages) => messages > 1).length,
    emptyFields,
    placeholders: planned.flatMap(({ messages }) => messages.filter(({ text }) => PLACEHOLDER.test(text))),
    optOuts: neverSendTo.numbers?.length ?? null,
    codes: isExpected ? new Map() : codes,
    isTest: testRun !== null,
    isRemembered: duplicateMessages === 'sendOnceEver' && testRun === null,
    creditsUsed,
    // Each account has its own credits.
    creditsLeft: accounts > 1 ? null : creditsLeft,
    requests,
  };
}

/** A duplicate shares the outcome of its original, unless the original was sent: then the duplicate is skipped. */
export function outcomesOfOriginals({ receipts, duplicates }: Delivered): ReadonlyMap<Message, Outcome> {
  const originals = new Set(duplicates.map(({ original }) => original));
  const outcomes = new Map<Message, Outcome>();
  if (originals.size === 0) return outcomes;
  for (const { results } of receipts) {
    for (const { message, outcome } of results) if (originals.has(message)) outcomes.set(message, outcome);
  }
  return outcomes;
}

function increase<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
