/**
 * First figures of the delivery, in n8n's engine against the sandbox in a process of its own.
 *
 *   npm run figures -- scale             time and memory for 1,000 to 100,000 items, without a limit
 *   npm run figures -- limit             120 batches, 60 requests per 60 s, answers after 1 s
 *   npm run figures -- parallel          the same for several numbers of parallel requests
 *   npm run figures -- shared            120 batches by two processes that share one key
 *
 * All but `scale` wait for true minutes.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

import { startSandbox, type SandboxOptions } from '../sandbox/server';
import { DEFAULT_OPTIONS } from '../nodes/MessagingSend/delivery/options';
import { runWorkflow } from '../test/engine/n8n';

const KEY = 'made-up-key-0123456789';
const MINUTE = 60;

type Task =
  | { readonly kind: 'sandbox'; readonly options: Partial<SandboxOptions> }
  | { readonly kind: 'send'; readonly url: string; readonly from: number; readonly to: number; readonly options: Record<string, number>; readonly memory?: boolean }
  | { readonly kind: 'items'; readonly url: string; readonly count: number; readonly memory: boolean };

/** What a child process answers. */
type Answer = Record<string, number | string>;

void (process.send ? child() : main(process.argv[2] ?? 'scale'));

async function main(name: string): Promise<void> {
  const figures: Record<string, () => Promise<void>> = { scale, limit: () => limit([DEFAULT_OPTIONS.parallelRequests]), parallel: () => limit([1, 4, 8, 16, 32]), shared };
  const figure = figures[name];
  if (figure === undefined) {
    console.error(`No figure "${name}". There are: ${Object.keys(figures).join(', ')}.`);
    process.exit(1);
  }
  await figure();
}

/** A child for one task; the sandbox goes on until it is ended. */
async function start(task: Task): Promise<{ process: ChildProcess; answer: Answer }> {
  const process = fork(__filename, { execArgv: ['--import', 'tsx', '--expose-gc'], stdio: 'inherit' });
  process.send(task);
  const [answer] = (await once(process, 'message')) as [Answer];
  return { process, answer };
}

async function withSandbox(options: Partial<SandboxOptions>, use: (url: string) => Promise<void>): Promise<void> {
  const sandbox = await start({ kind: 'sandbox', options: { keys: [KEY], credits: 10_000_000, ...options } });
  try {
    await use(String(sandbox.answer.url));
  } finally {
    sandbox.process.kill();
  }
}

async function scale(): Promise<void> {
  const rows: Answer[] = [];
  for (const count of [1_000, 10_000, 100_000]) {
    const plain: Answer = {};
    // One late answer, so that there is time to look while n8n holds the items.
    await withSandbox({ latencyMs: 1_000 }, async (url) => {
      Object.assign(plain, (await start({ kind: 'items', url, count, memory: true })).answer);
    });
    await withSandbox({ limit: 0 }, async (url) => {
      const send = { kind: 'send', url, from: 0, to: count, options: { requestsPerMinute: 1_000_000 } } as const;
      const { answer } = await start(send);
      const { answer: watched } = await start({ ...send, memory: true });
      rows.push({
        items: count,
        seconds: answer.seconds ?? 0,
        'ms per item': ((Number(answer.seconds) * 1000) / count).toFixed(3),
        sent: answer.sent ?? 0,
        'items in n8n (MB)': plain.megabytes ?? 0,
        'run at its peak (MB)': watched.megabytes ?? 0,
        ratio: (Number(watched.megabytes) / Number(plain.megabytes)).toFixed(2),
      });
    });
  }
  console.table(rows);
}

/** The least time: a minute for each whole 60 requests that came before, and the time of the last answer. */
function leastSeconds(batches: number, answerSeconds: number): number {
  return Math.floor((batches - 1) / 60) * MINUTE + answerSeconds;
}

async function limit(parallel: number[]): Promise<void> {
  const batches = 120;
  // Each runs on its own, but all wait for the same minutes.
  const rows = await Promise.all(
    parallel.map(async (parallelRequests) => {
      const row: Answer = {};
      await withSandbox({ latencyMs: 1_000 }, async (url) => {
        const { answer } = await start({ kind: 'send', url, from: 0, to: batches * 100, options: { parallelRequests } });
        const least = leastSeconds(batches, 1);
        const span = await spanOf(url);
        Object.assign(row, {
          'parallel requests': parallelRequests,
          sent: answer.sent,
          'run (s)': answer.seconds,
          'first request to last answer (s)': span.toFixed(1),
          least,
          ratio: (span / least).toFixed(3),
          ...(await refused(url)),
        });
      });
      return row;
    }),
  );
  console.table(rows);
}

async function shared(): Promise<void> {
  const batches = 120;
  await withSandbox({ latencyMs: 50 }, async (url) => {
    const halves = await Promise.all(
      [0, 1].map(async (half) => await start({ kind: 'send', url, from: half * 6_000, to: (half + 1) * 6_000, options: {} })),
    );
    const seconds = await spanOf(url);
    const state = (await (await fetch(`${url}/_sandbox/state`)).json()) as Answer;
    const least = leastSeconds(batches, 0.05);
    console.table([
      {
        processes: 2,
        sent: halves.reduce((total, { answer }) => total + Number(answer.sent), 0),
        'in the sandbox': state.messages,
        phones: state.phones,
        seconds: seconds.toFixed(1),
        least,
        ratio: (seconds / least).toFixed(3),
        ...(await refused(url)),
      },
    ]);
  });
}

/** From the first request to the last answer: the processes don't start at the same moment. */
async function spanOf(url: string): Promise<number> {
  const { requests } = (await (await fetch(`${url}/_sandbox/requests`)).json()) as { requests: Array<{ started_at: string; duration_ms: number | null }> };
  const starts = requests.map(({ started_at }) => Date.parse(started_at));
  const ends = requests.map(({ started_at, duration_ms }) => Date.parse(started_at) + (duration_ms ?? 0));
  return (Math.max(...ends) - Math.min(...starts)) / 1000;
}

async function refused(url: string): Promise<{ refused: number }> {
  const answer = (await (await fetch(`${url}/_sandbox/requests`)).json()) as { requests: Array<{ status: number | null }> };
  return { refused: answer.requests.filter(({ status }) => status === 429).length };
}

async function child(): Promise<void> {
  const [task] = (await once(process, 'message')) as [Task];
  if (task.kind === 'sandbox') {
    const { url } = await startSandbox(task.options);
    process.send?.({ url });
    return;
  }
  global.gc?.();
  const before = process.memoryUsage().heapUsed;
  // Collecting garbage all the time would spoil the seconds, so they are taken in a run of their own.
  const peak = 'memory' in task && task.memory ? watchMemory() : () => before;
  const items = contacts(task.kind === 'items' ? 0 : task.from, task.kind === 'items' ? task.count : task.to);
  const started = performance.now();
  if (task.kind === 'items') {
    const seconds = await runItems(items, task.url);
    process.send?.({ seconds, megabytes: megabytes(peak() - before) });
  } else {
    const { outputs } = await runWorkflow({
      items,
      account: { baseUrl: `${task.url}/v1`, apiKey: KEY },
      parameters: { resource: 'message', operation: 'sendBulk', source: 'items', phone: '={{ $json.phone }}', message: '=Hello {{ $json.name }}, a reminder of your appointment in {{ $json.city }} on {{ $json.appointment }}.', options: task.options },
    });
    const seconds = (performance.now() - started) / 1000;
    process.send?.({ sent: outputs[0]?.length ?? 0, seconds: Number(seconds.toFixed(2)), megabytes: megabytes(peak() - before) });
  }
  process.exit(0);
}

/** The same workflow with one message for all items, so that what n8n itself needs for them is known. */
async function runItems(items: Array<Record<string, string>>, url: string): Promise<number> {
  const started = performance.now();
  await runWorkflow({
    items,
    account: { baseUrl: `${url}/v1`, apiKey: KEY },
    parameters: {
      resource: 'message',
      operation: 'sendBulk',
      source: 'json',
      messages: '={{ $itemIndex === 0 ? [{ phone: $json.phone, message: "Hello" }] : [] }}',
    },
  });
  return (performance.now() - started) / 1000;
}

/** Contacts as in examples/contacts.csv. */
function contacts(from: number, to: number): Array<Record<string, string>> {
  return Array.from({ length: to - from }, (_, index) => ({
    name: `Made-up Person ${from + index}`,
    phone: `4477${String(from + index).padStart(8, '0')}`,
    city: `Little Village ${(from + index) % 97}`,
    appointment: `Monday ${(from + index) % 28} May at 09:${(from + index) % 60}`,
  }));
}

/** The most memory that was really in use, in bytes: garbage is collected before each sample, which slows the run down. */
function watchMemory(): () => number {
  let peak = 0;
  const sample = () => {
    global.gc?.();
    peak = Math.max(peak, process.memoryUsage().heapUsed);
  };
  const timer = setInterval(sample, 100);
  return () => {
    clearInterval(timer);
    sample();
    return peak;
  };
}

function megabytes(bytes: number): number {
  return Number((bytes / 1024 / 1024).toFixed(1));
}
