/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
/** `npm run bench [-- part…]`: measures, prints tables and writes the results in README.md. */
import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';

import { Argument, Command } from 'commander';
import n8nCore from 'n8n-core/package.json';

import { wholeNumber } from '../tools/cli/numbers';
import { runSession } from '../tools/cli/session';
import { bare } from './bare';
import { journal } from './journal';
import { limit } from './limit';
import { list } from './list';
import type { Row } from './measurements';

const PARTS = { bare, limit, list, journal };
const PAGE = join(import.meta.dirname, 'README.md');

const command = new Command('npm run bench --')
  .description('Measures what this node adds to the time that sending takes.')
  .addArgument(new Argument('[parts...]', 'all of them by default').choices(Object.keys(PARTS)))
  .option('--rounds <count>', 'how often each contender is measured', (text) => Math.max(1, wholeNumber(text)), 3)
  .option('--before <folder>', 'a built checkout to compare bare and journal with, too; writes no results')
  .parse();

// Each process listens for the end of the command.
process.setMaxListeners(0);
await runSession(async (session) => {
  const options = command.opts<{ rounds: number; before?: string }>();
  const chosen = command.args.length > 0 ? command.args : Object.keys(PARTS);
  for (const [part, measure] of Object.entries(PARTS).filter(([name]) => chosen.includes(name))) {
    session.say(`== ${part}`);
    const rows = await measure({ ...options, session });
    console.table(
      rows.map(({ what, unit, rounds, atMost }) => {
        const range = [Math.min(...rounds), Math.max(...rounds)].map(rounded);
        return { what, median: medianOf(rounds), ...(unit && { unit }), range, atMost };
      }),
    );
    if (options.before === undefined) await write(part, rows);
  }
  return 0;
});
// n8n's engine leaves timers running.
process.exit();

/** Replaces the line of one part in the results on the page. */
async function write(part: string, rows: readonly Row[]): Promise<void> {
  const machine = `${cpus().length} cores of ${cpus()[0]?.model.trim()}, Node ${process.versions.node}, n8n-core ${n8nCore.version}`;
  const figures = rows.map(({ what, unit = '', rounds, atMost }) => {
    const median = medianOf(rounds);
    const figure = `${median.toLocaleString('en')} ${unit}`.trim();
    // A figure that misses its goal is bold.
    const shown = median <= (atMost ?? Infinity) ? figure : `**${figure}**`;
    return `${what}: ${shown}${atMost === undefined ? '' : ` (≤\u00a0${atMost})`}`;
  });
  const line = `| \`${part}\` | ${figures.join('<br>')} | ${new Date().toISOString().slice(0, 10)}, ${machine} |`;
  const page = await readFile(PAGE, 'utf8');
  const old = new RegExp(`(?<=^## Results\n[^]*)^\\| \`${part}\` \\|.*$`, 'm');
  if (!old.test(page)) throw new Error(`${PAGE} has no results of ${part}`);
  await writeFile(
    PAGE,
    page.replace(old, () => line),
  );
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return rounded(((sorted[Math.ceil(middle) - 1] ?? NaN) + (sorted[Math.floor(middle)] ?? NaN)) / 2);
}

function rounded(value: number): number {
  return Number(value.toPrecision(value >= 100 ? 4 : 3));
}
