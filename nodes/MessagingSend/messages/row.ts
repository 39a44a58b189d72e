/** One record for each message, from its draft to its outcome. */
import { hash } from 'node:crypto';

import { asText, type JsonObject, type JsonScalar } from '../api/objects';
import type { Failure } from '../failures/failure';

/** Where a message came from, so that its outcome reaches the right item. */
export interface Origin {
  readonly item: number;
  /** Index in the item's list of messages; null when the item is the message. */
  readonly entry: number | null;
}

/** What the user gave for one message, before it is checked. */
export interface Draft extends Origin {
  readonly phone: unknown;
  readonly message: unknown;
  /** The country code for a number that has none; null if such a number is an error. */
  readonly countryCode: string | null;
  /** The 'Message Key', which stands for the text; null if the text stands for itself. */
  readonly key: string | null;
  /** An address that is added after the text, on its own line. */
  readonly link?: string;
  /** Fields whose values belong in the text, and that are empty for this item. */
  readonly empty?: readonly string[];
  /** Why a part of it can't be read, such as an expression that fails. */
  readonly failure?: Failure;
}

/** The drafts of a run, read item by item so that they are never all in memory. */
export interface Drafts {
  readonly items: number;
  readonly of: (item: number) => Draft | readonly Draft[];
}

/** A message. All its fields are always there, in this order, so that V8 handles all rows of a run alike. */
export interface Row extends Origin {
  /** What the user gave for the phone number. */
  readonly phoneGiven: unknown;
  /**
   * 7 to 15 digits with the country code, without + or leading 0 (API 4.2); empty if the number can't be read. In a
   * test run, the tester's.
   */
  phone: string;
  /** The phone number in its usual spelling; empty if it can't be read. In a test run, the tester's. */
  person: string;
  /** Which country a number without + or 00 was read in; null if it has one of them. */
  readonly readAs: 'home' | 'abroad' | null;
  /** The user's whole text in NFC, even if only a part of it is sent. */
  readonly text: string;
  /** Sent in place of the text: its beginning, or its parts in order. */
  readonly parts: readonly string[] | null;
  /** The 'Message Key', which stands for the text; null if the text stands for itself. */
  readonly key: string | null;
  /** Fields whose values belong in the text, and that are empty. */
  readonly empty: readonly string[];
  /** Why it can't be sent as it was given; null if it can. */
  readonly defect: Failure | null;
  /** In a test run, the number that the message is meant for. */
  testFor: string | null;
  /** Whether its person gets several messages in this run. */
  isOneOfSeveral: boolean;
  /** How many messages before it in this run are the same, if its person gets several. */
  repetition: number;
  /** The message that is sent in its place, because both are the same. */
  duplicateOf: Row | null;
  /** The number of its page in the journal, from 0; -1 if it is on none. */
  page: number;
  /** The number of its request, counted from 1; null if there is none, or none is known. */
  batch: number | null;
  /** The `data` of the answer to its request (API 2.2, 2.3): one object for all rows of a request. */
  data: JsonObject | null;
  /** Whether its request left in this attempt and had no answer that tells the result. */
  isUnanswered: boolean;
  /** Whether its outcome is that of an earlier attempt. */
  isRecalled: boolean;
  /** Set by {@link settle}, once. */
  outcome: Outcome | null;
}

/** The rows of one request: 1 to 100 texts, all with the same number. */
export type Batch = readonly Row[];

/** How a message ended. */
export type Outcome =
  | Sent
  | Failed
  | Skipped
  /** Only in a dry run: it would be sent. */
  | { readonly kind: 'planned' };

export interface Sent {
  readonly kind: 'sent';
  readonly messageId: JsonScalar;
  readonly status: JsonScalar;
}

/** The message was not sent, or nobody knows whether it was. */
export interface Failed {
  /** `not_sent`: sending it again is safe. `uncertain`: it may have been sent, so sending it again may send it twice. */
  readonly kind: 'not_sent' | 'uncertain';
  readonly failure: Failure;
}

/** The user doesn't want it sent, or not again. */
export type Skipped =
  | { readonly kind: 'skipped'; readonly reason: Exclude<SkipReason, 'outside_window'> }
  /** `sendAt`: when the window opens next, in milliseconds since 1970. */
  | { readonly kind: 'skipped'; readonly reason: 'outside_window'; readonly sendAt: number };

export type SkipReason =
  'duplicate' | 'sent_before' | 'may_have_been_sent' | 'empty_field' | 'opted_out' | 'outside_window' | 'test_run';

/** @throws if the message already has an outcome */
export function settle(row: Row, outcome: Outcome): void {
  if (row.outcome !== null) throw new Error(`A message was settled twice: ${row.outcome.kind}, then ${outcome.kind}`);
  row.outcome = outcome;
}

/** The outcome of a message that did not leave, for this reason. */
export function failed(why: Failure): Failed {
  return { kind: why.outcome, failure: why };
}

/** Whether the message may still be sent: it has no outcome, and shares none. */
export function isOpen({ outcome, duplicateOf }: Row): boolean {
  return outcome === null && duplicateOf === null;
}

/** Whether the message must not be sent again. */
export function mayHaveBeenSent(outcome: Outcome | null): outcome is Sent | (Failed & { readonly kind: 'uncertain' }) {
  return outcome?.kind === 'sent' || outcome?.kind === 'uncertain';
}

/** Skipped for one of these, a message may still be sent by a later attempt. */
const KEPT_BACK: ReadonlySet<SkipReason> = new Set(['opted_out', 'empty_field', 'outside_window']);

/** Whether the user doesn't want the message sent now. */
export function isKeptBack({ outcome, duplicateOf }: Row): boolean {
  return duplicateOf !== null || (outcome?.kind === 'skipped' && KEPT_BACK.has(outcome.reason));
}

/**
 * What makes two messages the same: one person and one content, which is the 'Message Key' or, without one, the text
 * without space at its ends. Everything that compares messages compares this.
 */
export function identityOf({ person, key, text }: Row): string {
  return key === null ? `${person} text ${text.trim()}` : `${person} key ${key}`;
}

/**
 * By which attempts at a run recognize a message, whatever its place: its person; or, if the person gets several in the
 * run, what is sent to the person, and for which time. One that can't be composed has the name of nothing that was sent.
 */
export function nameOf(row: Row): string {
  const { defect, person, phoneGiven, isOneOfSeveral, repetition } = row;
  if (defect !== null) return `? ${person} ${asText(phoneGiven)}`;
  return isOneOfSeveral ? `${sameAs(row)} ${repetition}` : person;
}

/** One with a gap may be kept back where the same one without is sent, so they are never taken for each other. */
function sameAs(row: Row): string {
  return row.empty.length > 0 ? `${identityOf(row)} with a gap` : identityOf(row);
}

/** With 72 bits, two messages don't share a digest by chance. @param length in characters of 6 bits */
export function digestOf(text: string, length = 12): string {
  return hash('sha256', text, 'base64').slice(0, length);
}

/** How many texts are sent for a message. Nearly all messages have one. */
export function textCount({ parts }: Row): number {
  return parts?.length ?? 1;
}

/** Marks the messages whose person gets several. */
export function markSeveral(rows: readonly Row[]): void {
  const firsts = new Map<string, Row>();
  for (const row of rows) {
    if (row.defect !== null) continue;
    const first = firsts.get(row.person);
    if (first === undefined) firsts.set(row.person, row);
    else first.isOneOfSeveral = row.isOneOfSeveral = true;
  }
  const counts = new Map<string, number>();
  for (const row of rows) {
    if (!row.isOneOfSeveral) continue;
    const same = sameAs(row);
    row.repetition = counts.get(same) ?? 0;
    counts.set(same, row.repetition + 1);
  }
}
