/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { parse } from 'flatted';
import { type IPairedItemData, type IRunExecutionData, type ITaskData } from 'n8n-workflow';
import { z } from 'zod/v4';

import { type JsonObject } from './workflow';

/** An execution as n8n stores it: its data in the form of the package "flatted", which keeps repeated objects once. */
export const EXECUTION = z.object({
  id: z.coerce.string(),
  status: z.string(),
  data: z.string(),
});

interface OutputItem {
  json: JsonObject;
  pairedItem: number | undefined;
}

/** One run of one node: its outputs in the order of its connectors. */
interface NodeRun {
  outputs: OutputItem[][];
  seconds: number;
  hints: string[];
}

export interface Execution {
  id: string;
  /** n8n's word for how it ended: `success`, `error`, `canceled`, `crashed`. */
  status: string;
  error: string;
  /** Its explanation, as the editor's error panel shows it; empty if there is none. */
  errorDescription: string;
  runsOf(nodeName: string): NodeRun[];
  outputOf(nodeName: string, output?: number): OutputItem[];
}

/** An execution as n8n's list shows it. */
export const LISTED = z
  .object({
    id: z.coerce.string(),
    /** n8n's word for its state: `new`, `running`, `waiting`, or how it ended. */
    status: z.string(),
    /** What started it: `manual`, `webhook`, `trigger`, `retry` and so on. */
    mode: z.string(),
    retrySuccessId: z.unknown(),
  })
  // As n8n's editor decides whether it offers Retry.
  .transform(({ retrySuccessId, ...listed }) => ({
    ...listed,
    canBeRetried: ['crashed', 'error'].includes(listed.status) && (retrySuccessId ?? null) === null,
  }));
export type ListedExecution = z.infer<typeof LISTED>;

export function readExecution({ id, status, data }: z.infer<typeof EXECUTION>): Execution {
  const { error, runData = {} } = (parse(data) as IRunExecutionData).resultData;
  const tasks: Partial<Record<string, ITaskData[]>> = runData;
  const runsOf = (nodeName: string) =>
    (tasks[nodeName] ?? []).map((task): NodeRun => ({
      outputs: outputsOf(task),
      seconds: task.executionTime / 1000,
      hints: (task.hints ?? []).map(({ message }) => message),
    }));
  return {
    id,
    status,
    error: error?.message ?? '',
    errorDescription: error?.description ?? '',
    runsOf,
    outputOf: (nodeName, output = 0) => runsOf(nodeName).flatMap(({ outputs }) => outputs[output] ?? []),
  };
}

/** A node that an agent calls has its output at another connector. */
function outputsOf({ data = {} }: ITaskData): OutputItem[][] {
  return (data.main ?? data.ai_tool ?? []).map((output) =>
    (output ?? []).map(({ json, pairedItem }) => ({ json, pairedItem: indexOf([pairedItem].flat()[0]) })),
  );
}

function indexOf(paired: IPairedItemData | number | undefined): number | undefined {
  return typeof paired === 'object' ? paired.item : paired;
}
