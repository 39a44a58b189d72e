import { execa } from 'execa';
import getPort from 'get-port';

import type { Closing } from '../../demo/closing';
import { DemoFailure } from '../../demo/failure';
import { startServer } from './server';
import { makeFolder } from './stage';

/** A running Redis that keeps nothing on disk. */
export interface Redis {
  /** n8n's settings for it. */
  environment: NodeJS.ProcessEnv;
  /** Forgets everything, as it would by a restart. */
  forget(): Promise<void>;
}

/** @param closing  takes its end */
export async function startRedis(closing: Closing): Promise<Redis> {
  const port = String(await getPort());
  const redis = async (command: string) => {
    const { stdout } = await execa('redis-cli', ['-h', '127.0.0.1', '-p', port, command]);
    if (!['PONG', 'OK'].includes(stdout)) throw new DemoFailure(`Redis answered ${stdout} to ${command}`);
  };
  const folder = await makeFolder(closing);
  await startServer({
    command: 'redis-server',
    args: ['--bind', '127.0.0.1', '--port', port, '--save', '', '--appendonly', 'no'],
    folder,
    endSignal: 'SIGKILL',
    ask: async () => await redis('PING'),
    closing,
  });
  return {
    environment: { QUEUE_BULL_REDIS_HOST: '127.0.0.1', QUEUE_BULL_REDIS_PORT: port },
    forget: async () => await redis('FLUSHALL'),
  };
}
