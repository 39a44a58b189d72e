import { loopAggregateRequest, messagingSend, requestPerItem, requestPerItemBatched } from '../test/support/contenders';
import { runSteps, type Steps } from '../test/support/engine/steps';
import {
  atLeast,
  type Contender,
  type Goal,
  inTurn,
  type Measurements,
  ratio,
  type Series,
  warmUpsFor,
} from './measurements';
import type { Options } from './options';
import { type RemoteSandbox, withSandbox } from './sandbox';
import { contacts } from './workflows';

/** Short runs vary more, and are cheaper to repeat. */
const COUNTS = [
  { count: 100, repeated: 4 },
  { count: 1_000, repeated: 4 },
  { count: 10_000, repeated: 1 },
];
const BULK = 'Send Bulk';
const SEND = 'Send';
const PER_ITEM = 'HTTP Request, one request per item';

/** Items per second, with a sandbox without a limit. */
export async function throughput({ rounds, log }: Options): Promise<Measurements> {
  return await withSandbox({}, async (sandbox) => {
    const series: Series[] = [];
    const goals: Goal[] = [];
    for (const { count, repeated } of COUNTS) {
      const items = contacts(0, count);
      const contender = (name: string, stepsFor: (url: string) => Steps): Contender => ({
        name,
        run: async () => await itemsPerSecond(items, stepsFor(sandbox.url), sandbox),
      });
      const measured = await inTurn(
        { case: `${count.toLocaleString('en')} items`, unit: 'items/s' },
        [
          contender(BULK, () => messagingSend('sendBulk')),
          contender(SEND, () => messagingSend('send')),
          contender(PER_ITEM, (url) => requestPerItem(url)),
          contender('HTTP Request with its batching', requestPerItemBatched),
          contender('Loop Over Items, Aggregate, HTTP Request', loopAggregateRequest),
        ],
        rounds * repeated,
        log,
        warmUpsFor(count),
      );
      series.push(...measured);
      const [bulk, send, perItem] = measured;
      if (bulk === undefined || send === undefined || perItem === undefined) throw new Error('a contender is missing');
      if (count === 1_000) goals.push(atLeast(`${BULK} over ${PER_ITEM}, ${perItem.case}`, ratio(bulk, perItem), 35));
      goals.push(atLeast(`${SEND} over ${PER_ITEM}, ${perItem.case}`, ratio(send, perItem), 1));
    }
    return { series, goals };
  });
}

async function itemsPerSecond(
  items: ReturnType<typeof contacts>,
  steps: Steps,
  sandbox: RemoteSandbox,
): Promise<number> {
  await sandbox.reset();
  const started = performance.now();
  await runSteps(items, steps, sandbox.url);
  const seconds = (performance.now() - started) / 1000;
  await sandbox.expectOnce(items.length);
  return items.length / seconds;
}
