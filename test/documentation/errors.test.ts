import { FAILURE_CODES } from '../../nodes/MessagingSend/failures/failure';
import { networkReply } from '../../nodes/MessagingSend/api/networkReply';
import { loadPackage } from '../support/engine/engine';
import { page } from './pages';
import { failureMessages, SOURCES } from './texts';

const { tables } = page('docs/errors.md');
const rows = tables.filter(({ header }) => header[0] === 'Code').flatMap((table) => table.rows);
const messages = tables.flatMap(({ header, rows: all }) => all.flatMap((row) => row[header.indexOf('Message')] ?? []));
const documented = messages.filter(({ isAside }) => !isAside).flatMap(({ text }) => text.split(' / '));

/** Codes that are made of a status or of a network error. */
const OPEN = /^(HTTP|UNREACHABLE)_/;

test('every code has a line, and no other code has one', () => {
  const codes = rows.flatMap(([code]) => code?.code ?? []).filter((code) => !OPEN.test(code));
  expect([...new Set(codes)].sort()).toEqual([...FAILURE_CODES].sort());
});

test('every line says what to do', () => {
  expect(
    tables.flatMap(({ rows: all }) => all).filter((row) => row.at(-1)?.text === '' && row.at(-2)?.isAside !== true),
  ).toEqual([]);
});

test('every code of the list is used by the node', () => {
  const code = [...SOURCES]
    .filter(([file]) => !file.endsWith('failures/failure.ts'))
    .map(([, text]) => text)
    .join('\n');
  expect(FAILURE_CODES.filter((name) => !code.includes(`'${name}'`) && !code.includes(` ${name}:`))).toEqual([]);
});

/** Whether one of two texts is the other, with something in place of its "…". */
function alike(a: string, b: string): boolean {
  const covers = (pattern: string, text: string) =>
    new RegExp(
      `^${pattern
        .split('…')
        .map((piece) => piece.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&'))
        .join('.+')}$`,
    ).test(text);
  return covers(a, b) || covers(b, a);
}

test('every message that the node gives has a line', () => {
  const given = failureMessages();
  expect(given.length).toBeGreaterThan(50);
  expect(given.filter(({ message }) => !documented.some((text) => alike(text, message)))).toEqual([]);
});

test('every line has a message that the sources hold', () => {
  const code = [...SOURCES.values()].join('\n').replaceAll("\\'", "'");
  expect(documented.filter((text) => text.split('…').some((piece) => !code.includes(piece)))).toEqual([]);
});

test('every answer of the credential test has a line', async () => {
  const { credential } = await loadPackage();
  const given = (credential.test?.rules ?? []).map(({ properties }) =>
    properties.message.replace(/HTTP \d+/, 'HTTP …'),
  );
  const lines = tables.find(({ under }) => under === 'the-credential-test')?.rows.map(([message]) => message?.text);
  expect(lines?.sort()).toEqual([...new Set(given)].sort());
});

const network = rows.flatMap(([code, message]) =>
  (code?.code ?? []).filter((name) => /^UNREACHABLE_[A-Z_]+$/.test(name)).map((name) => [name, message?.text]),
);

test.each(network)('%s has the message of its line', (name, message) => {
  const code = String(name).replace('UNREACHABLE_', '');
  const thrown = Object.assign(new Error(code === 'EPROTO' ? 'wrong version number' : code), {
    code,
    syscall: 'connect',
  });
  expect(networkReply(thrown)).toMatchObject({ kind: 'rejected', failure: { code: name, message } });
});
