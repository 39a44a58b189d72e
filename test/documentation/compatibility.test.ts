import { CREDENTIAL_EXPRESSION_FAILED, RECOVERED_SIGN } from '../../nodes/MessagingSend/n8n/assumptions';
import { readProjectFile } from '../../tools/project';
import { FILES, table } from './pages';

const tested = table('docs/reference.md', 'compatibility', 'Tested').rows.map(([first]) => first?.text ?? '');

test('The reference names the releases that the tests in real n8n run on, with their Node', () => {
  // They are in a folder of ES modules, which Jest does not load.
  const code = readProjectFile('tools/n8n/releases.ts');
  const [node = '', ...supported] = ['NODE_VERSION', 'CURRENT', 'OLDEST'].map(
    (name) => new RegExp(`const ${name} = '(.+)'`).exec(code)?.[1],
  );
  const releases = supported.map((version) => `n8n ${version} on Node ${node.split('.')[0]}`);
  expect(tested.filter((text) => /^n8n \d/.test(text))).toEqual(releases);
});

describe('Each thing that the node relies on and n8n does not promise', () => {
  const FOLDER = 'nodes/MessagingSend/n8n/';
  const points = readProjectFile(`${FOLDER}assumptions.ts`)
    .split('\n')
    .filter((line) => line.startsWith(' * | '))
    .slice(2)
    .map((row) => row.split(' | ').slice(1))
    .map(([what = '', users = '', title = '']) => ({ what, users, title: title.replace(/ \|$/, '') }));

  test('is used by files that exist', () => {
    expect(points.length).toBeGreaterThan(10);
    for (const { what, users } of points) {
      const files = users.split(', ').map((name) => FOLDER + name.replaceAll('`', ''));
      expect([what, files.filter((file) => !FILES.includes(file))]).toEqual([what, []]);
    }
  });

  test('has a test in real n8n', () => {
    const code = FILES.filter((file) => /^test\/e2e\/.*\.ts$/.test(file))
      .map(readProjectFile)
      .join('\n');
    const titles = new Set([...code.matchAll(/\btest\(\s*(['"`])(.+?)\1,/g)].map(([, , title]) => title));
    expect(points.filter(({ title }) => !titles.has(title))).toEqual([]);
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
