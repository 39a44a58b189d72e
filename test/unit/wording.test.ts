/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { createRequire } from 'node:module';
import path from 'node:path';
import { runInNewContext } from 'node:vm';

import {
  type ICredentialType,
  type INodeParameters,
  type INodeProperties,
  type INodeType,
  NodeHelpers,
} from 'n8n-workflow';

import { CATALOGUE } from '../../nodes/MessagingSend/failures/catalogue';
import { PROJECT_FOLDER, readManifest, readProjectFile } from '../../tools/project';
import { FILES } from '../documentation/pages';

/** Checks the texts of the built nodes and credential, because n8n's linter sees only literals in `nodes/`. */
const manifest = readManifest();

function instanceOf(file: string): unknown {
  const exported = createRequire(__filename)(path.join(PROJECT_FOLDER, file)) as Record<string, new () => unknown>;
  const [Class] = Object.values(exported);
  if (Class === undefined) throw new Error(`${file} exports nothing`);
  return new Class();
}

const descriptionOf = (file: string) => (instanceOf(file) as INodeType).description;
const nodes = manifest.n8n.nodes.map(descriptionOf);
const credentials = manifest.n8n.credentials.map((file) => instanceOf(file) as ICredentialType);
const panels: Array<[name: string, properties: INodeProperties[]]> = [...nodes, ...credentials].map(
  ({ displayName, properties }) => [displayName, properties],
);

interface Entry {
  readonly where: string;
  readonly name: string;
  readonly texts: string[];
  readonly property: INodeProperties | null;
}

const entries = panels.flatMap(([panel, properties]) => entriesOf(panel, properties));

/** @param withFields includes fields of collections, which say less: most have the names of n8n's own nodes */
function entriesOf(where: string, properties: INodeProperties[], withFields = false): Entry[] {
  return properties.flatMap((property) => {
    const { displayName, type, description, hint, options = [] } = property;
    const here = `${where} → ${displayName}`;
    const texts = [description, hint, type === 'notice' ? displayName : undefined].filter((text) => text !== undefined);
    const within = options.flatMap((option) => {
      if ('type' in option) return entriesOf(here, [option], withFields);
      if ('values' in option) return withFields ? entriesOf(here, option.values, withFields) : [];
      if (!('value' in option)) return [];
      const { name, description: text, action } = option;
      const texts = [text, action].filter((given) => given !== undefined);
      return [{ where: `${here} → ${name}`, name, texts, property: null }];
    });
    return [{ where: here, name: displayName, texts, property }, ...within];
  });
}

const nodeTexts = nodes.flatMap(({ displayName, description, hints = [] }) =>
  [description, ...hints.map(({ message }) => message)].map((text) => [displayName, text] as const),
);
const sentences = [...nodeTexts, ...entries.flatMap(({ where, texts }) => texts.map((text) => [where, text] as const))];
const parameters = entries.flatMap(({ where, property }) =>
  property === null || property.type === 'notice' ? [] : [{ where, property }],
);

/** The options of Send and Send Bulk, in the order of n8n's list. */
const SEND_OPTIONS = (nodes[0]?.properties ?? [])
  .filter(({ name, options = [] }) => name === 'options' && options.some((option) => option.name === 'dryRun'))
  .flatMap(({ options = [] }) => options.flatMap((option) => ('type' in option ? entriesOf('Options', [option]) : [])))
  .filter(({ property }) => property !== null);

const where = <T extends { where: string }>(all: T[], isWrong: (one: T) => boolean): string[] =>
  all.filter(isWrong).map((one) => one.where);

test('Every name is in title case', () => {
  const small = /^(a|an|and|as|at|but|by|for|if|in|of|on|or|per|the|to|with)$/;
  const isTitleCase = (name: string): boolean => {
    const words = name.split(/\s+/).map((word) => word.replace(/^\W+/, ''));
    return words.every(
      (word, index) => /^[A-Z\d]/.test(word) || (index > 0 && index < words.length - 1 && small.test(word)),
    );
  };
  const named = panels.map(([name]) => ({ where: name, name, property: null }));
  const isWrong = ({ name, property }: Pick<Entry, 'name' | 'property'>) =>
    property?.type !== 'notice' && !isTitleCase(name);
  expect(where([...named, ...entries], isWrong)).toEqual([]);
});

test('Every text of one sentence has no period at its end, and every text of several has one', () => {
  const isWell = (text: string): boolean => {
    const several = /[.!?] [A-Z]/.test(text);
    return /^[A-Z]/.test(text) && text === text.trim() && !/ {2}/.test(text) && text.endsWith('.') === several;
  };
  expect(sentences.filter(([, text]) => !isWell(text))).toEqual([]);
});

test('No description or hint of a parameter has more than two sentences or 160 characters', () => {
  const isLong = (text: string): boolean => text.length > 160 || (text.match(/[.!?] (?=[A-Z])/g) ?? []).length > 1;
  const all = panels.flatMap(([panel, properties]) => entriesOf(panel, properties, true));
  expect(where(all, ({ property, texts }) => property?.type !== 'notice' && texts.some(isLong))).toEqual([]);
  expect(all.length).toBeGreaterThan(100);
});

/** With X for what the service, n8n or a failure can add to a text. */
const catalogue = Object.entries(CATALOGUE).flatMap(([name, { message, advice }]) =>
  [message, advice].map((text) => [name, text.replace(/\{\w+\}/g, 'X')] as const),
);
/** Keys of a description whose values the panel, the editor or the credential's test show. */
const SHOWN =
  /^(displayName|name|description|hint|placeholder|action|message|header|executionsHelp|activationHint|waitingNodeTooltip)$/;
const shown: Array<readonly [where: string, text: string]> = [
  ...[...nodes, ...credentials].flatMap((description) => textsIn(description, description.displayName)),
  ...catalogue,
];

function textsIn(value: unknown, where: string): Array<readonly [where: string, text: string]> {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) => {
    if (typeof inner === 'string') return SHOWN.test(key) ? [[where, inner] as const] : [];
    // Texts for n8n's AI name the field `error` of an item.
    return key === 'builderHint' ? [] : textsIn(inner, where);
  });
}

test.each<[string, RegExp]>([
  ['that n8n asks to avoid', /\b(errors?|fail(ed|s|ing|ures?)|problems?|mistakes?)\b/i],
  [
    'for which there is a better one',
    /\b(go(es)?|went|gone) out\b|\bby itself\b|\bat once\b|\bstands? in\b|\bhas to be\b|\bis to be\b|\bput in\b|\blook into\b|\bfor real\b|\ball the same\b|\bsay,|\b(became|come|came) of it\b|\b(a|the|an earlier) try\b|\btakes no more\b|\bof (its|their) own\b/i,
  ],
])('No text that users see has a word %s', (_kind, words) => {
  const withoutNamesOfN8n = (text: string) => text.replaceAll(/On Error|Retry On Fail/g, '');
  expect(shown.length).toBeGreaterThan(250);
  expect(shown.filter(([, text]) => words.test(withoutNamesOfN8n(text)))).toEqual([]);
});

test("Every parameter or option that a text names is in quotes, by the panel's label", () => {
  const quoted = shown.flatMap(([place, text]) =>
    [...text.matchAll(/(?:option |add the option |raise |lower )'([^']+)'/g)].map(([, name]) => [place, name] as const),
  );
  // Some labels have a unit in brackets.
  const labels = shown.map(([, text]) => text.replace(/ \([^)]*\)$/, ''));
  expect(quoted.length).toBeGreaterThan(10);
  expect(quoted.filter(([, name]) => name !== 'X' && !labels.includes(name ?? ''))).toEqual([]);
});

test("Every choice says what it does, except those in 'Approval Options'", () => {
  expect(where(entries, ({ property, texts }) => property === null && texts.length === 0)).toEqual([]);
});

test("The list of options begins with 'Dry Run', and 'Message Key' follows 'Duplicate Messages'", () => {
  const names = SEND_OPTIONS.map(({ name }) => name);
  expect(names[0]).toBe('Dry Run');
  expect(names[names.indexOf('Duplicate Messages') + 1]).toBe('Message Key');
});

test("The first five words tell 'Dry Run', which sends nothing, from 'Test Run', which sends to one's own phone", () => {
  const begins = (label: string) =>
    SEND_OPTIONS.flatMap(({ name, texts }) => (name === label ? [texts.join().split(' ', 5).join(' ')] : []));
  expect(begins('Dry Run')).toEqual(['Whether to send nothing, and']);
  expect(begins('Test Run')).toEqual(['Sends to your own phone:']);
});

test("The credential's Base URL says what the codes mean that n8n shows when it can't connect", () => {
  const [hint] = entries.filter(({ name }) => name === 'Base URL').flatMap(({ property }) => property?.hint ?? []);
  for (const code of ['ENOTFOUND', 'ECONNREFUSED', 'EPROTO']) expect(hint).toContain(code);
});

test('Every placeholder is an example', () => {
  // There it is the text of a button.
  const isCollection = ({ type }: INodeProperties): boolean => type === 'collection' || type === 'fixedCollection';
  const fields = parameters.filter(({ property }) => !isCollection(property));
  expect(where(fields, ({ property }) => !/^e\.g\. \S/.test(property.placeholder ?? 'e.g. x'))).toEqual([]);
  // Users who copy braces into a Fixed field would send them.
  expect(where(fields, ({ property }) => property.placeholder?.includes('{{') === true)).toEqual([]);
});

test.each<[string, INodeParameters, string[], ending?: string]>([
  ['no option', {}, []],
  ['safe options', { longMessages: 'truncate' }, []],
  ['Dry Run', { dryRun: true }, ['dryRunNotice']],
  ['a tool', {}, ['toolNotice'], 'Tool'],
  ['a tool with Dry Run', { dryRun: true }, ['dryRunNotice'], 'Tool'],
  ['a tool that sends once', { duplicateMessages: 'sendOnceEver' }, [], 'Tool'],
])('A notice is shown only for what it is about: %s', (_choice, options, expected, ending = '') => {
  const [sender] = nodes;
  const values = { resource: 'message', operation: 'sendBulk', source: 'items', options };
  const node = sender === undefined ? null : { ...sender, name: sender.name + ending };
  const notices = (sender?.properties ?? []).filter(({ type }) => type === 'notice');
  const shown = notices.filter((one) => NodeHelpers.displayParameter(values, one, { typeVersion: 1 }, node));
  expect(shown.map(({ name }) => name)).toEqual(expected);
});

test('Every parameter depends on parameters beside it or by a path from the root, because n8n hides any other', () => {
  for (const { properties } of nodes) {
    const beside = properties.map(({ name }) => name);
    const dependencies = properties.flatMap(({ displayOptions = {} }) =>
      [displayOptions.show, displayOptions.hide].flatMap((rule) => Object.keys(rule ?? {})),
    );
    expect(dependencies.filter((name) => !/^[@/]/.test(name) && !beside.includes(name))).toEqual([]);
  }
});

test('Every failure of the catalogue is one that the node can report', () => {
  const sources = FILES.filter((file) => /^nodes\/.*\.ts$/.test(file) && !file.endsWith('catalogue.ts'));
  // Code with mutants has other quotation marks.
  const code = sources.map(readProjectFile).join('\n').replaceAll('"', "'");
  expect(Object.keys(CATALOGUE).filter((name) => !code.includes(`'${name}'`))).toEqual([]);
});

test('No advice is to remove an option that keeps messages back, or to switch a check off', () => {
  const advised = Object.values(CATALOGUE).map(({ advice }) => advice);
  expect(advised.filter((advice) => /remove (the|an) option|'Number Check' to Off/i.test(advice))).toEqual([
    // The next attempt sends what is left.
    CATALOGUE.testInRetry.advice,
  ]);
});

test('Every failure after which sending again is safe says what to do', () => {
  const safe = Object.entries(CATALOGUE).filter(([, { outcome }]) => outcome === 'not_sent');
  expect(safe.filter(([, { advice }]) => advice === '').map(([name]) => name)).toEqual([]);
});

test.each([
  ['Send Bulk', { resource: 'message', operation: 'sendBulk', options: {} }],
  ['Send (Dry Run)', { resource: 'message', operation: 'send', options: { dryRun: true } }],
  ['Send Bulk (Test)', { resource: 'message', operation: 'sendBulk', options: { testRun: '447700900123' } }],
  ['Send (Dry Run)', { resource: 'message', operation: 'send', options: { dryRun: true, testRun: '447700900123' } }],
  ['Get Balance', { resource: 'balance', operation: 'get', options: { dryRun: true } }],
])('The canvas says "%s"', (subtitle, parameters) => {
  const [, expression] = /^=\{\{(.*)\}\}$/s.exec(nodes[0]?.subtitle ?? '') ?? [];
  expect(runInNewContext(`(${expression})`, { $parameter: parameters })).toBe(subtitle);
});
