import type { INode, NodeApiError, NodeOperationError } from 'n8n-workflow';

import type { Delivered } from '../delivery/deliver';
import type { Failure } from '../failures/failure';
import type { Origin, Unsendable } from '../messages/message';
import type { Outcome } from '../messages/outcome';
import { nodeApiError, nodeOperationError } from './nodeErrors';

/** The most messages whose own problem is told. */
const MOST_TOLD = 10;

/**
 * The error that ends the call of a model, or null if all was sent. A model can correct its arguments and call again,
 * but knows of no executions, so it is told what is wrong with each message, and which entries of its list went out.
 */
export function toolStopError(
  node: INode,
  { unsendable, receipts }: Delivered,
): NodeApiError | NodeOperationError | null {
  const [wrong] = unsendable;
  if (wrong !== undefined) {
    const nothing = receipts.length > 0 ? 'Nothing more was sent.' : 'Nothing was sent.';
    return nodeOperationError(node, { ...wrong.failure, ...problemsOf(unsendable, nothing) }, wrong.item);
  }
  const results = receipts.flatMap((receipt) => receipt.results);
  const first = results.map(({ outcome }) => outcome).find((outcome) => outcome.kind !== 'sent');
  if (first === undefined) return null;
  const { failure } = first;
  const description =
    `${failure.description} ${whatWentOut(results.map(({ message, outcome }) => ({ ...message, outcome })))}`.trim();
  return nodeApiError(node, { ...failure, description }, 0);
}

function problemsOf(unsendable: readonly Unsendable[], nothing: string): Pick<Failure, 'message' | 'description'> {
  const told = unsendable.slice(0, MOST_TOLD).map(({ failure }) => failure);
  const more = unsendable.length > MOST_TOLD ? [`${unsendable.length - MOST_TOLD} more entries can't be sent`] : [];
  const remedies = [...new Set(told.map(({ description }) => description))];
  return {
    message: [...told.map(({ message }) => message), ...more].join('; '),
    description: [...remedies, nothing, ...(hasEntries(unsendable) ? [FROM_ZERO] : [])].join(' '),
  };
}

const FROM_ZERO = 'Entries are counted from 0.';

function whatWentOut(results: ReadonlyArray<Origin & { outcome: Outcome }>): string {
  const entriesThat = (kind: Outcome['kind']) =>
    results.filter(({ outcome }) => outcome.kind === kind).map(({ entry }) => entry ?? 0);
  const uncertain = entriesThat('uncertain');
  if (!hasEntries(results))
    return uncertain.length > 0 ? 'Do not call this again before that is clear.' : 'Nothing was sent.';
  const parts = [
    ['Entries that were sent:', entriesThat('sent')],
    ['Entries that may have been sent:', uncertain],
    ['Entries that were not sent:', entriesThat('not_sent')],
  ] as const;
  const told = parts.flatMap(([label, entries]) => (entries.length > 0 ? [`${label} ${ranges(entries)}.`] : []));
  return [...told, FROM_ZERO, 'Call this again with nothing but entries that were not sent.'].join(' ');
}

function hasEntries(origins: readonly Origin[]): boolean {
  return origins.some(({ entry }) => entry !== null);
}

/** `0, 2-99`: batches are long, and what failed in them are often neighbours. */
function ranges(numbers: readonly number[]): string {
  const found: Array<{ first: number; last: number }> = [];
  for (const number of [...new Set(numbers)].sort((a, b) => a - b)) {
    const range = found.at(-1);
    if (range !== undefined && number === range.last + 1) range.last = number;
    else found.push({ first: number, last: number });
  }
  return found.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`)).join(', ');
}
