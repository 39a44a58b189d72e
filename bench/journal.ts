/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { UNLIMITED } from './contenders';
import { inTurn, type Options, over, overBefore, type Row } from './measurements';
import { RealN8n, sender } from './realN8n';
import { withSandbox } from './sandbox';

/** Short campaigns vary more, and are cheaper to repeat. A service on the internet takes at least 50 ms to answer. */
const CASES = [
  { path: 'campaign', count: 1_000, repeated: 8, answerMs: 0, name: '', atMost: 1.25 },
  { path: 'campaign', count: 10_000, repeated: 3, answerMs: 0, name: '', atMost: 1.15 },
  { path: 'campaign', count: 10_000, repeated: 2, answerMs: 50, name: ', answers after 50 ms', atMost: undefined },
  { path: 'campaign', count: 50_000, repeated: 1, answerMs: 0, name: '', atMost: 1.1 },
  { path: 'full', count: 10_000, repeated: 2, answerMs: 50, name: ', full list, answers after 50 ms', atMost: 2 },
] as const;
/** As many messages as n8n's database remembers for a node. */
const FULL = 50_000;

/** As many items as the call asks for, each with its own phone number. */
const ITEMS = {
  name: 'Items',
  type: 'n8n-nodes-base.code',
  typeVersion: 2,
  parameters: {
    jsCode: `const { count } = $input.first().json.body;
return Array.from({ length: count }, (_, index) => ({
  json: {
    phone: '4477' + String(index).padStart(8, '0'),
    message: 'Hello Made-up Person ' + index + ', a reminder of your appointment on Monday.',
  },
}));`,
  },
};
const BULK = sender('sendBulk', { phone: '={{ $json.phone }}', message: '={{ $json.message }}' });

/** The cost of the journal in production executions of real n8n: the node's time with it over that without. */
export async function journal({ rounds, own, before, session }: Options): Promise<Row[]> {
  return await withSandbox({}, async (sandbox) => {
    const start = async (tarball: string, change?: (folder: string) => Promise<void>) => {
      const n8n = await RealN8n.start(tarball, sandbox, session, change);
      const workflows = {
        campaign: await n8n.publish('campaign', [ITEMS, BULK]),
        full: await n8n.publish('full', [ITEMS, BULK]),
      };
      // Each remembered message is an entry.
      await n8n.setOptions(workflows.full, { ...UNLIMITED, duplicateMessages: 'sendOnceEver' });
      await n8n.call('full', { count: FULL });
      await n8n.setOptions(workflows.full, UNLIMITED);
      return (path: keyof typeof workflows, count: number, answerMs: number) => async () => {
        await sandbox.reset();
        if (answerMs > 0) await sandbox.answerAfter(answerMs);
        await n8n.call(path, { count });
        await sandbox.expectOnce(count);
        return await n8n.timeOfNewest(workflows[path]);
      };
    };
    session.say('Starting n8n, with the journal and without it');
    const withIt = await start(own.tarball);
    const without = await start(own.tarball, switchJournalOff);
    const old = before && (await start(before.tarball));

    const rows: Row[] = [];
    for (const { path, count, repeated, answerMs, name, atMost } of CASES) {
      const what = `${count.toLocaleString('en')} items${name}`;
      session.say(what);
      const contenders = { withIt: withIt(path, count, answerMs), without: without(path, count, answerMs) };
      const times = await inTurn(
        { ...contenders, ...(old && { before: old(path, count, answerMs) }) },
        rounds * repeated,
        session,
      );
      rows.push({ what, unit: '', rounds: over(times.withIt, times.without), atMost });
      rows.push(...overBefore(what, times.withIt, times.before));
    }
    return rows;
  });
}

/** Changes an unpacked package so that no run has a crash ledger. */
async function switchJournalOff(folder: string): Promise<void> {
  const file = join(folder, 'dist', 'nodes', 'MessagingSend', 'n8n', 'memory', 'openJournal.js');
  const code = await readFile(file, 'utf8');
  const changed = code.replace(' && isWorthIt(context, operation, ordinal)', ' && false');
  if (changed === code) throw new Error(`${file} has changed`);
  await writeFile(file, changed);
}
