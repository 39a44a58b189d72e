import type { Options, Row } from './measurements';
import { ask } from './processes';
import { withSandbox } from './sandbox';
import type { Task } from './worker';

const MANY = 200_000;
/** How long a run with this many messages may make other workflows of its n8n wait, in milliseconds. */
const LONGEST_BLOCK = 100;

/** The runs whose blocks are measured. */
const BLOCKING = [
  { name: '' },
  { name: ', n8n evaluates each text', changed: { message: '=Hello {{ $json.name }}' } },
  { name: ', no number can be sent to', changed: { phone: '={{ $json.name }}' }, isRejected: true },
];

/** Memory per item, and how long a run blocks the event loop. */
export async function list({ rounds, own, before, session }: Options): Promise<Row[]> {
  return await withSandbox({}, async ({ url }) => {
    const rows: Row[] = [];
    /** Measures each round in a process of its own, so that none affects the next. */
    const measure = async (row: Omit<Row, 'rounds'>, task: Omit<Task, 'url' | 'count'>) => {
      session.say(row.what);
      const figures: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        session.signal.throwIfAborted();
        figures.push(await ask({ ...task, count: MANY, url }));
      }
      rows.push({ ...row, rounds: figures });
    };
    const packages = [{ name: '', ...own }, ...(before ? [{ name: ', the package before', ...before }] : [])];
    for (const { name, folder } of packages) {
      await measure({ what: `peak memory${name}`, unit: 'KB/item' }, { measure: 'memory', folder });
      for (const { name: run, ...task } of BLOCKING) {
        const what = `longest block, ${MANY.toLocaleString('en')} items${run}${name}`;
        await measure({ what, unit: 'ms', atMost: LONGEST_BLOCK }, { measure: 'block', folder, ...task });
      }
    }
    return rows;
  });
}
