import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';

import { chart, NEEDED } from './chart';
import { type Measurements, median } from './measurements';

const FILE = join(import.meta.dirname, 'results', 'latest.json');
const CHART = join(import.meta.dirname, '..', 'docs', 'speed.svg');

/** Packages whose versions a figure depends on. */
const PACKAGES = ['n8n-core', 'n8n-workflow', 'n8n-nodes-base'];

/** Prints the median, minimum and maximum of each series, and whether each goal is met, with its last figure. */
export async function print(name: string, { series, goals }: Measurements): Promise<void> {
  const before = (await results())[name]?.goals ?? [];
  console.log(`\n${name}`);
  console.table(
    series.map(({ case: what, contender, unit, rounds }) => ({
      case: what,
      contender,
      median: shown(median(rounds)),
      minimum: shown(Math.min(...rounds)),
      maximum: shown(Math.max(...rounds)),
      unit,
    })),
  );
  for (const { goal, measured, met } of goals) {
    const last = before.find((each) => each.goal === goal);
    console.log(
      `${met ? 'met   ' : 'MISSED'}  ${goal}; measured ${shown(measured)}${last === undefined ? '' : ` (last time ${shown(last.measured)})`}`,
    );
  }
  console.log('');
}

/** Writes the figures of one benchmark to the results, and keeps those of the others; draws the chart anew. */
export async function write(name: string, rounds: number, measurements: Measurements, seconds: number): Promise<void> {
  await mkdir(join(FILE, '..'), { recursive: true });
  const result = {
    measured_at: new Date().toISOString(),
    seconds: Math.round(seconds),
    rounds,
    ...(await environment()),
    ...measurements,
  };
  const all = { ...(await results()), [name]: result };
  await writeFile(FILE, `${JSON.stringify(all, null, 1)}\n`);
  if (NEEDED.every((each) => each in all)) await writeFile(CHART, chart(all));
}

/** The figures of earlier runs. */
async function results(): Promise<Record<string, Measurements | undefined>> {
  return JSON.parse(await readFile(FILE, 'utf8').catch(() => '{}')) as Record<string, Measurements | undefined>;
}

/** The machine and the versions that figures come from. */
async function environment(): Promise<object> {
  const versions = await Promise.all(
    PACKAGES.map(async (name) => {
      const manifest = JSON.parse(
        await readFile(createRequire(import.meta.url).resolve(`${name}/package.json`), 'utf8'),
      ) as {
        version: string;
      };
      return [name, manifest.version] as const;
    }),
  );
  return {
    machine: {
      processor: cpus()[0]?.model.trim(),
      cores: cpus().length,
      gigabytes: Math.round(totalmem() / 2 ** 30),
      platform: `${process.platform} ${process.arch}`,
    },
    versions: { node: process.versions.node, ...Object.fromEntries(versions) },
  };
}

function shown(value: number): number {
  return Number(value.toPrecision(value >= 100 ? 4 : 3));
}
