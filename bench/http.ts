import type { Steps } from '../tools/engine/steps';
import { contacts, loopAggregateRequest, messagingSend, requestPerItem, timeOf } from './contenders';
import { inTurn, type Options, overBefore, type Row, warmUpsFor } from './measurements';
import { withSandbox } from './sandbox';

/** Short runs vary more, and are cheaper to repeat. */
const SIZES = [
  { count: 1_000, repeated: 4 },
  { count: 10_000, repeated: 1 },
];

/** Items per second, compared with n8n's HTTP Request, on a sandbox without a limit. */
export async function http({ rounds, own, before, session }: Options): Promise<Row[]> {
  return await withSandbox({}, async (sandbox) => {
    const rows: Row[] = [];
    for (const { count, repeated } of SIZES) {
      const size = `${count.toLocaleString('en')} items`;
      session.say(size);
      const items = contacts(count);
      const timed =
        (...steps: Steps) =>
        async () =>
          await timeOf(steps, items, sandbox);
      const contenders = {
        'Send Bulk': timed(await messagingSend('sendBulk', own.folder)),
        Send: timed(await messagingSend('send', own.folder)),
        'HTTP Request': timed(await requestPerItem(sandbox.url)),
        'HTTP Request in batches': timed(...(await loopAggregateRequest(sandbox.url))),
      };
      const old = before && { before: timed(await messagingSend('sendBulk', before.folder)) };
      const times = await inTurn({ ...contenders, ...old }, rounds * repeated, session, warmUpsFor(count));
      for (const name of Object.keys(contenders) as Array<keyof typeof contenders>) {
        rows.push({ what: `${name}, ${size}`, unit: 'items/s', rounds: times[name].map((ms) => (1000 * count) / ms) });
      }
      rows.push(...overBefore(`Send Bulk, ${size}`, times['Send Bulk'], times.before));
    }
    return rows;
  });
}
