import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { contentProblems } from '../release/contents';
import { readManifest } from '../release/project';
import { filesLinkedFrom } from '../release/readmeLinks';
import { PROJECT_FOLDER, readProjectFile } from '../tools/project';

const manifest = readManifest();

test('the package holds what n8n needs, README, licence and changelog, and nothing else', () => {
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: PROJECT_FOLDER,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  ) as Array<{ files: Array<{ path: string }> }>;
  const files = packed?.files.map(
    (file) => [file.path, readFileSync(path.join(PROJECT_FOLDER, file.path), 'utf8')] as const,
  );

  expect(contentProblems(new Map(files), manifest)).toEqual([]);
});

test('index.js gives the classes that n8n loads', () => {
  const classes = require(PROJECT_FOLDER) as Record<string, unknown>;
  const loaded = [...manifest.n8n.nodes, ...manifest.n8n.credentials].map((file) => path.basename(file).split('.')[0]);
  expect(Object.keys(classes).sort()).toEqual(loaded.sort());
});

test('links to the documentation lead to the homepage in package.json', () => {
  const codexes = manifest.n8n.nodes.map((file) => file.replace(/\.js$/, '.json'));
  for (const built of [...manifest.n8n.credentials, ...codexes].map(readProjectFile)) {
    expect(built).toContain(manifest.homepage);
    expect(built).not.toContain('homepage.invalid');
  }
});

test('the README’s links and pictures lead npm’s page to files that are there', () => {
  expect(manifest.repository.url).toMatch(/^git\+https:\/\/github\.com\/[^/]+\/[^/]+\.git$/);
  const linked = filesLinkedFrom(readProjectFile('README.md'));
  expect(linked).toContain('docs/node.png');
  for (const file of linked) expect(readFileSync(path.join(PROJECT_FOLDER, file)).length).toBeGreaterThan(0);
});

test('links to a file are told from those within the page and to elsewhere', () => {
  const text =
    '[a](#a) [b](https://example.com) ![c](docs/c.png) [d](examples/README.md#part) [e](mailto:e@example.com)';
  expect(filesLinkedFrom(text)).toEqual(['docs/c.png', 'examples/README.md']);
});

test('icons are light and dark', () => {
  for (const icon of ['dist/icons/messagingSend.light.svg', 'dist/icons/messagingSend.dark.svg'])
    expect(readProjectFile(icon)).toContain('<svg');
});
