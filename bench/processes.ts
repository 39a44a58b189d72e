/** The processes of a benchmark, so that the work of one does not slow down another. */
import { fork, type ForkOptions } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

type Work<Task, Answer> = (task: Task) => Promise<Answer>;

interface Worker<Task, Answer> {
  /** Does a task, one at a time. */
  readonly ask: Work<Task, Answer>;
  readonly stop: () => Promise<void>;
}

/** What a worker's process sends back. */
type Reply<Answer> = { readonly answer: Answer } | { readonly error: string };

/** Starts a file of this folder in its own process. */
export function startWorker<Task extends object, Answer>(
  file: string,
  env: ForkOptions['env'] = {},
): Worker<Task, Answer> {
  const child = fork(join(import.meta.dirname, file), {
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
    const reply = first?.[0] ?? { error: 'the process ended without an answer' };
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

/** Does one task in its own process. */
export async function askOnce<Answer>(file: string, task: object, env: ForkOptions['env'] = {}): Promise<Answer> {
  const worker = startWorker<object, Answer>(file, env);
  try {
    return await worker.ask(task);
  } finally {
    await worker.stop();
  }
}

/** Runs in the worker's process: does each task that it is sent. */
export function serve<Task, Answer>(work: Work<Task, Answer>): void {
  process.on('message', (task: Task) => {
    const reply: Promise<Reply<Answer>> = work(task).then(
      (answer) => ({ answer }),
      (error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }),
    );
    void reply.then((each) => process.send?.(each));
  });
}
