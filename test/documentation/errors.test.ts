import { CATALOGUE } from '../../nodes/MessagingSend/failures/catalogue';
import { readProjectFile } from '../../tools/project';
import { FILES } from './pages';

/** docs/errors.md is made from the catalogue by `npm run docs`. */

/** Stands for every value of an entry. */
const ANY_VALUES = new Proxy({}, { get: () => '…' }) as never;

test('Every failure of the catalogue is one that the node can report', () => {
  const sources = FILES.filter((file) => /^nodes\/.*\.ts$/.test(file) && !file.endsWith('catalogue.ts'));
  const code = sources.map(readProjectFile).join('\n');
  expect(Object.keys(CATALOGUE).filter((name) => !code.includes(`'${name}'`))).toEqual([]);
});

test('Every failure after which sending again is safe says what to do', () => {
  const safe = Object.entries(CATALOGUE).filter(([, { sendAgain }]) => sendAgain === 'safe');
  expect(safe.filter(([, { advice }]) => advice(ANY_VALUES) === '').map(([name]) => name)).toEqual([]);
});
