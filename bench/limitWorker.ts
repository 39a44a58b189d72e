import { contacts, messagingSend, timeOf } from './contenders';
import { answer } from './processes';
import { RemoteSandbox } from './sandbox';

export interface LimitTask {
  readonly folder: string;
  readonly count: number;
  readonly warmUpUrl: string;
  readonly url: string;
}

/** Sends to this many contacts with the node's default limit; reports the time in milliseconds. */
await answer(async ({ folder, count, warmUpUrl, url }: LimitTask) => {
  const step = await messagingSend('sendBulk', folder, { options: {} });
  await timeOf([step], contacts(100), new RemoteSandbox(warmUpUrl));
  return await timeOf([step], contacts(count), new RemoteSandbox(url));
});
process.exit();
