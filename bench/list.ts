import type { ListTask } from './listWorker';
import type { Options, Row } from './measurements';
import { ask } from './processes';
import { withSandbox } from './sandbox';

const MANY = 200_000;
/** How long a run with this many messages may make other workflows of its n8n wait, in milliseconds. */
const LONGEST_BLOCK = 300;

/** The runs whose blocks are measured. */
const BLOCKING = [
  { contender: 'send', name: '' },
  { contender: 'evaluate', name: ', n8n evaluates each text' },
  { contender: 'reject', name: ', no number can be sent to' },
] as const;

/** Memory per item, and how long a run blocks the event loop. */
export async function list({ rounds, own, before, session }: Options): Promise<Row[]> {
  return await withSandbox({}, async ({ url }) => {
    const rows: Row[] = [];
    /** Measures each round in a process of its own, so that none affects the next. */
    const measure = async (row: Omit<Row, 'rounds'>, task: Omit<ListTask, 'url'>) => {
      session.say(row.what);
      const figures: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        session.signal.throwIfAborted();
        figures.push(await ask<number>('listWorker.ts', { ...task, url }));
      }
      rows.push({ ...row, rounds: figures });
    };
    const packages = [{ name: '', ...own }, ...(before ? [{ name: ', the package before', ...before }] : [])];
    for (const { name, folder } of packages) {
      const memory = { measure: 'memory', count: MANY, folder } as const;
      await measure({ what: `peak memory${name}`, unit: 'KB/item' }, { ...memory, contender: 'send' });
      await measure({ what: `of it, n8n's items${name}`, unit: 'KB/item' }, { ...memory, contender: 'hold' });
      for (const { contender, name: run } of BLOCKING) {
        const what = `longest block, ${MANY.toLocaleString('en')} items${run}${name}`;
        await measure(
          { what, unit: 'ms', atMost: LONGEST_BLOCK },
          { measure: 'block', contender, count: MANY, folder },
        );
      }
    }
    return rows;
  });
}
