import { execFileSync } from 'node:child_process';

import { parse } from 'yaml';

import {
  CREDENTIAL_EXPRESSION_FAILED,
  RECOVERED_SIGN,
  SEEN_IN,
} from '../../nodes/MessagingSend/n8n/memory/assumptions';
import { PROJECT_FOLDER, readProjectFile } from '../../tools/project';
import { FILES, table } from './pages';

const tested = table('docs/reference.md', 'compatibility', 'Tested').rows.map(([first]) => first?.text ?? '');

test('The reference names the releases that the tests in real n8n run on, with their Node', () => {
  // The list is in a folder of ES modules, which Jest does not load.
  const ask =
    "import { NODE_VERSION, SUPPORTED } from './tools/n8n/releases.ts'; console.log(NODE_VERSION, ...SUPPORTED)";
  const [node = '', ...supported] = execFileSync(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '--eval', ask],
    { cwd: PROJECT_FOLDER, encoding: 'utf8' },
  )
    .trim()
    .split(' ');
  const releases = supported.map((version) => `n8n ${version} on Node ${node.split('.')[0]}`);
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

describe('What the node relies on in n8n without a promise', () => {
  const FOLDER = 'nodes/MessagingSend/n8n/';
  const text = readProjectFile(`${FOLDER}memory/assumptions.ts`);

  test('was seen in the releases that the README names', () => {
    expect(tested.filter((cell) => /^n8n \d/.test(cell)).map((cell) => cell.split(' ')[1])).toEqual([...SEEN_IN]);
  });

  test('is used by files that exist', () => {
    const rows = text.split('\n').filter((line) => line.startsWith(' * | '));
    const users = rows.slice(2).map((row) => [...(row.split(' | ')[1] ?? '').matchAll(/`([^`]+\.ts)`/g)]);
    expect(users.length).toBeGreaterThan(10);
    const files = users.flatMap((names) => names.map(([, name]) => `${FOLDER}${name}`));
    expect(files.filter((file) => !FILES.includes(file))).toEqual([]);
  });

  test.each([
    'checkProcessedAndRecord',
    'removeProcessed',
    'getContext(',
    'resumeUrl',
    RECOVERED_SIGN,
    '$rawParameter',
    'rawExpressions',
    'credentialsDecrypted',
    'putExecutionToWait',
    CREDENTIAL_EXPRESSION_FAILED,
  ])('%s is touched only in n8n/', (name) => {
    const all = FILES.filter((file) => /^(nodes|credentials)\/.*\.ts$/.test(file));
    const users = all.filter((file) => readProjectFile(file).includes(name));
    expect(users.length).toBeGreaterThan(0);
    expect(users.filter((file) => !file.startsWith(FOLDER))).toEqual([]);
  });
});
