/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { parse } from 'flatted';

import { asArray, asObject, asObjects, asString, isObject, type JsonObject } from '../json';

export interface OutputItem {
  json: JsonObject;
  pairedItem: number | undefined;
}

/** One run of one node: its outputs in the order of its connectors. */
export interface NodeRun {
  outputs: OutputItem[][];
  seconds: number;
  hints: string[];
  /** The items that it got through its first input; empty if n8n has none of them. */
  inputs: OutputItem[];
}

export interface Execution {
  id: string;
  /** n8n's word for how it ended: `success`, `error`, `canceled`, `crashed`. */
  status: string;
  error: string;
  /** Its explanation, as the editor's error panel shows it; empty if there is none. */
  errorDescription: string;
  seconds: number;
  /** Values by which n8n's list of executions can be filtered. */
  customData: JsonObject;
  runsOf(nodeName: string): NodeRun[];
  outputOf(nodeName: string, output?: number): OutputItem[];
}

/** An execution as the list of executions shows it. */
export interface ListedExecution {
  id: string;
  /** n8n's word for its state: `new`, `running`, `waiting`, or how it ended. */
  status: string;
  /** What started it: `manual`, `webhook`, `trigger`, `retry` and so on. */
  mode: string;
  /** Whether n8n's list offers Retry for it. */
  canBeRetried: boolean;
}

export function readExecution(record: JsonObject): Execution {
  // n8n stores run data in the form of the package "flatted", which keeps repeated objects once.
  const data = asObject(parse(asString(record.data, 'execution.data')), 'execution.data');
  const result = asObject(data.resultData, 'resultData');
  const runData = asObject(result.runData ?? {}, 'runData');
  const outputsOf = (nodeName: string) => asObjects(runData[nodeName] ?? [], nodeName).map(readOutputs);
  const runsOf = (nodeName: string) =>
    asObjects(runData[nodeName] ?? [], nodeName).map((run) => readNodeRun(run, outputsOf));
  return {
    id: String(record.id),
    status: asString(record.status, 'execution.status'),
    error: textOf(result.error, 'message'),
    errorDescription: textOf(result.error, 'description'),
    seconds: (Date.parse(String(record.stoppedAt)) - Date.parse(String(record.startedAt))) / 1000,
    customData: asObject(record.customData, 'execution.customData'),
    runsOf,
    outputOf: (nodeName, output = 0) => runsOf(nodeName).flatMap(({ outputs }) => outputs[output] ?? []),
  };
}

function textOf(value: unknown, field: string): string {
  const text = isObject(value) ? value[field] : undefined;
  return typeof text === 'string' ? text : '';
}

function readNodeRun(run: JsonObject, outputsOf: (nodeName: string) => OutputItem[][][]): NodeRun {
  const source: unknown = asArray(run.source ?? [], 'source')[0];
  const { previousNode = '', previousNodeRun = 0, previousNodeOutput = 0 } = isObject(source) ? source : {};
  return {
    outputs: readOutputs(run),
    seconds: Number(run.executionTime) / 1000,
    hints: asArray(run.hints ?? [], 'hints').map((hint) => textOf(hint, 'message')),
    inputs: outputsOf(String(previousNode))[Number(previousNodeRun)]?.[Number(previousNodeOutput)] ?? [],
  };
}

/** A node that an agent calls has its output at another connector. */
function readOutputs(run: JsonObject): OutputItem[][] {
  const { main, ai_tool: tool }: JsonObject = isObject(run.data) ? run.data : {};
  return asArray(main ?? tool ?? [], 'the outputs').map((output) => asObjects(output ?? [], 'output').map(readItem));
}

function readItem(item: JsonObject): OutputItem {
  const paired: unknown = Array.isArray(item.pairedItem) ? item.pairedItem[0] : item.pairedItem;
  const index = isObject(paired) ? paired.item : paired;
  return { json: asObject(item.json, 'item.json'), pairedItem: typeof index === 'number' ? index : undefined };
}

export function readListed(value: unknown): ListedExecution {
  const line = asObject(value, 'a listed execution');
  const status = asString(line.status, 'status');
  return {
    id: String(line.id),
    status,
    mode: asString(line.mode, 'mode'),
    // As n8n's editor decides it.
    canBeRetried: ['crashed', 'error'].includes(status) && (line.retrySuccessId ?? null) === null,
  };
}
