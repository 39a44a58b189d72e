import type { Step } from '../tools/engine/steps';
import { bareNode } from './bareNode';
import { contacts, messagingSend, timeOf } from './contenders';
import { inTurn, type Options, over, overBefore, type Row, warmUpsFor } from './measurements';
import { withSandbox } from './sandbox';

/** Short runs vary more and are cheaper to repeat: the median of only 3 would be chance. */
const CASES = [
  { operation: 'sendBulk', name: 'Send Bulk', count: 100, repeated: 12, atMost: 1.8 },
  { operation: 'sendBulk', name: 'Send Bulk', count: 1_000, repeated: 12, atMost: 1.5 },
  { operation: 'sendBulk', name: 'Send Bulk', count: 10_000, repeated: 10, atMost: 1.25 },
  { operation: 'sendBulk', name: 'Send Bulk', count: 50_000, repeated: 5, atMost: 1.15 },
  { operation: 'send', name: 'Send', count: 1_000, repeated: 4, atMost: 1.1 },
] as const;
const BATCH_SIZE = { sendBulk: 100, send: 1 };

/** The node's time over that of a bare loop, which makes the same requests and output without any checks. */
export async function bare({ rounds, own, before, session }: Options): Promise<Row[]> {
  return await withSandbox({}, async (sandbox) => {
    const rows: Row[] = [];
    for (const { operation, name, count, repeated, atMost } of CASES) {
      const what = `${name}, ${count.toLocaleString('en')} items`;
      session.say(what);
      const items = contacts(count);
      const timed = (step: Step) => async () => await timeOf([step], items, sandbox);
      const times = await inTurn(
        {
          own: timed(await messagingSend(operation, own.folder)),
          loop: timed(bareNode(BATCH_SIZE[operation])),
          ...(before && { before: timed(await messagingSend(operation, before.folder)) }),
        },
        rounds * repeated,
        session,
        warmUpsFor(count),
      );
      rows.push({ what, unit: '', rounds: over(times.own, times.loop), atMost });
      rows.push(...overBefore(what, times.own, times.before, 1));
    }
    return rows;
  });
}
