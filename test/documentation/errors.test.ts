import { CATALOGUE } from '../../nodes/MessagingSend/failures/catalogue';
import { table } from './pages';

/** The code of another failure; codes of network failures, which the page lists by their cause. */
const NOT_HERE = ['…', 'UNREACHABLE_…'];

test.each([
  ['not-sent', 'safe'],
  ['uncertain', 'checkFirst'],
])('The page about errors has each code of a message that is %s once, and no other', (under, sendAgain) => {
  const entries = Object.values(CATALOGUE).filter((entry) => entry.sendAgain === sendAgain);
  const codes = new Set<string>(entries.map(({ code }) => code).filter((code) => !NOT_HERE.includes(code)));
  const listed = table('docs/errors.md', under, 'Code').rows.map(([first]) => first?.text);
  expect(listed.sort()).toEqual([...codes].sort());
});
