/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { join } from 'node:path';

import { execaNode } from 'execa';

import type { Task } from './listRun';
import { type Options, type Row, withSandbox } from './measurements';

const MANY = 200_000;
/** How long a run with this many messages may make other workflows of its n8n wait, in milliseconds. */
const LONGEST_BLOCK = 100;

/** The runs whose blocks are measured. */
const BLOCKING = [
  { name: '' },
  { name: ', n8n evaluates each text', changed: { message: '=Hello {{ $json.name }}' } },
  { name: ', no number can be sent to', changed: { phone: '={{ $json.name }}' }, arriving: 0 },
];

/** Memory per item, and how long a run blocks the event loop. */
export async function list({ rounds, own: { folder }, session }: Options): Promise<Row[]> {
  return await withSandbox(async ({ url }) => {
    const rows: Row[] = [];
    const measure = async (
      row: Omit<Row, 'rounds'>,
      task: Pick<Task, 'measures' | 'changed' | 'arriving'>,
      per = 1,
    ) => {
      session.say(row.what);
      const figures: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        session.signal.throwIfAborted();
        const ipcInput = { ...task, url, folder, count: MANY };
        const run = execaNode(join(import.meta.dirname, 'listRun.ts'), { ipcInput, cancelSignal: session.signal });
        figures.push(((await run.getOneMessage()) as number) / per);
        await run;
      }
      rows.push({ ...row, rounds: figures });
    };
    await measure({ what: 'peak memory', unit: 'KB/item' }, { measures: 'memory' }, 1024 * MANY);
    for (const { name, ...task } of BLOCKING) {
      const what = `longest block, ${MANY.toLocaleString('en')} items${name}`;
      await measure({ what, unit: 'ms', atMost: LONGEST_BLOCK }, { measures: 'block', ...task });
    }
    return rows;
  });
}
