import { type Session } from '../../../tools/cli/session';
import { type N8nProcess } from '../../../tools/n8n/process';
import { startPostgres } from './postgres';
import { type Redis, startRedis } from './redis';

// Each process and each folder listens for the end of the command.
process.setMaxListeners(0);

/** What main and workers share in n8n's queue mode. */
export interface QueueMode {
  redis: Redis;
  /** n8n's settings for it. */
  environment: NodeJS.ProcessEnv;
}

/** Starts a PostgreSQL and a Redis for n8n's queue mode. */
export async function startQueueMode(session: Session): Promise<QueueMode> {
  const redis = await startRedis(session);
  const environment = {
    EXECUTIONS_MODE: 'queue',
    // A worker reads the credentials that the main has stored.
    N8N_ENCRYPTION_KEY: 'made-up-encryption-key',
    ...redis.environment,
    ...(await startPostgres(session)),
  };
  return { redis, environment };
}

/** The IDs of the executions that a worker has started, from its log. */
export function startedBy(worker: N8nProcess): string[] {
  return [...worker.log().matchAll(/Worker started execution (\d+)/g)].map(([, id]) => String(id));
}
