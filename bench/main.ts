/** `npm run bench [-- name…]`: measures, prints tables and writes `bench/results/latest.json`. See README.md. */
import { Command, InvalidArgumentError } from 'commander';

import { bare } from './bare';
import { campaign } from './campaign';
import { floor } from './floor';
import { ledger } from './ledger';
import { limit } from './limit';
import type { Measurements } from './measurements';
import type { Options } from './options';
import { print, write } from './report';
import { scale } from './scale';
import { throughput } from './throughput';
import { weight } from './weight';
import { workers } from './workers';

const BENCHMARKS: Readonly<Record<string, (options: Options) => Promise<Measurements>>> = {
  throughput,
  bare,
  floor,
  limit,
  scale,
  weight,
  ledger,
  workers,
  campaign,
};

async function main(names: readonly string[], options: Options): Promise<void> {
  for (const name of names) {
    const benchmark = BENCHMARKS[name];
    if (benchmark === undefined) throw new Error(`there is no benchmark ${name}`);
    options.log(`== ${name}`);
    const started = performance.now();
    const measurements = await benchmark(options);
    await print(name, measurements);
    await write(name, options.rounds, measurements, (performance.now() - started) / 1000);
  }
}

const known = Object.keys(BENCHMARKS);
const command = new Command('npm run bench --')
  .description('Compares this node with what you would use without it.')
  .argument('[names...]', `${known.join(', ')}; all of them by default`, (name: string, before: string[] = []) => {
    if (known.includes(name)) return [...before, name];
    throw new InvalidArgumentError(`Use one of ${known.join(', ')}.`);
  })
  .option(
    '--rounds <count>',
    'how often each contender is measured',
    (text) => {
      if (/^[1-9]\d*$/.test(text)) return Number(text);
      throw new InvalidArgumentError('Use a whole number from 1.');
    },
    5,
  )
  .option('--before <tarball>', 'a packed package that ledger compares with')
  .parse();

const given = command.opts<Omit<Options, 'log'>>();
const chosen = (command.processedArgs[0] as string[] | undefined) ?? known;
main(chosen, { ...given, log: (line) => console.log(line) }).then(
  // n8n's engine leaves timers running.
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
