import type { IExecuteFunctions, IExecutePaginationFunctions } from 'n8n-workflow';

import { isRecord } from '../../api/records';
import { RECOVERED_SIGN } from '../assumptions';
import { isTool } from '../tool';
import { runDataOf, type RunsOfNode } from './runData';

/** Where a run is among those of the node in its execution. */
export interface Runs {
  /** n8n's number of it. */
  readonly index: number;
  /** Its number without the run that n8n may have entered itself. */
  readonly ordinal: number;
  /** Whether this is a Retry of an execution during which n8n was killed while, or after, the node ran. */
  readonly followsKill: boolean;
}

/**
 * After a kill n8n has stored nothing of what the node did; at its next start it enters from its event log that the node
 * ran: with an error, which a Retry removes again (an empty list of runs is left), or with an item of its own instead of
 * the output. A node of another type that failed under this name leaves an empty list, too, and n8n shows no difference:
 * then it counts as killed, which sends nothing twice.
 */
export function runsOf(context: IExecuteFunctions | IExecutePaginationFunctions): Runs {
  const { $, $runIndex } = runDataOf(context);
  const index = Number($runIndex);
  const node = context.getNode();
  // As a tool it has a run on n8n's list as soon as it is called.
  if (context.getMode() !== 'retry' || isTool(node)) return { index, ordinal: index, followsKill: false };
  const own = $(node.name, WHOLE_ITEMS);
  if (index === 0) return { index, ordinal: index, followsKill: own.isExecuted };
  // A later round of a loop, or the first one after a run that n8n has entered.
  const isEntered = isFirstEnteredByN8n(own);
  return { index, ordinal: isEntered ? index - 1 : index, followsKill: isEntered };
}

function isFirstEnteredByN8n(own: RunsOfNode): boolean {
  try {
    const first = own.first(0, 0)?.json;
    return isRecord(first) && first[RECOVERED_SIGN] === true;
  } catch {
    return true;
  }
}

/** Without it, n8n gives an item's fields instead of the item if the workflow has `binaryMode: combined`. */
const WHOLE_ITEMS = true;
