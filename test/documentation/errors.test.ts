import { networkReply } from '../../nodes/MessagingSend/api/networkReply';
import { CATALOGUE } from '../../nodes/MessagingSend/failures/catalogue';
import { loadPackage } from '../../tools/engine/engine';
import { readProjectFile } from '../../tools/project';
import { FILES, page } from './pages';

// The page is made from the catalogue; these tests read it without the code that makes it.
const { tables } = page('docs/errors.md');
const rows = tables.flatMap(({ under, header, rows: all }) =>
  all.map((cells) => {
    const cell = (column: string) => cells[header.indexOf(column)];
    const message = cell('Message');
    return {
      under,
      codes: cell('Code')?.code ?? [],
      messages: message === undefined ? [] : message.text.split('<br>'),
      advice: cell('What to do')?.text ?? '',
    };
  }),
);
const documented = rows.filter(({ under }) => under !== 'the-credential-test').flatMap(({ messages }) => messages);

/** Stands for every value of an entry: what varies is "…" in the page, too. */
const ANY_VALUES = new Proxy({}, { get: () => '…' });

/** Each entry of the catalogue with its texts. */
const entries = Object.entries(CATALOGUE).map(([name, { code, message, advice }]) => {
  const values = ANY_VALUES as never;
  return { name, code: code as string, message: message(values), advice: advice(values) };
});

/** One whose message is n8n's own. */
const isOpen = ({ message }: { message: string }) => message === '…';

/** Whether two texts are the same, with a value in the one where the other has "…". */
function alike(a: string, b: string): boolean {
  const covers = (pattern: string, text: string) => {
    const pieces = pattern.split('…').map((piece) => piece.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&'));
    return new RegExp(`^${pieces.join('.+')}$`).test(text);
  };
  return covers(a, b) || covers(b, a);
}

test('docs/errors.md has a line for every message of the catalogue', () => {
  const missing = entries.filter((entry) => !isOpen(entry) && !documented.some((text) => alike(text, entry.message)));
  expect(missing.map(({ name, message }) => [name, message])).toEqual([]);
});

test('docs/errors.md has no message that the catalogue does not have', () => {
  expect(
    documented.filter((text) => !entries.some(({ message }) => !isOpen({ message }) && alike(text, message))),
  ).toEqual([]);
});

test('docs/errors.md gives each message the code of the catalogue', () => {
  const wrong = rows.flatMap(({ codes, messages }) =>
    messages.flatMap((text) => {
      const expected = entries.filter((entry) => !isOpen(entry) && alike(text, entry.message)).map(({ code }) => code);
      const fits = codes.length === 0 || codes.some((code) => expected.some((other) => alike(code, other)));
      return fits ? [] : [{ text, codes, expected }];
    }),
  );
  expect(wrong).toEqual([]);
});

test('docs/errors.md begins with the ten most common messages', () => {
  expect(rows.slice(0, 10).every(({ under }) => under === 'the-ten-most-common')).toBe(true);
  expect(rows.filter(({ under }) => under === 'the-ten-most-common')).toHaveLength(10);
});

test('docs/errors.md names every code of the catalogue', () => {
  const named = rows.flatMap(({ codes }) => codes);
  const missing = entries.filter(({ code }) => code !== '…' && !named.some((name) => alike(name, code)));
  expect(missing.map(({ name, code }) => [name, code])).toEqual([]);
});

test('Every failure of the catalogue is one that the node can report', () => {
  const sources = FILES.filter((file) => /^nodes\/.*\.ts$/.test(file) && !file.endsWith('catalogue.ts'));
  const code = sources.map(readProjectFile).join('\n');
  expect(entries.filter(({ name }) => !code.includes(`'${name}'`)).map(({ name }) => name)).toEqual([]);
});

test('Every line of docs/errors.md says what to do', () => {
  expect(rows.filter(({ advice }) => advice === '')).toEqual([]);
});

test('Every failure after which sending again is safe says what to do', () => {
  const silent = Object.entries(CATALOGUE)
    .filter(([, { sendAgain }]) => sendAgain === 'safe')
    .map(([name]) => name);
  expect(entries.filter(({ name, advice }) => silent.includes(name) && advice === '')).toEqual([]);
});

test('Every answer of the credential test has a line in docs/errors.md', async () => {
  const { credential } = await loadPackage();
  const given = (credential.test?.rules ?? []).map(({ properties }) =>
    properties.message.replace(/HTTP \d+/, 'HTTP …'),
  );
  const lines = rows
    .filter(({ under }) => under === 'the-credential-test')
    .map(({ messages, advice }) => `${messages[0]}. ${advice}`);
  expect(lines.sort()).toEqual([...new Set(given)].sort());
});

const network = rows.flatMap(({ codes, messages }) =>
  codes.filter((code) => /^UNREACHABLE_[A-Z_]+$/.test(code)).map((code) => [code, messages[0]]),
);

test.each(network)('%s is reported with the message of its line in docs/errors.md: %s', (name, message) => {
  const code = String(name).replace('UNREACHABLE_', '');
  const thrown = Object.assign(new Error(`${code}: handshake failure`), { code, syscall: 'connect' });
  expect(networkReply(thrown)).toMatchObject({ kind: 'rejected', failure: { code: name, message } });
});
