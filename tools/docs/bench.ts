import { readProjectFile } from '../project';
import { table } from './table';

/** A part of the benchmark, as bench/report.ts writes it. */
interface Part {
  readonly measured: string;
  readonly machine: string;
  readonly rows: ReadonlyArray<{
    readonly what: string;
    readonly median: number;
    readonly unit?: string;
    readonly atMost?: number;
  }>;
}

/** The table in bench/README.md, missed goals in bold; docs/from-http-request.md has the one of `http`. */
export function benchParts(): Record<string, string> {
  const parts = Object.entries(read()).filter(([name]) => name !== 'http');
  const figures = ({ rows }: Part) =>
    rows.map(({ what, median, unit = '', atMost }) => {
      const figure = `${shown(median)} ${unit}`.trim();
      const goal = atMost === undefined ? '' : ` (≤\u00a0${atMost})`;
      return `${what}: ${median <= (atMost ?? Infinity) ? figure : `**${figure}**`}${goal}`;
    });
  const machines = [...new Set(parts.map(([, { measured, machine }]) => `Measured on ${measured}, ${machine}.`))];
  const rows = parts.map(([name, part]) => [`\`${name}\``, figures(part).join('<br>')]);
  return { results: `${machines.join(' ')}\n\n${table(['Part', 'Median (goal)'], rows)}` };
}

export function speedParts(): Record<string, string> {
  const sizes = ['1,000 items', '10,000 items'];
  const contenders = {
    'Send Bulk': 'Send Bulk',
    'Loop Over Items, Aggregate, HTTP Request': 'HTTP Request in batches',
    'HTTP Request, one request per item': 'HTTP Request',
  };
  const measured = read().http?.rows ?? [];
  const figure = (what: string) => shown(measured.find((row) => row.what === what)?.median ?? NaN);
  const rows = Object.entries(contenders).map(([label, name]) => [
    label,
    ...sizes.map((size) => figure(`${name}, ${size}`)),
  ]);
  return { speed: table(['Without a limit, items per second', ...sizes], rows) };
}

function read(): Readonly<Record<string, Part>> {
  return JSON.parse(readProjectFile('bench/results.json')) as Record<string, Part>;
}

function shown(value: number): string {
  return value.toLocaleString('en');
}
