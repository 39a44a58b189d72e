import { Command, InvalidArgumentError, Option } from 'commander';

import { check } from './check';
import { FAULT, type Fault } from './faults';
import { LIMITER_KINDS, type LimiterKind } from './limiter';
import { completeOptions } from './options';
import { API_PREFIXES, type Sandbox, startSandbox } from './server';

/** The flags, as commander names them. */
interface Flags {
  port: number;
  host: string;
  key?: string[];
  credits: number;
  limit: number;
  window: number;
  limiter: LimiterKind;
  latency: number;
  fault?: Fault[];
  faultSeed: number;
}

const DEFAULTS = completeOptions();

const command = new Command('sandbox')
  .description('Runs the messaging API as a local server with an inbox page. No message leaves this machine.')
  .option('--port <number>', 'port to listen on, 0 for any free one', whole, 4010)
  .option('--host <address>', 'address to listen on', DEFAULTS.host)
  .option('--key <key>', `API key; repeat for more (default: "${DEFAULTS.keys.join()}")`, added<string>(String))
  .option('--credits <number>', 'credits of each key', whole, DEFAULTS.credits)
  .option('--limit <requests>', 'requests per window and key, 0 for no limit', whole, DEFAULTS.limit)
  .option('--window <seconds>', 'length of the window', whole, DEFAULTS.windowSeconds)
  .addOption(
    new Option('--limiter <kind>', 'how requests are counted').choices(LIMITER_KINDS).default(DEFAULTS.limiter),
  )
  .option('--latency <ms>', 'delay of every answer', whole, DEFAULTS.latencyMs)
  .option('--fault <json>', 'a fault, see sandbox/README.md; repeat for more', added(fault))
  .option('--fault-seed <number>', 'seed of faults with a probability', whole, DEFAULTS.faultSeed)
  .showSuggestionAfterError(false)
  .allowExcessArguments(false);

void main(command.parse().opts<Flags>());

async function main(flags: Flags): Promise<void> {
  const keys = flags.key ?? DEFAULTS.keys;
  try {
    const sandbox = await startSandbox({
      port: flags.port,
      host: flags.host,
      keys,
      credits: flags.credits,
      limit: flags.limit,
      windowSeconds: flags.window,
      limiter: flags.limiter,
      latencyMs: flags.latency,
      faults: flags.fault,
      faultSeed: flags.faultSeed,
    });
    announce(sandbox, keys);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void sandbox.close());
  } catch (error) {
    console.error(`error: ${reasonOf(error, flags)}`);
    process.exitCode = 1;
  }
}

function announce({ url }: Sandbox, keys: string[]): void {
  const [base, alternative] = API_PREFIXES;
  const lines = [
    'The sandbox is running. Press Ctrl-C to stop it.',
    `  base address         ${url}${base}`,
    `  alternative address  ${url}${alternative}`,
    ...keys.map((key) => `  API key              ${key}`),
    `  inbox                ${url}/`,
  ];
  console.log(lines.join('\n'));
}

function reasonOf(error: unknown, { host, port }: Flags): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && error.code === 'EADDRINUSE')
    return `port ${port} on ${host} is in use: choose another with --port`;
  return error.message;
}

function whole(value: string): number {
  if (!/^\d+$/.test(value)) throw new InvalidArgumentError('It must be a whole number, 0 or more.');
  return Number(value);
}

function fault(value: string): Fault {
  try {
    return check(FAULT, JSON.parse(value), 'fault');
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
  }
}

/** For a flag that can be repeated. */
function added<Value>(read: (value: string) => Value): (value: string, before: Value[] | undefined) => Value[] {
  return (value, before = []) => [...before, read(value)];
}
