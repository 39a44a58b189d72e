import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { TOKEN } from '../assumptions';

/** What n8n lets expressions see of an execution, by the same names. */
export interface RunData {
  /** The number of the node's run, from 0. */
  readonly $runIndex?: number;
  readonly $execution?: { readonly resumeUrl?: unknown };
  readonly $: (nodeName: string, wholeItems?: boolean) => RunsOfNode;
}

/** The runs of a node in the execution. */
export interface RunsOfNode {
  readonly isExecuted: boolean;
  /** The output of the latest run. */
  readonly all: () => INodeExecutionData[];
  /** @throws if the run has no output */
  readonly first: (branch: number, run: number) => { readonly json: unknown } | undefined;
}

/** n8n takes a tenth of a millisecond to make one, which several parts of a run need. */
const madeFor = new WeakMap<object, RunData>();

/** Without the evaluation of an expression, which takes some tenths of a millisecond. */
export function runDataOf(context: Pick<IExecuteFunctions, 'getWorkflowDataProxy'>): RunData {
  const runData = madeFor.get(context) ?? (context.getWorkflowDataProxy(0) as RunData);
  madeFor.set(context, runData);
  return runData;
}

/**
 * What an execution has in common with its Retries, and with no other: the random token that n8n gives it.
 * @returns null where n8n gives none, or what may be none: a signature that changes with each Retry
 */
export function lineageOf(context: Pick<IExecuteFunctions, 'getWorkflowDataProxy'>): string | null {
  const resumeUrl = runDataOf(context).$execution?.resumeUrl;
  if (typeof resumeUrl !== 'string' || !URL.canParse(resumeUrl)) return null;
  const token = new URL(resumeUrl).searchParams.get('signature') ?? '';
  return TOKEN.test(token) ? token : null;
}
