/** What differs where a model calls the node, as the tool of an agent or an MCP server. */
import type { INode } from 'n8n-workflow';

import type { Delivered } from '../delivery/deliver';
import type { Origin, Unsendable } from '../messages/message';
import { addTo } from '../messages/order';
import type { Outcome, Result } from '../messages/outcome';
import { descriptionOf, type ErrorText, messageOf } from './output/failureText';
import { rangesText } from './output/places';

/** The most messages whose own failure a model is given. */
const MAX_NAMED = 10;

const COUNTED_FROM_0 = 'Entries are counted from 0.';

/** Whether a model calls the node: n8n adds this ending to its type. */
export function isTool({ type }: INode): boolean {
  return type.endsWith('Tool');
}

/** Whether a person approves the calls of a tool through the node: n8n has a separate type for it. */
export function isHumanReview({ type }: INode): boolean {
  return type.endsWith('HitlTool');
}

/** An AI Agent passes only an error's message to its model, so the message must contain the description. */
export function forCaller(node: INode, text: ErrorText): { message: string; description?: string } {
  return isTool(node) ? { message: `${text.message}. ${text.description}` } : text;
}

/**
 * What a model needs to know about drafts that can't be sent. It can correct its arguments and call again, but has no list
 * of executions, so it is given what is wrong with each message.
 */
export function unsendableForModel({ unsendable, receipts }: Delivered): ErrorText {
  const named = unsendable.slice(0, MAX_NAMED);
  const more = unsendable.length > MAX_NAMED ? [`${unsendable.length - MAX_NAMED} more entries can't be sent`] : [];
  const advice = [...new Set(named.map(({ failure }) => descriptionOf(failure)))];
  const mayBeSent = receipts.length > 0 || unsendable.some(({ outcome }) => outcome === 'uncertain');
  const nothing = mayBeSent ? 'Nothing more was sent.' : 'Nothing was sent.';
  return {
    message: [...named.map(messageOf), ...more].join('; '),
    description: [...advice, nothing, ...(hasEntries(unsendable) ? [COUNTED_FROM_0] : [])].join(' '),
  };
}

/** Tells a model which messages of its call were sent, so that it calls again with only the rest. */
export function progressForModel(results: readonly Result[]): string {
  const progress = new Map<Progress, number[]>();
  const kindsOf = new Map<number, Array<Outcome['kind']>>();
  for (const { message, outcome } of results) addTo(kindsOf, message.entry ?? 0, outcome.kind);
  for (const [entry, kinds] of kindsOf) addTo(progress, progressOf(kinds), entry);
  if (!hasEntries(results.map(({ message }) => message))) {
    if (progress.has('may have been sent'))
      return 'Do not call this tool again until it is clear whether the message was sent.';
    return progress.has('were sent in part')
      ? 'The message was sent in part. Do not call this tool again with the whole text.'
      : 'Nothing was sent.';
  }
  const lists = PROGRESS.flatMap((done) => {
    const entries = progress.get(done);
    return entries === undefined ? [] : [`Entries that ${done}: ${rangesText(entries)}.`];
  });
  return [...lists, COUNTED_FROM_0, 'Call this tool again with only the entries that were not sent.'].join(' ');
}

/** The outcomes of list entries, in the order that a model sees them; a text may be sent in several parts. */
const PROGRESS = ['were sent', 'were sent in part', 'may have been sent', 'were skipped', 'were not sent'] as const;
type Progress = (typeof PROGRESS)[number];

function progressOf(kinds: ReadonlyArray<Outcome['kind']>): Progress {
  if (kinds.includes('uncertain')) return 'may have been sent';
  if (kinds.includes('skipped')) return 'were skipped';
  const unsent = kinds.filter((kind) => kind === 'not_sent').length;
  return unsent === 0 ? 'were sent' : unsent === kinds.length ? 'were not sent' : 'were sent in part';
}

function hasEntries(origins: ReadonlyArray<Origin | Unsendable>): boolean {
  return origins.some(({ entry }) => entry !== null);
}
