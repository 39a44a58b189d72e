import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

import { parse } from 'yaml';
import { z } from 'zod';

import { PROJECT_FOLDER, readProjectFile } from '../../tools/project';

/** Checks what GitHub and editors read of this repository, as far as their documentation has rules. */

const FORMS = '.github/ISSUE_TEMPLATE';

const TEXT = z.string().min(1);
const QUESTION = {
  id: z.string().regex(/^[a-z0-9_-]+$/),
  validations: z.strictObject({ required: z.boolean() }).optional(),
};
const ABOUT = { label: TEXT, description: TEXT.optional() };
const FREE = { ...ABOUT, placeholder: TEXT.optional(), value: TEXT.optional() };

/** GitHub's syntax for issue forms. */
const FORM = z.strictObject({
  name: TEXT,
  description: TEXT,
  labels: z.array(TEXT),
  body: z.array(
    z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('markdown'), attributes: z.strictObject({ value: TEXT }) }),
      z.strictObject({ type: z.literal('input'), ...QUESTION, attributes: z.strictObject(FREE) }),
      z.strictObject({
        type: z.literal('textarea'),
        ...QUESTION,
        attributes: z.strictObject({ ...FREE, render: TEXT.optional() }),
      }),
      z.strictObject({
        type: z.literal('dropdown'),
        ...QUESTION,
        attributes: z.strictObject({ ...ABOUT, options: z.array(TEXT).min(1) }),
      }),
      z.strictObject({
        type: z.literal('checkboxes'),
        ...QUESTION,
        attributes: z.strictObject({
          ...ABOUT,
          options: z.array(z.strictObject({ label: TEXT, required: z.boolean().optional() })).min(1),
        }),
      }),
    ]),
  ),
});

const forms = readdirSync(path.join(PROJECT_FOLDER, FORMS)).filter((file) => file !== 'config.yml');

test.each(forms)('The issue form %s is one that GitHub shows', (file) => {
  const form = FORM.parse(parse(readProjectFile(`${FORMS}/${file}`)));
  const ids = form.body.flatMap((part) => ('id' in part ? part.id : []));
  expect(new Set(ids).size).toBe(ids.length);
});

test('A report of a bug asks for both versions and the error, and for no key or number', () => {
  const { body } = FORM.parse(parse(readProjectFile(`${FORMS}/bug.yml`)));
  expect(body.flatMap((part) => ('id' in part ? part.id : []))).toEqual(
    expect.arrayContaining(['package', 'n8n', 'error', 'secrets']),
  );
  expect(body[0]?.type === 'markdown' && body[0].attributes.value).toMatch(/no API key, no phone number/);
});

test('The dev container has a Node that changes are tested on, and installs what the tests need', () => {
  const container = JSON.parse(readProjectFile('.devcontainer/devcontainer.json')) as Record<string, string>;
  const { jobs } = parse(readProjectFile('.github/workflows/ci.yml')) as {
    jobs: { test: { strategy: { matrix: { node: number[] } } } };
  };
  const node = Number(/typescript-node:(\d+)-/.exec(container.image ?? '')?.[1]);
  expect(jobs.test.strategy.matrix.node).toContain(node);
  expect(container.postCreateCommand).toBe('npm ci');
});

test('The files that GitHub offers to contributors are where it looks for them', () => {
  for (const file of ['CODE_OF_CONDUCT.md', 'CONTRIBUTING.md', 'SECURITY.md', '.github/pull_request_template.md'])
    expect(existsSync(path.join(PROJECT_FOLDER, file))).toBe(true);
});
