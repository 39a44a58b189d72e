/** Processes of the benchmark's own: what one of them does must not weigh on the others. */
import { fork, type ForkOptions } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export interface Worker<Task extends object, Answer> {
  /** Gives a task and waits for its answer; one at a time. */
  readonly ask: (task: Task) => Promise<Answer>;
  readonly stop: () => Promise<void>;
}

/** What a worker sends back. */
type Reply<Answer> = { readonly answer: Answer } | { readonly error: string };

/** Starts a file of this folder in a process of its own. */
export function startWorker<Task extends object, Answer>(
  file: string,
  env: ForkOptions['env'] = {},
): Worker<Task, Answer> {
  const child = fork(join(__dirname, file), {
    execArgv: ['--import', 'tsx', '--expose-gc'],
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  const killChild = () => child.kill();
  process.once('exit', killChild);
  const ended = once(child, 'exit');
  const ask = async (task: Task): Promise<Answer> => {
    const replied = once(child, 'message') as Promise<[Reply<Answer>]>;
    child.send(task);
    const first = await Promise.race([replied, ended.then(() => null)]);
    const reply = first?.[0] ?? { error: 'it ended without an answer' };
    if ('error' in reply) throw new Error(`${file}: ${reply.error}`);
    return reply.answer;
  };
  const stop = async () => {
    child.kill();
    await ended;
    process.removeListener('exit', killChild);
  };
  return { ask, stop };
}

/** One task in a process that ends with it. */
export async function askOnce<Task extends object, Answer>(
  file: string,
  task: Task,
  env: ForkOptions['env'] = {},
): Promise<Answer> {
  const worker = startWorker<Task, Answer>(file, env);
  try {
    return await worker.ask(task);
  } finally {
    await worker.stop();
  }
}

/** The worker's side: does each task it is given. */
export function serve<Task, Answer>(work: (task: Task) => Promise<Answer>): void {
  process.on('message', (task: Task) => {
    const reply: Promise<Reply<Answer>> = work(task).then(
      (answer) => ({ answer }),
      (error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }),
    );
    void reply.then((each) => process.send?.(each));
  });
}
