import { execa } from 'execa';
import getPort from 'get-port';

import { ExpectedError } from '../../../tools/cli/errors';
import { Service } from '../../../tools/cli/service';
import { type Session } from '../../../tools/cli/session';
import { makeTemporaryFolder } from '../../../tools/cli/temporaryFolder';
import { startPostgres } from './postgres';

// Each process and each folder listens for the end of the command.
process.setMaxListeners(0);

/** What main and workers share in n8n's queue mode. */
export interface QueueMode {
  /** n8n's settings for it. */
  environment: NodeJS.ProcessEnv;
  /** Makes Redis forget everything, as after a restart. */
  forget(): Promise<unknown>;
}

/** Starts a PostgreSQL and a Redis for n8n's queue mode. */
export async function startQueueMode(session: Session): Promise<QueueMode> {
  const port = String(await getPort());
  const redis = async (command: string) => {
    const { stdout } = await execa('redis-cli', ['-h', '127.0.0.1', '-p', port, command]);
    if (!['PONG', 'OK'].includes(stdout)) throw new ExpectedError(`Redis answered ${stdout} to ${command}`);
    return stdout;
  };
  const service = new Service({
    name: 'redis',
    file: 'redis-server',
    args: ['--bind', '127.0.0.1', '--port', port, '--save', '', '--appendonly', 'no'],
    folder: await makeTemporaryFolder('redis', session.cleanup),
  });
  session.cleanup.add(() => service.kill());
  await service.started(async () => await redis('PING'), session.signal);
  const environment = {
    EXECUTIONS_MODE: 'queue',
    // A worker reads the credentials that the main has stored.
    N8N_ENCRYPTION_KEY: 'made-up-encryption-key',
    QUEUE_BULL_REDIS_HOST: '127.0.0.1',
    QUEUE_BULL_REDIS_PORT: port,
    ...(await startPostgres(session)),
  };
  return { environment, forget: async () => await redis('FLUSHALL') };
}
