import getPort from 'get-port';

import { type InstanceWithSandbox } from '../../sandbox/n8n/instance';
import { type Session } from '../../tools/cli/session';
import { startQueueMode } from '../support/n8n/queueMode';
import { type Redis } from '../support/n8n/redis';
import { startTestInstance, type TestInstanceOptions } from './instanceForTests';

/** n8n in queue mode: a main and its workers, and the PostgreSQL and the Redis between them. */
export type QueueInstance = InstanceWithSandbox & { readonly redis: Redis };

/** Starts everything but the workers. */
export async function startQueueInstance(
  options: Omit<TestInstanceOptions, 'database' | 'port'>,
  session: Session,
): Promise<QueueInstance> {
  const { redis, environment } = await startQueueMode(session);
  const port = await getPort();
  // Without it, a worker writes its own address into links.
  const address = { WEBHOOK_URL: `http://localhost:${port}/` };
  const instance = await startTestInstance(
    { ...options, port, environment: { ...environment, ...address, ...options.environment } },
    session,
  );
  // Stopped in an orderly way, it would wait for executions that nobody needs any more.
  session.cleanup.add(() => instance.n8n.kill());
  return Object.assign(instance, { redis });
}
