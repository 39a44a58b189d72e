import { join } from 'node:path';

import { MAX_BATCH_SIZE } from '../nodes/MessagingSend/api/endpoints';
import type { Fault } from '../sandbox/server';
import { startQueueMode } from '../test/support/n8n/queueMode';
import { webhook } from '../test/support/n8n/triggerNodes';
import { chain, messagingSend, SENDER } from '../test/support/n8n/workflow';
import { makeTemporaryFolder } from '../tools/cli/temporaryFolder';
import { asObject, isObject, type JsonObject } from '../tools/json';
import type { Execution } from '../tools/n8n/execution';
import { packPackage } from '../tools/n8n/package';
import { UNDER_WAY } from '../tools/n8n/rest';
import { publish } from './campaigns';
import { leastTime, LIMIT } from './leastTime';
import { atMost, type Measurements, type Series } from './measurements';
import type { Options } from './options';
import { type RealN8n, startRealN8n, withSession } from './realN8n';
import { withSandbox } from './sandbox';

const PARTS = 20;
const PER_PART = 5_000;
const MESSAGES = PARTS * PER_PART;

const WORKERS = 2;
/** Executions of one worker: while one begins, the other one uses the limit. */
const CONCURRENCY = 2;

/** The service's window, instead of a minute. */
const WINDOW_MS = 20_000;
const LATENCY_MS = 100;

/** One request in a hundred is hit: half of these send nothing, the others send everything and lose the answer. */
const FAULTS: readonly Fault[] = [
  { kind: 'status', status: 503, on: 'bulk', probability: 0.005 },
  { kind: 'reset-after', on: 'bulk', probability: 0.005 },
];

/** A worker is killed after this many messages, then the main. */
const WORKER_KILLED_AT = 0.35 * MESSAGES;
const MAIN_KILLED_AT = 0.7 * MESSAGES;

const PATH = 'part';

/** What docs/hosting.md advises for two workers. */
const OPTIONS = { duplicateMessages: 'sendOnceEver', requestsPerMinute: LIMIT / WORKERS };

/**
 * 100,000 messages in parts, on two workers of n8n's queue mode, with faults of the service and kills of n8n; a part
 * whose execution was lost is started again.
 */
export async function campaign({ log }: Options): Promise<Measurements> {
  return await withSession(log, async (session) => {
    const tarball = await packPackage(await makeTemporaryFolder('packed', session.cleanup), session.signal);
    const service = { limit: LIMIT, windowSeconds: WINDOW_MS / 1000, latencyMs: LATENCY_MS };
    return await withSandbox(service, async (sandbox) => {
      log('Starting n8n: a main and two workers');
      const environment = {
        ...(await startQueueMode(session)).environment,
        NODE_OPTIONS: `--require ${join(import.meta.dirname, 'scaledWindow.cjs')}`,
        BENCH_WINDOW_MS: String(WINDOW_MS),
        // n8n notices a lost worker after one to one and a half minutes; here after as much of a window.
        QUEUE_WORKER_LOCK_DURATION: '10000',
        QUEUE_WORKER_LOCK_RENEW_TIME: '2000',
        QUEUE_WORKER_STALLED_INTERVAL: '5000',
      };
      const n8n = await startRealN8n({ name: 'n8n in queue mode', tarball }, sandbox, environment, session);
      const { instance } = n8n;
      for (let worker = 0; worker < WORKERS; worker += 1) await instance.startWorker(CONCURRENCY);
      const run = new Run(n8n, await publish(n8n, partOfList()), log);

      const incidents = [
        {
          at: WORKER_KILLED_AT,
          what: 'Killing a worker',
          strike: async () => {
            await instance.workers[0]?.kill();
            await instance.startWorker(CONCURRENCY);
          },
        },
        {
          at: MAIN_KILLED_AT,
          what: 'Killing the main',
          strike: async () => {
            await instance.n8n.kill();
            await instance.restart();
          },
        },
      ];
      await sandbox.fail(FAULTS);
      const started = performance.now();
      await run.untilAllEnded(async () => {
        const [next] = incidents;
        if (next === undefined || (await sandbox.sent()) < next.at) return;
        incidents.shift();
        log(next.what);
        await next.strike();
      });
      const seconds = (performance.now() - started) / 1000;
      return measurements(seconds, run, await sandbox.received(), await sandbox.phones());
    });
  });
}

/** The executions of a campaign, and the parts that they send. */
class Run {
  /** By the execution's ID. */
  private readonly parts = new Map<string, number>();
  private readonly waiting = Array.from({ length: PARTS }, (_, part) => part);
  private readonly open = new Set<string>();
  readonly ended: Execution[] = [];
  lost = 0;

  constructor(
    private readonly n8n: RealN8n,
    private readonly workflow: JsonObject,
    private readonly log: Options['log'],
  ) {}

  /** Starts the parts, as many as the workers can take, and one again where n8n has lost its execution. */
  async untilAllEnded(meanwhile: () => Promise<void>): Promise<void> {
    await this.n8n.instance.waitFor('all parts to end', 1_800, async () => {
      await meanwhile();
      await this.look();
      while (this.open.size < WORKERS * CONCURRENCY && this.waiting.length > 0) await this.startNext();
      return this.open.size === 0 ? true : undefined;
    });
  }

  private async startNext(): Promise<void> {
    const { instance } = this.n8n;
    const part = this.waiting.shift() ?? NaN;
    const answer = await fetch(`${instance.n8n.url}/webhook/${PATH}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ part }),
    });
    if (!answer.ok) throw new Error(`n8n answered a call with ${answer.status}: ${await answer.text()}`);
    // n8n may answer before it lists the execution.
    const id = await instance.waitFor('the execution to be listed', 30, async () => {
      const listed = await instance.rest.executionsOf(this.workflow);
      return listed.find((each) => !this.parts.has(each.id))?.id;
    });
    this.parts.set(id, part);
    this.open.add(id);
  }

  private async look(): Promise<void> {
    const { rest } = this.n8n.instance;
    for (const { id, status } of await rest.executionsOf(this.workflow)) {
      if (!this.open.has(id) || UNDER_WAY.includes(status)) continue;
      this.open.delete(id);
      if (status === 'success') {
        this.ended.push(await rest.waitForExecution(id));
      } else {
        const part = this.parts.get(id) ?? NaN;
        this.log(`The execution of part ${part} ended with the status ${status}: starting it again`);
        this.lost += 1;
        this.waiting.unshift(part);
      }
    }
  }
}

/** Sends the messages of the part that a call names. */
function partOfList(): JsonObject {
  const list = `={{ Array.from({ length: ${PER_PART} }, (_, index) => ({
    phone: '4477' + String($json.body.part * ${PER_PART} + index).padStart(8, '0'),
    message: 'Hello Made-up Person ' + index,
  })) }}`;
  const send = messagingSend(
    { resource: 'message', operation: 'sendBulk', source: 'json', messages: list, options: OPTIONS },
    { onError: 'continueRegularOutput' },
  );
  const immediately = { ...webhook(PATH), parameters: { httpMethod: 'POST', path: PATH, responseMode: 'onReceived' } };
  return chain('Part of a campaign', [immediately, send]);
}

function measurements(
  seconds: number,
  { ended, lost }: Run,
  { messages, phones, refused }: { messages: number; phones: number; refused: number },
  reached: ReadonlySet<string>,
): Measurements {
  const items = ended.flatMap((execution) => execution.outputOf(SENDER).map(({ json }) => json));
  const outcomes = new Map(items.map((item) => [phoneOf(item), outcomeOf(item)]));
  const codes = new Map<string, number>();
  for (const { details } of items) {
    const code = isObject(details) ? String(details.code) : null;
    if (code !== null) codes.set(code, (codes.get(code) ?? 0) + 1);
  }
  const countOf = (outcome: string) => [...outcomes.values()].filter((each) => each === outcome).length;
  const isSilentlyLost = (phone: string) => !reached.has(phone) && isSent(outcomes.get(phone));
  const all = Array.from({ length: MESSAGES }, (_, index) => `4477${String(index).padStart(8, '0')}`);
  const lostMessages = all.filter((phone) => !outcomes.has(phone) || isSilentlyLost(phone)).length;
  const least = leastTime(MESSAGES / MAX_BATCH_SIZE, WINDOW_MS, LATENCY_MS) / 1000;
  const count = (what: string, unit: string, value: number): Series => ({
    case: what,
    contender: `${MESSAGES.toLocaleString('en')} messages`,
    unit,
    rounds: [value],
  });
  return {
    series: [
      count('time, from the first call to the end of the last execution', 's', seconds),
      count('the same, over the least possible', 'x', seconds / least),
      count('executions that n8n lost', 'executions', lost),
      count('sent twice', 'messages', messages - phones),
      count('lost: reported as sent and not sent, or not reported', 'messages', lostMessages),
      ...['sent', 'skipped', 'uncertain', 'not_sent'].map((outcome) =>
        count(`reported as ${outcome}`, 'messages', countOf(outcome)),
      ),
      ...[...codes].map(([code, messages]) => count(`with the code ${code}`, 'messages', messages)),
      count(
        'reported as uncertain, and sent',
        'messages',
        all.filter((phone) => outcomes.get(phone) === 'uncertain' && reached.has(phone)).length,
      ),
      count('rejected with 429, of the last 1,000', 'requests', refused),
    ],
    goals: [atMost('messages sent twice', messages - phones, 0), atMost('messages lost', lostMessages, 0)],
  };
}

function phoneOf({ phone, details }: JsonObject): string {
  return String(isObject(details) ? details.phone : phone);
}

function outcomeOf({ status, details }: JsonObject): string {
  return String(isObject(details) ? asObject(details, 'details').outcome : status);
}

function isSent(outcome: string | undefined): boolean {
  return outcome === 'sent' || outcome === 'skipped';
}
