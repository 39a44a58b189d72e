import { type Account, accountId } from '../api/account';
import type { Call } from '../api/call';
import { Pacers } from '../requests/pacer';
import { type RequestLimits, Requests, SYSTEM_CLOCK } from '../requests/requests';

/** The service counts requests by the minute (API part 8). */
const WINDOW = 60_000;

/** Shared by all nodes and executions of this process. */
const pacers = new Pacers(WINDOW, SYSTEM_CLOCK);

/** The requests of one run, which share the limit of their key with all other runs of this process. */
export function requestsOf(
  account: Account,
  call: Call,
  limits: RequestLimits,
  signal: AbortSignal | undefined,
): Requests {
  return new Requests({ call, pacer: pacers.for(accountId(account)), limits, signal, clock: SYSTEM_CLOCK });
}
