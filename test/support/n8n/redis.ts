import { execa } from 'execa';
import getPort from 'get-port';

import { ExpectedError } from '../../../tools/cli/errors';
import { Service } from '../../../tools/cli/service';
import { type Session } from '../../../tools/cli/session';
import { makeTemporaryFolder } from '../../../tools/cli/temporaryFolder';

/** A running Redis that keeps nothing on disk. */
export interface Redis {
  /** n8n's settings for it. */
  environment: NodeJS.ProcessEnv;
  /** Forgets everything, as after a restart. */
  forget(): Promise<unknown>;
}

/** Starts a Redis of the tests' own. */
export async function startRedis(session: Session): Promise<Redis> {
  const port = String(await getPort());
  const redis = async (command: string) => {
    const { stdout } = await execa('redis-cli', ['-h', '127.0.0.1', '-p', port, command]);
    if (!['PONG', 'OK'].includes(stdout)) throw new ExpectedError(`Redis answered ${stdout} to ${command}`);
    return stdout;
  };
  const folder = await makeTemporaryFolder('redis', session.cleanup);
  const service = new Service({
    name: 'redis',
    file: 'redis-server',
    args: ['--bind', '127.0.0.1', '--port', port, '--save', '', '--appendonly', 'no'],
    folder,
  });
  session.cleanup.add(() => service.kill());
  await service.started(async () => await redis('PING'), session.signal);
  return {
    environment: { QUEUE_BULL_REDIS_HOST: '127.0.0.1', QUEUE_BULL_REDIS_PORT: port },
    forget: async () => await redis('FLUSHALL'),
  };
}
