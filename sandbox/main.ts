/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { Command, InvalidArgumentError } from 'commander';

import { messageOf } from '../tools/cli/errors';
import { wholeNumber } from '../tools/cli/numbers';
import { runSession, untilStopped } from '../tools/cli/session';
import { check } from './check';
import { FAULT, type Fault } from './faults';
import { OPTIONS, type SandboxOptions as Options } from './options';
import { startSandbox } from './server';

const DEFAULTS = OPTIONS.parse({});

const {
  key: keys,
  window,
  latency,
  fault: faults,
  ...others
} = new Command('npm run sandbox --')
  .description('Runs the messaging API as a local server with an inbox page. No message leaves this machine.')
  .option('--port <number>', 'port to listen on, 0 for any free one', wholeNumber, 4010)
  .option('--host <address>', 'address to listen on', DEFAULTS.host)
  .option('--key <keys...>', 'API keys, each with its own balance and limit', DEFAULTS.keys)
  .option('--credits <number>', 'credits of each key', wholeNumber, DEFAULTS.credits)
  .option('--limit <requests>', 'requests per window and key, 0 for no limit', wholeNumber, DEFAULTS.limit)
  .option('--window <seconds>', 'length of the window', wholeNumber, DEFAULTS.windowSeconds)
  .option('--latency <ms>', 'delay of every answer', wholeNumber, DEFAULTS.latencyMs)
  .option('--fault <json...>', 'faults, see sandbox/README.md', readFault)
  .allowExcessArguments(false)
  .parse()
  .opts<
    Pick<Options, 'port' | 'host' | 'credits' | 'limit'> & {
      key: string[];
      window: number;
      latency: number;
      fault?: Fault[];
    }
  >();

void runSession(async ({ cleanup, signal, say }) => {
  const sandbox = await startSandbox({ ...others, keys, windowSeconds: window, latencyMs: latency, faults });
  cleanup.add(() => sandbox.close());
  const lines = [
    'The sandbox is running. Press Ctrl-C to stop it.',
    `  base address  ${sandbox.url}/v1`,
    `  base address  ${sandbox.url}/api/v1`,
    ...keys.map((key) => `  API key       ${key}`),
    `  inbox         ${sandbox.url}/`,
  ];
  say(lines.join('\n'));
  await untilStopped(signal);
  return 0;
});

function readFault(value: string, before: Fault[] = []): Fault[] {
  try {
    return [...before, check(FAULT, JSON.parse(value))];
  } catch (error) {
    throw new InvalidArgumentError(messageOf(error));
  }
}
