import { contentProblems, type Manifest } from '../../release/contents';

const MANIFEST: Manifest = {
  name: 'n8n-nodes-made-up',
  version: '1.2.3',
  homepage: 'https://example.com',
  main: 'index.js',
  repository: { url: '' },
  n8n: { nodes: ['dist/nodes/A/A.node.js'], credentials: ['dist/credentials/B.credentials.js'] },
};
const FILES: Record<string, string> = {
  'CHANGELOG.md': '',
  'LICENSE.md': '',
  'README.md': '',
  'index.js': "require('./dist/nodes/A/A.node.js');",
  'package.json': '{}',
  'dist/nodes/A/A.node.js':
    'require("n8n-workflow"); require("./api/call"); icon = { light: \'file:../../icons/a.svg\' };',
  'dist/nodes/A/A.node.json': '{}',
  'dist/nodes/A/api/call.js': 'require("node:crypto");',
  'dist/credentials/B.credentials.js': 'icon = "file:../icons/a.svg";',
  'dist/icons/a.svg': '<svg/>',
};
const problemsOf = (files: Record<string, string | undefined>, manifest: Partial<Manifest> = {}) => {
  const present = Object.entries({ ...FILES, ...files }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return contentProblems(new Map(present), { ...MANIFEST, ...manifest });
};

test('a package as it should be has no problem', () => expect(problemsOf({})).toEqual([]));

test.each<[string, Record<string, string | undefined>, string]>([
  ['a node that is not built', { 'dist/nodes/A/A.node.js': undefined }, 'dist/nodes/A/A.node.js is missing'],
  ['a credential that is not built', { 'dist/credentials/B.credentials.js': undefined }, 'B.credentials.js is missing'],
  ['no licence', { 'LICENSE.md': undefined }, 'LICENSE.md is missing'],
  ['a TypeScript source', { 'dist/nodes/A/A.node.ts': '' }, 'A.node.ts does not belong'],
  ['a source map', { 'dist/nodes/A/A.node.js.map': '' }, 'A.node.js.map does not belong'],
  ['a test', { 'dist/test/a.test.js': '' }, 'a.test.js does not belong'],
  ['the sandbox', { 'sandbox/server.js': '' }, 'sandbox/server.js does not belong'],
  ['a secret', { '.env': '' }, '.env does not belong'],
  ['a picture of the README', { 'docs/node.png': '' }, 'docs/node.png does not belong'],
  ['a package that n8n does not give', { 'dist/nodes/A/api/call.js': 'require("axios")' }, 'needs axios'],
  ['a file that was left out', { 'dist/nodes/A/api/call.js': undefined }, 'needs ./api/call'],
  ['an icon that was left out', { 'dist/icons/a.svg': undefined }, 'shows dist/icons/a.svg'],
  ['a link that was not filled in', { 'dist/nodes/A/A.node.json': 'https://homepage.invalid/' }, 'homepage.invalid'],
  ['the name of a source map', { 'index.js': '//# sourceMappingURL=index.js.map' }, 'names a source map'],
])('%s is found', (_name, files, said) => expect(problemsOf(files).join()).toContain(said));

test.each<[string, Partial<Manifest>, string]>([
  ['a dependency', { dependencies: { axios: '1' } }, 'depends on axios'],
  ['an optional dependency', { optionalDependencies: { axios: '1' } }, 'depends on axios'],
  ['bundled dependencies', { bundleDependencies: true }, 'bundled'],
  ['a script that runs where it is installed', { scripts: { postinstall: 'x' } }, 'postinstall'],
])('%s is found', (_name, manifest, said) => expect(problemsOf({}, manifest).join()).toContain(said));
