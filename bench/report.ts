/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';

import n8nCore from 'n8n-core/package.json';

import { median, type Row } from './measurements';

const PAGE = join(import.meta.dirname, 'README.md');

/** Prints the median, range and goal of each row. */
export function print(part: string, rows: readonly Row[]): void {
  console.log(`\n${part}`);
  console.table(
    rows.map(({ what, unit, rounds, atMost }) => {
      const range = [Math.min(...rounds), Math.max(...rounds)].map(rounded);
      return { what, median: rounded(median(rounds)), ...(unit && { unit }), range, atMost };
    }),
  );
}

/** Replaces the line of one part in the results on the page. */
export async function write(part: string, rows: readonly Row[]): Promise<void> {
  const machine = `${cpus().length} cores of ${cpus()[0]?.model.trim()}, Node ${process.versions.node}, n8n-core ${n8nCore.version}`;
  const line = [`\`${part}\``, rows.map(shown).join('<br>'), `${new Date().toISOString().slice(0, 10)}, ${machine}`];
  const page = await readFile(PAGE, 'utf8');
  const old = new RegExp(`(?<=^## Results\n[^]*)^\\| \`${part}\` \\|.*$`, 'm');
  if (!old.test(page)) throw new Error(`${PAGE} has no results of ${part}`);
  await writeFile(
    PAGE,
    page.replace(old, () => `| ${line.join(' | ')} |`),
  );
}

/** A figure that misses its goal is bold. */
function shown({ what, unit, rounds, atMost }: Row): string {
  const value = rounded(median(rounds));
  const figure = `${value.toLocaleString('en')} ${unit}`.trim();
  const goal = atMost === undefined ? '' : ` (≤\u00a0${atMost})`;
  return `${what}: ${value <= (atMost ?? Infinity) ? figure : `**${figure}**`}${goal}`;
}

function rounded(value: number): number {
  return Number(value.toPrecision(value >= 100 ? 4 : 3));
}
