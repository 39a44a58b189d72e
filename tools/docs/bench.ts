import { readProjectFile } from '../project';
import { table } from './table';

/** A part of the benchmark, as bench/report.ts writes it. */
interface Part {
  readonly measured: string;
  readonly machine: string;
  readonly rows: ReadonlyArray<{
    readonly what: string;
    readonly median: number;
    readonly unit: string;
    readonly goal?: string;
    readonly met?: boolean;
  }>;
}

/** The table of bench/README.md. */
export function benchParts(): Record<string, string> {
  const parts = Object.entries(read());
  const rows = parts.flatMap(([part, { rows: own }]) =>
    own.map(({ what, median, unit, goal = '', met = true }) => {
      const figure = `${shown(median)} ${unit}`.trim();
      return [`\`${part}\``, what, met ? figure : `**${figure}**`, goal];
    }),
  );
  const machines = [...new Set(parts.map(([, { measured, machine }]) => `Measured on ${measured}, ${machine}.`))];
  return { results: `${machines.join(' ')}\n\n${table(['Part', 'What', 'Measured', 'Goal'], rows)}` };
}

/** The table of docs/from-http-request.md. */
export function speedParts(): Record<string, string> {
  const sizes = ['1,000 items', '10,000 items'];
  const contenders = ['Send Bulk', 'Loop Over Items, Aggregate, HTTP Request', 'HTTP Request, one request per item'];
  const rows = read().http?.rows ?? [];
  const figure = (what: string) => shown(rows.find((row) => row.what === what)?.median ?? NaN);
  return {
    speed: table(
      ['Without a limit, items per second', ...sizes],
      contenders.map((contender) => [contender, ...sizes.map((size) => figure(`${contender}, ${size}`))]),
    ),
  };
}

function read(): Readonly<Record<string, Part>> {
  return JSON.parse(readProjectFile('bench/results.json')) as Record<string, Part>;
}

function shown(value: number): string {
  return value.toLocaleString('en');
}
