/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { PROJECT_FOLDER, readManifest, readProjectFile } from '../tools/project';

const manifest = readManifest();

test('The package contains what n8n needs, README and licence, and nothing else', () => {
  const packed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: PROJECT_FOLDER,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{ files }] = JSON.parse(packed) as [{ files: Array<{ path: string }> }];
  const paths = files.map((file) => file.path);

  const inDist = paths.filter((file) => file.startsWith('dist/'));
  const others = paths.filter((file) => !inDist.includes(file)).sort();
  expect(others).toEqual(['LICENSE.md', 'README.md', 'index.js', 'package.json']);
  const icons = ['light', 'dark'].map((mode) => `dist/icons/messagingSend.${mode}.svg`);
  expect(inDist).toEqual(expect.arrayContaining([...manifest.n8n.nodes, ...manifest.n8n.credentials, ...icons]));
  const schemas = readdirSync(path.join(PROJECT_FOLDER, 'nodes'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /__schema__\/.+\.json$/.test(file))
    .map((file) => `dist/nodes/${file}`);
  expect(schemas).not.toEqual([]);
  expect(inDist).toEqual(expect.arrayContaining(schemas));
  const belongs = /^dist\/(nodes|credentials)\/.+\.js$|^dist\/nodes\/.+\.node\.json$|^dist\/icons\/[^/]+\.svg$/;
  expect(inDist.filter((file) => !belongs.test(file) && !schemas.includes(file))).toEqual([]);
});

test('npm pack in a fresh clone builds the package, and packs it', () => {
  const clone = mkdtempSync(path.join(tmpdir(), 'messaging-send-clone-'));
  const run = (command: string, ...args: string[]) => execFileSync(command, args, { cwd: clone, encoding: 'utf8' });
  run('git', 'clone', '--quiet', PROJECT_FOLDER, '.');
  symlinkSync(path.join(PROJECT_FOLDER, 'node_modules'), path.join(clone, 'node_modules'));
  run('npm', 'pack', '--silent');
  const [tarball = ''] = readdirSync(clone).filter((name) => name.endsWith('.tgz'));
  const loaded = [...manifest.n8n.nodes, ...manifest.n8n.credentials].map((file) => `package/${file}`);
  expect(run('tar', '-tzf', tarball).split('\n')).toEqual(expect.arrayContaining(loaded));
  rmSync(clone, { recursive: true });
}, 120_000);

test('The package brings no other packages along', () => {
  // The linter refuses `dependencies`; n8n drops these two when it installs a package.
  expect(manifest).not.toHaveProperty('optionalDependencies');
  expect(manifest).not.toHaveProperty('bundleDependencies');
});

test('index.js exports the classes that n8n loads', () => {
  const classes = createRequire(__filename)(PROJECT_FOLDER) as Record<string, unknown>;
  const loaded = [...manifest.n8n.nodes, ...manifest.n8n.credentials].map((file) => path.basename(file).split('.')[0]);
  expect(Object.keys(classes).sort()).toEqual(loaded.sort());
});

test('Links to the documentation lead to the homepage in package.json', () => {
  const codexes = manifest.n8n.nodes.map((file) => file.replace(/\.js$/, '.json'));
  for (const built of [...manifest.n8n.credentials, ...codexes].map(readProjectFile)) {
    expect(built).toContain(manifest.homepage);
    expect(built).not.toContain('homepage.invalid');
  }
});
