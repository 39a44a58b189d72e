import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';

import n8nCore from 'n8n-core/package.json';
import { format } from 'prettier';

import { median, type Row } from './measurements';

const FILE = join(import.meta.dirname, 'results.json');

/** Prints the median, range and goal of each row. */
export function print(part: string, rows: readonly Row[]): void {
  console.log(`\n${part}`);
  console.table(rows.map(summaryOf));
}

/** Writes the rows of one part to the results, and keeps those of the others; `npm run docs` makes tables of them. */
export async function write(part: string, rows: readonly Row[]): Promise<void> {
  const results = JSON.parse(await readFile(FILE, 'utf8')) as object;
  const machine = `${cpus().length} cores of ${cpus()[0]?.model.trim()}, Node ${process.versions.node}, n8n-core ${n8nCore.version}`;
  const result = { measured: new Date().toISOString().slice(0, 10), machine, rows: rows.map(summaryOf) };
  await writeFile(
    FILE,
    await format(JSON.stringify({ ...results, [part]: result }), { parser: 'json', printWidth: 120 }),
  );
}

function summaryOf({ what, unit, rounds, atMost }: Row) {
  const range = [Math.min(...rounds), Math.max(...rounds)].map(shown);
  return { what, median: shown(median(rounds)), ...(unit && { unit }), range, atMost };
}

function shown(value: number): number {
  return Number(value.toPrecision(value >= 100 ? 4 : 3));
}
