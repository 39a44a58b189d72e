import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { callAtRate, latencyWithin } from '../test/support/n8n/openLoop';
import { startPostgres } from '../test/support/n8n/postgres';
import { callWebhook } from '../test/support/n8n/triggerNodes';
import { SENDER } from '../test/support/n8n/workflow';
import type { Session } from '../tools/cli/session';
import { makeTemporaryFolder } from '../tools/cli/temporaryFolder';
import type { JsonObject } from '../tools/json';
import { packPackage } from '../tools/n8n/package';
import { bulk, loop, publish, publishWithFullRow, single } from './campaigns';
import { atMost, type Goal, type Measurements, median, type Series } from './measurements';
import type { Options } from './options';
import { type Package, type RealN8n, withSession } from './realN8n';
import { type RemoteSandbox, withSandbox } from './sandbox';
import { compare, withEach } from './twoPackages';

/** Short campaigns vary more, and are cheaper to repeat. */
const SIZES = [
  { count: 1_000, repeated: 8 },
  { count: 10_000, repeated: 4 },
] as const;
/** What a service on the internet takes at least; all else is measured with answers that come immediately. */
const ANSWER_MS = 50;
const ROUNDS_OF_LOOP = 50;
const MANY = 200_000;
/** Entries that n8n's database holds for the node before a campaign: as many as the ledger lets it hold. */
const FULL_ROW = 10_000;

const PER_SECOND = 50;
const SECONDS = 20;
/** Concurrent executions; the others wait in n8n's own queue. */
const CONCURRENCY = 10;

const CAMPAIGN_GOAL = 1.1;
const CALL_GOAL = 1.05;
/** How long other workflows of the same n8n may wait, in milliseconds. */
const LONGEST_BLOCK = 50;

interface Context extends Options {
  /** The measured package, then the one it is compared with. */
  readonly packages: readonly Package[];
  readonly sandbox: RemoteSandbox;
}

/** What the crash ledger costs in production executions of real n8n. */
export async function ledger(options: Options): Promise<Measurements> {
  return await withSession(options.log, async ({ cleanup, signal }) => {
    const tarball = await packPackage(await makeTemporaryFolder('packed', cleanup), signal);
    const without: Package =
      options.before === undefined
        ? { name: 'the same without it', tarball, change: switchLedgerOff }
        : { name: 'the package before', tarball: options.before };
    return await withSandbox({}, async (sandbox) => {
      const context = { ...options, packages: [{ name: 'with the ledger', tarball }, without], sandbox };
      const parts = [await campaigns(context), await calls(context), await blocks(context)];
      return { series: parts.flatMap(({ series }) => series), goals: parts.flatMap(({ goals }) => goals) };
    });
  });
}

/** Changes an unpacked package so that no run has a crash ledger. */
async function switchLedgerOff(folder: string): Promise<void> {
  const file = join(folder, 'dist', 'nodes', 'MessagingSend', 'n8n', 'memory', 'crashLedgerOfRun.js');
  const isThere = (await readFile(file, 'utf8')).includes('exports.crashLedgerOfRun =');
  if (!isThere) throw new Error(`${file} has no crashLedgerOfRun`);
  await appendFile(file, '\nexports.crashLedgerOfRun = () => null;\n');
}

/** The time of the node's runs, by the execution's data. */
async function campaigns({ packages, sandbox, rounds, log }: Context): Promise<Measurements> {
  const environment = () => ({});
  return await withEach(packages, sandbox, environment, log, async (each) => {
    const workflows = new Map<RealN8n, Record<'bulk' | 'full' | 'loop', JsonObject>>();
    for (const n8n of each) {
      workflows.set(n8n, {
        bulk: await publish(n8n, bulk('bulk')),
        full: await publishWithFullRow(n8n, bulk('full'), FULL_ROW),
        loop: await publish(n8n, loop('loop')),
      });
    }
    const measure = async (what: string, path: 'bulk' | 'full' | 'loop', count: number, repeated = 1, answerMs = 0) => {
      const run = async (n8n: RealN8n) => {
        await sandbox.reset();
        if (answerMs > 0) await sandbox.answerAfter(answerMs);
        const time = await timeOfCampaign(n8n, path, workflows.get(n8n)?.[path] ?? {}, count);
        await sandbox.expectOnce(count);
        return [time];
      };
      const [series = []] = await compare({ case: what, units: ['ms'], rounds: rounds * repeated, run }, each, log);
      return series;
    };
    // Before the first figure, all code is loaded and compiled.
    await measure('All of it', 'bulk', 10_000);
    const series: Series[] = [];
    const goals: Goal[] = [];
    for (const { count, repeated } of SIZES) {
      const what = `Send Bulk of ${count.toLocaleString('en')}`;
      const plain = await measure(what, 'bulk', count, repeated);
      series.push(...plain, ...(await measure(`${what}, full row`, 'full', count, repeated)));
      series.push(...(await measure(`${what}, answers after ${ANSWER_MS} ms`, 'bulk', count, repeated, ANSWER_MS)));
      goals.push(ratioGoal(plain, CAMPAIGN_GOAL));
    }
    series.push(...(await measure(`${ROUNDS_OF_LOOP} rounds of 100 in a loop`, 'loop', ROUNDS_OF_LOOP * 100, 2)));
    return { series, goals };
  });
}

/** The time from a call that starts a run of one request to its answer, under load. */
async function calls({ packages, sandbox, rounds, log }: Context): Promise<Measurements> {
  const environment = async (session: Session) => ({
    // On SQLite, n8n can't keep its own records of so many executions.
    ...(await startPostgres(session)),
    DB_POSTGRESDB_POOL_SIZE: String(CONCURRENCY),
    N8N_CONCURRENCY_PRODUCTION_LIMIT: String(CONCURRENCY),
  });
  return await withEach(packages, sandbox, environment, log, async (each, { signal }) => {
    for (const n8n of each) await publish(n8n, single('single'));
    const count = PER_SECOND * SECONDS;
    const run = async ({ instance }: RealN8n) => {
      await sandbox.reset();
      const call = async (index: number) => {
        const phone = `4477${String(index).padStart(8, '0')}`;
        const { status, text } = await callWebhook(instance.n8n.url, 'single', { phone });
        if (status !== 200) throw new Error(`n8n answered a call with ${status}: ${text}`);
      };
      const answered = await callAtRate(count, PER_SECOND, call, signal);
      await sandbox.expectOnce(count);
      return [latencyWithin(0.5, answered), latencyWithin(0.95, answered)];
    };
    const what = `webhook with one Send, ${PER_SECOND} calls a second`;
    const series = await compare({ case: what, units: ['ms, p50', 'ms, p95'], rounds, run }, each, log);
    return { series: series.flat(), goals: series.map((own) => ratioGoal(own, CALL_GOAL)) };
  });
}

/** How long the node blocks n8n's event loop. */
async function blocks({ packages, sandbox, rounds, log }: Context): Promise<Measurements> {
  const environment = () => ({ NODE_OPTIONS: `--require ${join(import.meta.dirname, 'longestBlock.cjs')}` });
  return await withEach(packages, sandbox, environment, log, async (each) => {
    for (const n8n of each) await publish(n8n, bulk('many', { saveDataSuccessExecution: 'none' }));
    const run = async ({ instance: { n8n } }: RealN8n) => {
      await sandbox.reset();
      await startCampaign(n8n.url, 'many', MANY);
      await sandbox.expectOnce(MANY);
      const printed = [...n8n.log().matchAll(/longest block: ([\d.]+) ms, longest work: ([\d.]+) ms/g)];
      return (printed.at(-1) ?? []).slice(1).map(Number);
    };
    const what = `Send Bulk of ${MANY.toLocaleString('en')}`;
    const units = ['ms, longest block', 'ms, longest work'];
    const series = await compare({ case: what, units, rounds, run }, each, log);
    // Unlike the longest block, this figure does not depend on what else the machine does.
    const worked = median(series[1]?.[0]?.rounds ?? []);
    const goal = atMost(`${what}, longest work without a pause (ms)`, worked, LONGEST_BLOCK);
    return { series: series.flat(), goals: [goal] };
  });
}

/** The sum of the times of the node's runs, in milliseconds. */
async function timeOfCampaign(
  { instance: { n8n, rest } }: RealN8n,
  path: string,
  workflow: JsonObject,
  count: number,
): Promise<number> {
  await startCampaign(n8n.url, path, count);
  const [newest] = await rest.executionsOf(workflow);
  const ended = await rest.waitForExecution(newest?.id ?? '');
  if (ended.status !== 'success') throw new Error(`a campaign ended as ${ended.status}: ${ended.error}`);
  return ended.runsOf(SENDER).reduce((sum, { seconds }) => sum + seconds * 1000, 0);
}

/** Calls the webhook of a campaign; n8n answers when the workflow has ended. */
async function startCampaign(url: string, path: string, count: number): Promise<void> {
  const { status, text } = await callWebhook(url, path, { count });
  if (status !== 200) throw new Error(`n8n answered a campaign with ${status}: ${text}`);
}

function ratioGoal(series: readonly Series[], limit: number): Goal {
  const [{ case: what, unit } = { case: '', unit: '' }] = series;
  return atMost(`${what} (${unit}), with over without`, median(series.at(-1)?.rounds ?? []), limit);
}
