import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const ROOT = resolve(__dirname, '..');
const read = (file: string) => readFileSync(resolve(ROOT, file), 'utf8');
const manifest = JSON.parse(read('package.json')) as {
  homepage: string;
  dependencies?: unknown;
  n8n: { nodes: string[]; credentials: string[] };
};

test('the package holds what n8n needs, README, licence and changelog, and nothing else', () => {
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  ) as Array<{ files: Array<{ path: string }> }>;
  const files = packed?.files.map(({ path }) => path) ?? [];

  expect(files.filter((path) => !path.startsWith('dist/')).sort()).toEqual(['CHANGELOG.md', 'LICENSE.md', 'README.md', 'index.js', 'package.json']);
  expect(files.filter((path) => !/\.(js|svg)$|\.node\.json$/.test(path) && path.startsWith('dist/'))).toEqual([]);
  expect(files).toEqual(expect.arrayContaining([...manifest.n8n.nodes, ...manifest.n8n.credentials]));
});

test('the package brings no dependency of its own', () => {
  expect(manifest.dependencies).toBeUndefined();
});

test('index.js gives the classes that n8n loads', () => {
  const classes = require(ROOT) as Record<string, unknown>;
  expect(Object.keys(classes)).toEqual(['MessagingSend', 'MessagingSendTrigger', 'MessagingSendApi']);
});

test('links to the documentation lead to the homepage in package.json', () => {
  const codices = manifest.n8n.nodes.map((file) => file.replace(/js$/, 'json'));
  for (const built of [...manifest.n8n.credentials, ...codices].map(read)) {
    expect(built).toContain(manifest.homepage);
    expect(built).not.toContain('homepage.invalid');
  }
});

test('icons are named in the node and in the credential, light and dark', () => {
  for (const icon of ['dist/icons/messagingSend.light.svg', 'dist/icons/messagingSend.dark.svg']) expect(read(icon)).toContain('<svg');
});
