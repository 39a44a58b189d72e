import type { Reply } from '../api/reply';
import type { Wire } from '../delivery/deliver';
import type { SendOperation } from '../delivery/operation';
import type { DeliveryOptions } from '../delivery/options';
import { Pacers } from '../requests/pacer';
import { attempt, type Gate, spaced, Tally } from '../requests/requests';
import { waitUnless } from '../requests/wait';
import type { Account, Call } from './http';
import { accountId } from './http';

/** The service counts requests by the minute (API part 8). */
const WINDOW = 60_000;

const now = () => performance.now();

/** Shared by all nodes and executions of this process. */
const pacers = new Pacers(WINDOW, { now });

/** The gate that all requests of one run, or of one item, go through. */
export function gateFor(
  account: Account,
  signal: AbortSignal | undefined,
  { requestsPerMinute, longestWait }: Pick<DeliveryOptions, 'requestsPerMinute' | 'longestWait'>,
  interval = 0,
): Gate {
  const wait = waitUnless(signal);
  return {
    pacer: pacers.for(accountId(account)),
    limit: requestsPerMinute,
    longestWait,
    wait,
    now,
    random: Math.random,
    space: spaced(interval, now, wait),
    tally: new Tally(now),
  };
}

export function wireFor(call: Call, { path, body }: SendOperation, gate: Gate): Wire {
  return {
    send: async (messages, underWay) =>
      await attempt(async () => {
        const arrived = underWay();
        return await call('POST', path, body(messages)).finally(arrived);
      }, gate),
    balance: async () => await readBalance(call, gate),
  };
}

/** GET /user/balance (API 4.1). */
export async function readBalance(call: Call, gate: Gate): Promise<Reply> {
  return await attempt(async () => await call('GET', '/user/balance'), gate);
}
