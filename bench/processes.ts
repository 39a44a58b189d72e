/** The processes of a benchmark, so that work in one doesn't slow down another. */
import { join } from 'node:path';

import { execaNode, getOneMessage, sendMessage } from 'execa';

import type { JsonObject } from '../tools/json';

/** Starts a file of this folder that {@link answer}s the task. */
export function startProcess(file: string, task: JsonObject) {
  return execaNode(join(import.meta.dirname, file), { ipcInput: task, stdout: 'inherit', stderr: 'inherit' });
}

/** Does one task in a process of its own. */
export async function ask<Answer>(file: string, task: JsonObject): Promise<Answer> {
  const { ipcOutput } = await startProcess(file, task);
  return ipcOutput[0] as Answer;
}

/** Runs in such a process. */
export async function answer(work: (task: never) => Promise<string | number>): Promise<void> {
  await sendMessage(await work((await getOneMessage()) as never));
}
