/** What n8n tells a node about its execution, and when the node lets others work. */
import {
  FORM_NODE_TYPE,
  getGlobalState,
  type IExecuteFunctions,
  type INode,
  SEND_AND_WAIT_OPERATION,
  sleep,
  WAIT_NODE_TYPE,
} from 'n8n-workflow';

import { isObject } from '../api/objects';
import { RECOVERED_SIGN, SIGNATURE } from './assumptions';

/** Whether a model calls the node, as the tool of an agent or an MCP server. */
export function isTool({ type }: INode): boolean {
  return type.endsWith('Tool');
}

/** Whether a person approves a tool's calls through the node. */
export function isHumanReview({ type }: INode): boolean {
  return type.endsWith('HitlTool');
}

/** The workflow's time zone; n8n's own if that isn't one: n8n stores any text, such as an imported workflow's `DEFAULT`. */
export function timeZoneOf(context: Pick<IExecuteFunctions, 'getTimezone'>): string {
  const timeZone = context.getTimezone();
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
  } catch {
    return getGlobalState().defaultTimezone;
  }
}

/** What expressions can see of an execution, by the same names. */
interface RunData {
  /** The number of the node's run, from 0. */
  readonly $runIndex: number;
  readonly $execution?: { readonly resumeUrl?: unknown };
  readonly $: (nodeName: string, wholeItems?: boolean) => RunsOfNode;
}

interface RunsOfNode {
  readonly isExecuted: boolean;
  /** @throws if the run has no output */
  readonly first: (branch: number, run: number) => { readonly json: unknown } | undefined;
}

/** n8n takes a tenth of a millisecond to make one, and several parts of a run need it. */
const runDataByContext = new WeakMap<object, RunData>();

type WithRunData = Pick<IExecuteFunctions, 'getWorkflowDataProxy'>;

/** Doesn't evaluate an expression, which takes some tenths of a millisecond. */
export function runDataOf(context: WithRunData): RunData {
  const runData = runDataByContext.get(context) ?? (context.getWorkflowDataProxy(0) as unknown as RunData);
  runDataByContext.set(context, runData);
  return runData;
}

/**
 * What an execution shares with its Retries, and with no other execution: the random token that n8n gives it.
 * @returns null if n8n gives none, or something that may not be one, such as a signature that changes with each Retry
 */
export function lineageOf(context: WithRunData): string | null {
  const [, token = null] = SIGNATURE.exec(String(runDataOf(context).$execution?.resumeUrl)) ?? [];
  return token;
}

/**
 * After a kill, n8n has stored nothing of the node's run. At its next start, it enters the run from its event log: with
 * an error, which a Retry removes again (an empty list of runs is left), or with an item of its own instead of the
 * output. If a node of another type failed under this name, it leaves an empty list as well. n8n shows no difference,
 * so that counts as a kill, which sends nothing twice.
 * @returns n8n's number of the run, its number without the run that n8n itself may have entered, and whether this is a
 * Retry of an execution in which n8n was killed while, or after, the node ran
 */
export function positionOf(context: IExecuteFunctions) {
  const runData = runDataOf(context);
  const { $runIndex: index } = runData;
  const node = context.getNode();
  // As a tool, it has a run on n8n's list as soon as it is called.
  if (context.getMode() !== 'retry' || isTool(node)) return { index, ordinal: index, followsKill: false };
  // Its whole items: with `binaryMode: combined`, n8n would give their fields alone.
  const own = runData.$(node.name, true);
  // A later run: a round of a loop, or the first round after a run that n8n entered.
  const followsKill = index === 0 ? own.isExecuted : isFirstEnteredByN8n(own);
  return { index, ordinal: followsKill && index > 0 ? index - 1 : index, followsKill };
}

function isFirstEnteredByN8n(own: RunsOfNode): boolean {
  try {
    const first = own.first(0, 0)?.json;
    return isObject(first) && first[RECOVERED_SIGN] === true;
  } catch {
    return true;
  }
}

/** n8n's nodes that wait, besides those that wait for a response. */
const WAITING = new Set([FORM_NODE_TYPE, WAIT_NODE_TYPE]);

/**
 * Whether n8n may run the node again for the same execution after it has lost what this run did, so that the run needs a
 * crash ledger. n8n starts anew with each tool call. It continues a waiting execution twice if two answers arrive at the
 * same moment; otherwise, it never retries a manual execution that was killed. A single message isn't noted: the note
 * takes as long as all else that n8n does for it, and a kill would nearly always come while its request is in flight. But
 * a loop may send any number of them. If an execution's first run is noted, all are: `CrashLedger` relies on that.
 * @param isList whether the run sends a list, and not a single message
 */
export function mayRunAgain(context: IExecuteFunctions, isList: boolean, ordinal: number): boolean {
  const mode = context.getMode();
  const node = context.getNode();
  if (isTool(node) || mode === 'evaluation') return false;
  const before = context.getParentNodes(node.name, { includeNodeParameters: true });
  if (before.some(({ type, parameters }) => WAITING.has(type) || parameters?.operation === SEND_AND_WAIT_OPERATION))
    return true;
  if (mode === 'manual') return false;
  if (mode === 'retry' || ordinal > 0) return true;
  return isList || context.getChildNodes(node.name).some(({ name }) => before.some((own) => own.name === name));
}

/** The executions (with their Retries) that nodes of this process are sending for. */
const running = new Set<string>();

/**
 * Begins an attempt at a run. While one Retry of an execution is running, n8n still offers another.
 * @returns a function that ends the attempt; null if another attempt is running
 */
export function beginAttempt(context: IExecuteFunctions): (() => void) | null {
  const lineage = lineageOf(context);
  // A model may call a tool several times at once, and n8n retries none of the calls.
  if (lineage === null || isTool(context.getNode())) return () => undefined;
  const name = JSON.stringify([context.getWorkflow().id, context.getNode().id, lineage]);
  if (running.has(name)) return null;
  running.add(name);
  return () => void running.delete(name);
}

/** After how many messages a loop pauses. */
export const YIELD_EVERY = 256;

/** How long this node may work in one turn of n8n's event loop, in milliseconds. */
const MAX_WORK = 15;

/** The turn in which any run of the node last worked; null before its first work in a turn. */
let turn: { readonly began: number; readonly over: Promise<void> } | null = null;

/** Call between the steps of long work: once this turn of the event loop is used up, other work runs first. */
export async function pause(): Promise<void> {
  for (;;) {
    turn ??= { began: performance.now(), over: sleep(0).then(() => void (turn = null)) };
    if (performance.now() <= turn.began + MAX_WORK) return;
    // Other runs that waited may use up the next turn, too.
    await turn.over;
  }
}
