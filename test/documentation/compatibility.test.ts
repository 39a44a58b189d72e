import { execFileSync } from 'node:child_process';

import { parse } from 'yaml';

import { PROJECT_FOLDER, readProjectFile } from '../../tools/project';
import { table } from './pages';

const tested = table('docs/reference.md', 'compatibility', 'Tested').rows.map(([first]) => first?.text ?? '');

test('The reference names the releases that the tests in real n8n run on, with their Node', () => {
  // The table is in a folder of ES modules, which Jest does not load.
  const ask =
    "import { releaseOf, SUPPORTED } from './tools/n8n/releases.ts'; console.log(JSON.stringify(SUPPORTED.map(releaseOf)))";
  const supported = execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', ask], {
    cwd: PROJECT_FOLDER,
    encoding: 'utf8',
  });
  const releases = (JSON.parse(supported) as Array<{ version: string; node: string }>).map(
    ({ version, node }) => `n8n ${version} on Node ${node.split('.')[0]}`,
  );
  expect(tested.filter((text) => /^n8n \d/.test(text))).toEqual(releases);
});

test('The reference names the tested engine, with the versions of Node of the workflow for changes', () => {
  const engine = (JSON.parse(readProjectFile('node_modules/n8n-core/package.json')) as { version: string }).version;
  const { jobs } = parse(readProjectFile('.github/workflows/ci.yml')) as {
    jobs: Record<string, { strategy?: { matrix?: { node?: number[] } } }>;
  };
  const nodes = Object.values(jobs)
    .flatMap(({ strategy }) => strategy?.matrix?.node ?? [])
    .map(String);
  expect(tested).toContain(`n8n's engine ${engine} on Node ${nodes.slice(0, -1).join(', ')} and ${nodes.at(-1)}`);
});
