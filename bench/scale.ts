import { messagingSend } from '../test/support/contenders';
import { runSteps } from '../test/support/engine/steps';
import { atMost, type Goal, inTurn, type Measurements, median, type Series } from './measurements';
import type { Options } from './options';
import { askOnce } from './processes';
import { type RemoteSandbox, withSandbox } from './sandbox';
import { contacts, PASS } from './workflows';

/** The largest run, whose blocks are measured as well. */
const MANY = 200_000;
const COUNTS = [1_000, 10_000, MANY];
/** A smaller run ends before its memory is looked at. */
const MEMORY_FROM = 10_000;

/** Contacts that get a message first, so that all code is loaded before measuring. */
export const WARM_UP = 100;

/** What a worker measures. */
export interface ScaleTask {
  readonly measure: 'memory' | 'block';
  /**
   * `evaluate` has a text that n8n evaluates for each item; `reject` has no number that can be sent to; `hold` only holds
   * the items.
   */
  readonly contender: 'send' | 'evaluate' | 'reject' | 'hold';
  readonly count: number;
  readonly url: string;
}

/** The runs whose blocks are measured, and whether they send. */
const BLOCKING = [
  { contender: 'send', name: 'Send Bulk', sends: true },
  { contender: 'evaluate', name: 'Send Bulk, n8n evaluates each text', sends: true },
  { contender: 'reject', name: 'no number can be sent to', sends: false },
] as const;

/** How long other workflows of the same n8n may wait, in milliseconds. */
const LONGEST_BLOCK = 50;

/** Time and memory per item, and how long the node blocks the event loop, from small to large runs. */
export async function scale({ rounds, log }: Options): Promise<Measurements> {
  return await withSandbox({}, async (sandbox) => {
    const time: Series[] = [];
    const memory: Series[] = [];
    const blocked: Series[] = [];
    for (const count of COUNTS) {
      const of = `${count.toLocaleString('en')} items`;
      time.push(...(await timePerItem(count, { case: of, unit: 'ms/item' }, sandbox, rounds, log)));
      const memoryOf = async (contender: ScaleTask['contender']) =>
        (await measure(sandbox, { measure: 'memory', contender, count }, contender === 'send', rounds)).map(
          (bytes) => bytes / count / 1024,
        );
      if (count >= MEMORY_FROM) {
        log(`${of}: memory`);
        const unit = 'KB/item';
        memory.push({ case: of, contender: 'Send Bulk, peak memory', unit, rounds: await memoryOf('send') });
        memory.push({ case: of, contender: 'the same items, held by n8n', unit, rounds: await memoryOf('hold') });
      }
    }
    const of = `${MANY.toLocaleString('en')} items`;
    log(`${of}: event loop`);
    for (const { contender, name, sends } of BLOCKING) {
      blocked.push({
        case: of,
        contender: `${name}, longest block`,
        unit: 'ms',
        rounds: await measure(sandbox, { measure: 'block', contender, count: MANY }, sends, rounds),
      });
    }
    return { series: [...time, ...memory, ...blocked], goals: goals(time, memory, blocked) };
  });
}

function goals(time: readonly Series[], memory: readonly Series[], blocked: readonly Series[]): Goal[] {
  const growth = (series: readonly Series[], contender: string) => {
    const own = series.filter((each) => each.contender === contender).map((each) => median(each.rounds));
    return (own.at(-1) ?? NaN) / (own[0] ?? NaN);
  };
  return [
    atMost('time per item, the largest run over the smallest', growth(time, 'Send Bulk'), 1.2),
    atMost(
      'peak memory per item, the largest run over that of 10,000 items',
      growth(memory, 'Send Bulk, peak memory'),
      1.2,
    ),
    ...blocked.map((each) => atMost(`${each.contender}, ${each.case} (ms)`, median(each.rounds), LONGEST_BLOCK)),
  ];
}

async function timePerItem(
  count: number,
  of: Pick<Series, 'case' | 'unit'>,
  sandbox: RemoteSandbox,
  rounds: number,
  log: Options['log'],
): Promise<Series[]> {
  const items = contacts(0, count);
  const timed = async (work: () => Promise<unknown>) => {
    const started = performance.now();
    await work();
    return (performance.now() - started) / count;
  };
  return await inTurn(
    of,
    [
      {
        name: 'Send Bulk',
        run: async () => {
          await sandbox.reset();
          const each = await timed(async () => await runSteps(items, messagingSend('sendBulk'), sandbox.url));
          await sandbox.expectOnce(count);
          return each;
        },
      },
      {
        name: 'the same without the node',
        run: async () => await timed(async () => await runSteps(items, PASS, sandbox.url)),
      },
    ],
    rounds,
    log,
  );
}

/** Measures each round in its own process, so that a round leaves nothing behind for the next. */
async function measure(
  sandbox: RemoteSandbox,
  task: Omit<ScaleTask, 'url'>,
  sends: boolean,
  rounds: number,
): Promise<number[]> {
  const measured: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await sandbox.reset();
    measured.push(await askOnce<number>('scaleWorker.ts', { ...task, url: sandbox.url } satisfies ScaleTask));
    if (task.contender !== 'hold') await sandbox.expectOnce(sends ? task.count + WARM_UP : 0);
  }
  return measured;
}
