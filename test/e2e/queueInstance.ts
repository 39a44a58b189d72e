import { type Session } from '../../tools/cli/session';
import { type InstanceWithSandbox } from '../../tools/n8n/instance';
import { type N8nProcess } from '../../tools/n8n/process';
import { startPostgres } from '../support/n8n/postgres';
import { startTestInstance, type TestInstanceOptions } from './instanceForTests';
import { type Redis, startRedis } from './redis';

// Each process and each folder listens for the end of the tests.
process.setMaxListeners(0);

/** n8n in queue mode: a main and its workers, and the PostgreSQL and the Redis between them. */
export type QueueInstance = InstanceWithSandbox & { readonly redis: Redis };

/** Starts everything but the workers. */
export async function startQueueInstance(
  options: Omit<TestInstanceOptions, 'database'>,
  session: Session,
): Promise<QueueInstance> {
  const redis = await startRedis(session);
  const environment = {
    EXECUTIONS_MODE: 'queue',
    // A worker reads the credentials that the main has stored.
    N8N_ENCRYPTION_KEY: 'made-up-encryption-key',
    ...redis.environment,
    ...options.environment,
  };
  const instance = await startTestInstance({ ...options, environment, database: startPostgres }, session);
  // Stopped in an orderly way, it would wait for executions that nobody needs any more.
  session.cleanup.add(() => instance.n8n.kill());
  return Object.assign(instance, { redis });
}

/** The ids of the executions that a worker has started, by its log. */
export function startedBy(worker: N8nProcess): string[] {
  return [...worker.log().matchAll(/Worker started execution (\d+)/g)].map(([, id]) => String(id));
}
