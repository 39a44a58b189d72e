import { readProjectFile } from '../project';

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

/** For bench/README.md, without what was not measured; a figure that misses its goal is bold. `http` is on another page. */
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
  const answers = Object.entries({
    'Memory for 100,000 messages, in MB': median('list', 'peak memory') * 100,
    'A webhook with one Send, if the service answers at once, in ms': median('webhook', 'one Send'),
  }).flatMap(([what, figure]) => (figure > 0 ? [[what, shown(Math.ceil(figure))]] : []));
  const results = `${machines.join(' ')}\n\n${table(['Part', 'Median (goal)'], rows)}`;
  return { answers: table(['Measured', 'Median'], answers), results };
}

export function speedParts(): Record<string, string> {
  const sizes = ['1,000 items', '10,000 items'];
  const rows = Object.entries({
    'Send Bulk': 'Send Bulk',
    'Loop Over Items, Aggregate, HTTP Request': 'HTTP Request in batches',
    'HTTP Request, one request per item': 'HTTP Request',
  }).map(([label, name]) => [label, ...sizes.map((size) => shown(median('http', `${name}, ${size}`)))]);
  return { speed: table(['Without a limit, items per second', ...sizes], rows) };
}

function median(part: string, what: string): number {
  return read()[part]?.rows.find((row) => row.what === what)?.median ?? NaN;
}

function read(): Readonly<Record<string, Part>> {
  return JSON.parse(readProjectFile('bench/results.json')) as Record<string, Part>;
}

function shown(value: number): string {
  return value.toLocaleString('en');
}

function table(header: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  return [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
