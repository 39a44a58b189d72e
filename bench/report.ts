import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';

import n8nCore from 'n8n-core/package.json';

import { median, type Row } from './measurements';

const FILE = join(import.meta.dirname, 'results.json');

/** Prints the median, minimum and maximum of each row, and whether it meets its goal. */
export function print(part: string, rows: readonly Row[]): void {
  console.log(`\n${part}`);
  console.table(rows.map(summaryOf));
}

/** Writes the rows of one part to the results, and keeps those of the others; `npm run docs` makes tables of them. */
export async function write(part: string, rows: readonly Row[]): Promise<void> {
  const results = JSON.parse(await readFile(FILE, 'utf8')) as object;
  const machine = `${cpus().length} cores of ${cpus()[0]?.model.trim()}, Node ${process.versions.node}, n8n-core ${n8nCore.version}`;
  const result = { measured: new Date().toISOString().slice(0, 10), machine, rows: rows.map(summaryOf) };
  await writeFile(FILE, `${JSON.stringify({ ...results, [part]: result }, null, 2)}\n`);
}

function summaryOf({ what, unit, rounds, atMost }: Row) {
  const figure = median(rounds);
  return {
    what,
    median: shown(figure),
    unit,
    minimum: shown(Math.min(...rounds)),
    maximum: shown(Math.max(...rounds)),
    ...(atMost !== undefined && { atMost, met: figure <= atMost }),
  };
}

function shown(value: number): number {
  return Number(value.toPrecision(value >= 100 ? 4 : 3));
}
