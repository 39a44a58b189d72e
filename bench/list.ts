/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { join } from 'node:path';

import { execaNode } from 'execa';

import type { Task } from './listRun';
import type { Options, Row } from './measurements';

/** How long a run with this many messages may make other workflows of its n8n wait, in milliseconds. */
const BLOCK = { unit: 'ms', atMost: 100 };

const RUNS: ReadonlyArray<Omit<Row, 'rounds'> & { task: Task }> = [
  { what: 'peak memory', unit: 'KB/item', task: { measures: 'memory' } },
  { what: 'longest block, 200,000 items', ...BLOCK, task: {} },
  {
    what: 'longest block, 200,000 items, n8n evaluates each text',
    ...BLOCK,
    task: { changed: { message: '=Hello {{ $json.name }}' } },
  },
  {
    what: 'longest block, 200,000 items, no number can be sent to',
    ...BLOCK,
    task: { changed: { phone: '={{ $json.name }}' }, arriving: 0 },
  },
];

/** Memory per item, and how long a run blocks the event loop. */
export async function list({ rounds, session: { say, signal } }: Options): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { task, ...row } of RUNS) {
    say(row.what);
    const figures: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const run = execaNode(join(import.meta.dirname, 'listRun.ts'), { ipcInput: { ...task }, cancelSignal: signal });
      figures.push((await run.getOneMessage()) as number);
      await run;
    }
    rows.push({ ...row, rounds: figures });
  }
  return rows;
}
