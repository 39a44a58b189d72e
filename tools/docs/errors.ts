import { MessagingSendApi } from '../../credentials/MessagingSendApi.credentials';
import { AFTER_INTERRUPTION, CATALOGUE, type Entry, type FailureName, IF_EXPRESSION, THEN_SEND_THE_REST, THEN_TRY_AGAIN } from '../../nodes/MessagingSend/failures/catalogue';
import { table } from './table';

const MOST_COMMON: readonly FailureName[] = [
  'phoneCountryCode',
  'phoneCodeMissing',
  'phoneScientific',
  'textEmpty',
  'textNotEvaluated',
  'textTooLong',
  'apiKeyInvalid',
  'creditsTooLow',
  'rateLimited',
  'timeout',
];

/** The network's own codes that users see most often. */
const NETWORK_CODES: Partial<Record<string, readonly string[]>> = {
  hostUnknown: ['ENOTFOUND', 'EAI_AGAIN'],
  notConnected: ['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ETIMEDOUT'],
  notSecure: ['EPROTO', 'CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  notAllowed: ['EACCES', 'EPERM'],
  credentialInvalid: ['ERR_INVALID_URL', 'ERR_INVALID_CHAR'],
} satisfies Partial<Record<FailureName, readonly string[]>>;

type AnyEntry = Entry<never, string>;

/** The tables of docs/errors.md. An entry of the catalogue is in the first one that it fits. */
const TABLES: Readonly<Record<string, (entry: AnyEntry, name: string) => boolean>> = {
  common: (_, name) => MOST_COMMON.some((each) => each === name),
  trigger: (_, name) => ['thresholdInvalid', 'balanceNotReported', 'pollTimeout'].includes(name),
  phone: ({ code }) => code === 'INVALID_PHONE',
  input: ({ code }) => /^INVALID_(MESSAGES?|PARAMETER)$/.test(code),
  settings: ({ code }) => code === 'NOT_SET_UP',
  uncertain: ({ sendAgain }) => sendAgain === 'checkFirst',
  network: ({ code }) => code.startsWith('UNREACHABLE_'),
  rest: () => true,
};

export function errorParts(): Record<string, string> {
  const left = new Map<string, AnyEntry>(Object.entries(CATALOGUE));
  const parts = Object.entries(TABLES).map(([part, belongs]) => {
    const names = [...left].filter(([name, entry]) => belongs(entry, name)).map(([name]) => name);
    const lines = names.flatMap((name) => {
      const entry = left.get(name);
      left.delete(name);
      return entry === undefined ? [] : linesOf(entry, name);
    });
    const rows = [['Code', 'Message', 'What to do'], ...together(lines)];
    // The page names the code that all of a table share.
    const isShared = new Set(lines.map(({ code }) => code)).size === 1;
    const [header = [], ...rest] = isShared ? rows.map((row) => row.slice(1)) : rows;
    return [part, table(header, rest)] as const;
  });
  return { ...Object.fromEntries(parts), credential: credentialTable() };
}

interface Line {
  readonly code: string;
  readonly message: string;
  readonly advice: string;
}

/** Stands for every value: what varies is "…" on the page. */
const ANY_VALUES = new Proxy({}, { get: () => '…' }) as never;

function linesOf(entry: AnyEntry, name: string): Line[] {
  const message = entry.message(ANY_VALUES);
  // Such an entry passes on the message of its cause.
  if (message === '…') return [];
  const advice = entry
    .advice(ANY_VALUES)
    .replace(AFTER_INTERRUPTION, 'See [If n8n is killed](retries.md#if-n8n-is-killed).')
    .replace(THEN_SEND_THE_REST, 'Then send the rest.')
    .replace(` ${THEN_TRY_AGAIN}`, '')
    // The page says it above the table.
    .replace(` ${IF_EXPRESSION}`, '')
    // The reason, and what the run left uncertain.
    .replace(/^(…\. |… messages of [^.]*\. )+/, '');
  const silent = entry.sendAgain === 'checkFirst' ? 'Check the message.' : 'Try again later.';
  const codes = NETWORK_CODES[name]?.map((code) => `UNREACHABLE_${code}`) ?? [entry.code];
  return codes.map((code) => ({ code, message, advice: advice === '…' ? 'See the cause.' : advice || silent }));
}

/** One row for the messages that have the advice in common. */
function together(lines: readonly Line[]): string[][] {
  const groups = new Map<string, Line[]>();
  for (const line of lines) groups.set(line.advice, [...(groups.get(line.advice) ?? []), line]);
  return [...groups.values()].map((group) => [
    [...new Set(group.map(({ code }) => (code === '…' ? 'that of the cause' : `\`${code}\``)))].join('<br>'),
    [...new Set(group.map(({ message }) => marked(message)))].join('<br>'),
    marked(group[0]?.advice ?? ''),
  ]);
}

/** Expressions, JSON and addresses as code; nothing else in these texts means something in Markdown. */
function marked(text: string): string {
  return text.replace(/\{\{.*?\}\}|\[\{.*?\}\]|\{ .*? \}|https?:\/\/(?:\S*\w)?/g, (code) => `\`${code}\``);
}

/** Each answer of the credential test says what happened in its first sentence, then what to do. */
function credentialTable(): string {
  const rules = new MessagingSendApi().test.rules ?? [];
  const texts = rules.map(({ properties }) => properties.message.replace(/HTTP \d+/, 'HTTP …'));
  return table(
    ['Message', 'What to do'],
    [...new Set(texts)].map((text) => [text.replace(/\. .*/, ''), text.replace(/^.*?\. /, '')]),
  );
}
