import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { PROJECT_FOLDER } from '../tools/project';
import type { LoadTask } from './loadWorker';
import { atMost, inTurn, type Measurements, median, type Series } from './measurements';
import type { Options } from './options';
import { askOnce } from './processes';

const OWN = 'n8n-nodes-messaging-send';

/** Packages that send messages to phone numbers; one that the registry does not have is left out. */
const PEERS = ['n8n-nodes-evolution-api', '@devlikeapro/n8n-nodes-waha'];

interface Packed {
  readonly name: string;
  /** In bytes. */
  readonly tarball: number;
  /** The files that n8n loads. */
  readonly files: readonly string[];
}

/** The size of the download, and the time to load the files that n8n loads. */
export async function weight({ rounds, log }: Options): Promise<Measurements> {
  const folder = await mkdtemp(join(tmpdir(), 'messaging-send-weight-'));
  try {
    const packages: Packed[] = [];
    for (const name of [OWN, ...PEERS]) {
      log(`Installing ${name}`);
      const packed = await install(name, join(folder, String(packages.length)));
      if (packed === null) log(`${name} is not in the registry`);
      else packages.push(packed);
    }
    const sizes = packages.map(({ name, tarball }): Series => ({
      case: 'tarball',
      contender: name,
      unit: 'KB',
      rounds: [tarball / 1024],
    }));
    const times = await inTurn(
      { case: 'to load', unit: 'ms' },
      packages.map(({ name, files }) => ({
        name,
        run: async () =>
          await askOnce<number>('loadWorker.ts', { files } satisfies LoadTask, {
            NODE_PATH: join(PROJECT_FOLDER, 'node_modules'),
          }),
      })),
      rounds,
      log,
    );
    const lightest = ([own, ...others]: readonly Series[], what: string) =>
      atMost(
        `${what}, over the lightest other`,
        median(own?.rounds ?? []) / Math.min(...others.map((each) => median(each.rounds))),
        1,
      );
    return {
      series: [...sizes, ...times],
      goals: [lightest(sizes, 'size of the tarball'), lightest(times, 'time to load')],
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @returns null if the registry does not have it */
async function install(name: string, folder: string): Promise<Packed | null> {
  await mkdir(folder);
  const npm = async (...args: string[]) => await promisify(execFile)('npm', args, { cwd: folder });
  try {
    await npm('pack', '--ignore-scripts', name === OWN ? PROJECT_FOLDER : name);
  } catch (error) {
    if (String(error).includes('E404')) return null;
    throw error;
  }
  const [tarball] = (await readdir(folder)).filter((file) => file.endsWith('.tgz'));
  if (tarball === undefined) throw new Error(`npm made no tarball of ${name}`);
  // n8n provides n8n-workflow, as in a real installation.
  await npm('install', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund', `./${tarball}`);
  const place = join(folder, 'node_modules', name);
  const { n8n } = JSON.parse(await readFile(join(place, 'package.json'), 'utf8')) as {
    n8n: { nodes: string[]; credentials: string[] };
  };
  const files = [...n8n.nodes, ...n8n.credentials].map((file) => join(place, file));
  return { name, tarball: (await stat(join(folder, tarball))).size, files };
}
