/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
/** The processes of a benchmark, so that work in one doesn't slow down another. */
import { join } from 'node:path';

import { execaNode, getOneMessage, sendMessage } from 'execa';

import type { JsonObject } from '../tools/json';
import type { Task } from './worker';

/** Starts a file of this folder that {@link answer}s the task. */
export function startProcess(file: string, task: JsonObject) {
  return execaNode(join(import.meta.dirname, file), { ipcInput: task, stdout: 'inherit', stderr: 'inherit' });
}

/** Measures one run in a process of its own. */
export async function ask(task: Task): Promise<number> {
  const { ipcOutput } = await startProcess('worker.ts', { ...task });
  return ipcOutput[0] as number;
}

/** Runs in such a process. */
export async function answer(work: (task: never) => Promise<string | number>): Promise<void> {
  await sendMessage(await work((await getOneMessage()) as never));
}
