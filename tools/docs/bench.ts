import { type Goal, type Measurements, median } from '../../bench/measurements';
import { readProjectFile } from '../project';
import { table } from './table';

const PER_ITEM = 'HTTP Request, one request per item';
const WITH = 'with the ledger over the same without it';
const MESSAGES = '100,000 messages';

/** One part of the benchmark, as bench/report.ts writes it. */
interface Result extends Measurements {
  readonly machine: { readonly processor: string; readonly cores: number };
  readonly versions: Readonly<Record<string, string>>;
}
type Results = Readonly<Record<string, Result>>;

/** Goals that the table leaves out while they are met: the others of their part say the same. */
const LEFT_OUT: Readonly<Record<string, RegExp>> = {
  throughput: /, (100|10,000) items/,
  limit: /429s|61 batches/,
};

/** Figures without a goal that a page quotes, or that show what a ratio is made of. */
const FIGURES: ReadonlyArray<{ part: string; what: string; of: string; in: string; unit: string }> = [
  { part: 'throughput', what: 'Send Bulk', of: 'Send Bulk', in: '1,000 items', unit: 'items/s' },
  { part: 'throughput', what: 'Send', of: 'Send', in: '1,000 items', unit: 'items/s' },
  { part: 'throughput', what: 'HTTP Request', of: PER_ITEM, in: '1,000 items', unit: 'items/s' },
  { part: 'scale', what: 'peak memory of 200,000', of: 'Send Bulk, peak memory', in: '200,000 items', unit: 'KB/item' },
  {
    part: 'scale',
    what: 'of it, held by n8n',
    of: 'the same items, held by n8n',
    in: '200,000 items',
    unit: 'KB/item',
  },
  {
    part: 'ledger',
    what: 'with over without, 1,000, answers after 50 ms',
    of: WITH,
    in: 'Send Bulk of 1,000, answers after 50 ms',
    unit: '',
  },
  {
    part: 'ledger',
    what: 'with over without, 1,000, full row',
    of: WITH,
    in: 'Send Bulk of 1,000, full row',
    unit: '',
  },
  {
    part: 'workers',
    what: 'orders sent twice',
    of: 'Send Once, Also in Later Runs',
    in: 'message sent twice',
    unit: '',
  },
  { part: 'campaign', what: 'time', of: MESSAGES, in: 'the same, over the least possible', unit: 'times the least' },
  { part: 'campaign', what: 'uncertain', of: MESSAGES, in: 'reported as uncertain', unit: 'messages' },
];

/** The table of bench/README.md: what was measured last, beside the goals. */
export function benchParts(): Record<string, string> {
  const results = read();
  const goals = Object.values(results).flatMap((measured) => measured.goals);
  const rows = Object.entries(results).flatMap(([part, { goals: own }]) => [
    ...FIGURES.filter((each) => each.part === part).map((each) => [
      `\`${part}\``,
      each.what,
      `${shown(figure(results, part, each.in, each.of))} ${each.unit}`.trim(),
    ]),
    ...own.filter(({ goal, met }) => !met || LEFT_OUT[part]?.test(goal) !== true).map((goal) => goalRow(part, goal)),
  ]);
  const met = `${goals.filter((goal) => goal.met).length} of ${goals.length} goals are met; the others are bold.`;
  return { results: `${machineOf(results)} ${met}\n\n${table(['Part', 'What', 'Measured (goal)'], rows)}` };
}

function machineOf(results: Results): string {
  const all = Object.values(results).map(
    ({ machine, versions }) =>
      `${machine.cores} cores of ${machine.processor}, Node ${versions.node}, n8n-core ${versions['n8n-core']}.`,
  );
  return [...new Set(all)].join(' ');
}

/** The table of docs/from-http-request.md. */
export function speedParts(): Record<string, string> {
  const results = read();
  const sizes = ['1,000 items', '10,000 items'];
  const contenders = ['Send Bulk', 'Loop Over Items, Aggregate, HTTP Request', PER_ITEM];
  const rows = contenders.map((contender) => [
    contender,
    ...sizes.map((size) => shown(figure(results, 'throughput', size, contender))),
  ]);
  return { speed: table(['Without a limit, items per second', ...sizes], rows) };
}

function read(): Results {
  return JSON.parse(readProjectFile('bench/results/latest.json')) as Results;
}

function figure(results: Results, part: string, what: string, contender: string): number {
  const series = results[part]?.series.find((each) => each.case === what && each.contender === contender);
  if (series === undefined) throw new Error(`${part} has no figure of ${contender} for ${what}`);
  return median(series.rounds);
}

function goalRow(part: string, { goal, measured, met }: Goal): string[] {
  const [, what = goal, bound, limit] = /^(.*): at (most|least) (.*)$/.exec(goal) ?? [];
  const value = met ? shown(measured) : `**${shown(measured)}**`;
  return [`\`${part}\``, what, `${value} (${bound === 'least' ? '≥' : '≤'}\u00a0${limit})`];
}

function shown(value: number): string {
  return Number(value.toPrecision(value >= 100 ? 4 : 3)).toLocaleString('en');
}
