/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { makeTemporaryFolder } from '../tools/cli/temporaryFolder';
import { N8nInstance } from '../tools/n8n/instance';
import { packPackage, unpackPackage } from '../tools/n8n/package';
import { callWebhook, chain, messagingSend, SENDER, webhook } from '../tools/n8n/workflow';
import { compare, type Options, type Row, UNLIMITED, withSandbox } from './measurements';

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
const FIELDS = { phone: '={{ $json.phone }}', message: '={{ $json.message }}' };

/** The cost of the journal in production executions of real n8n: the node's time with it over that without. */
export async function journal({ rounds, before, session }: Options): Promise<Row[]> {
  return await withSandbox(async (sandbox) => {
    const tarball = await packPackage(await makeTemporaryFolder('packed', session.cleanup), session.signal);
    const start = async (change?: (folder: string) => Promise<void>) => {
      const providePackage = async (userFolder: string) => {
        const folder = await unpackPackage(tarball, userFolder, session.signal);
        await change?.(folder);
      };
      const instance = await N8nInstance.start({ purpose: 'bench', providePackage }, session);
      const { n8n, rest } = instance;
      const credential = await instance.storeAccount({ url: sandbox.url });
      const sender = (options: object) =>
        messagingSend({ resource: 'message', operation: 'sendBulk', source: 'items', ...FIELDS, options });
      const publish = async (path: string, options: object) =>
        await rest.publish(chain(path, [webhook(path, 'with the last output'), ITEMS, sender(options)]), [credential]);
      const call = async (path: string, count: number) => {
        const { status, text } = await callWebhook(n8n.url, path, { count });
        if (status !== 200) throw new Error(`n8n answered a call with ${status}: ${text.slice(0, 300)}`);
      };

      const campaign = await publish('campaign', UNLIMITED);
      // Each remembered message is an entry. What n8n keeps is kept for a node, so this one stays.
      const full = await publish('full', { ...UNLIMITED, duplicateMessages: 'sendOnceEver' });
      await call('full', FULL);
      await rest.deactivate(full);
      const nodes = full.nodes.map((node) =>
        node.name === SENDER ? { ...node, parameters: { ...node.parameters, options: UNLIMITED } } : node,
      );
      const workflows = { campaign, full: await rest.saveNodes(full, nodes) };
      await rest.activate(workflows.full);
      return ({ path, count, answerMs }: (typeof CASES)[number]) =>
        async () => {
          await sandbox.reset(answerMs);
          await call(path, count);
          await sandbox.expectOnce(count);
          const [newest] = await rest.executionsOf(workflows[path]);
          const ended = await rest.waitForExecution(newest?.id ?? '');
          return ended.runsOf(SENDER).reduce((sum, { seconds }) => sum + seconds * 1000, 0);
        };
    };
    session.say('Starting n8n, with the journal and without it');
    const withIt = await start();
    const without = await start(switchJournalOff);
    const useEarlier = async (folder: string) =>
      await cp(join(before ?? '', 'dist'), join(folder, 'dist'), { recursive: true });
    const earlier = before === undefined ? null : await start(useEarlier);

    const rows: Row[] = [];
    for (const each of CASES) {
      const what = `${each.count.toLocaleString('en')} items${each.name}`;
      const settings = { rounds: rounds * each.repeated, atMost: each.atMost };
      rows.push(await compare(what, [withIt(each), without(each)], settings, session));
      if (earlier === null) continue;
      const runs = [withIt(each), earlier(each)] as const;
      rows.push(await compare(`${what}, over the node before`, runs, { ...settings, atMost: 1 }, session));
    }
    return rows;
  });
}

/** Changes an unpacked package so that no run has a crash ledger. */
async function switchJournalOff(folder: string): Promise<void> {
  const file = join(folder, 'dist', 'nodes', 'MessagingSend', 'n8n', 'memory', 'openJournal.js');
  const code = await readFile(file, 'utf8');
  const changed = code.replace(/\(0, \w+\.mayRunAgain\)\(context, isList, ordinal\)/, 'false');
  if (changed === code) throw new Error(`${file} has changed`);
  await writeFile(file, changed);
}
