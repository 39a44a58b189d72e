import {
  type INodeProperties,
  type INodePropertyCollection,
  type INodePropertyOptions,
  type INodeType,
  NodeHelpers,
} from 'n8n-workflow';

import { CATALOGUE } from '../../nodes/MessagingSend/failures/catalogue';
import { type Loaded, loadPackage } from '../../tools/engine/engine';
import { readProjectFile } from '../../tools/project';
import type { Table } from './pages';
import { PAGES, table } from './pages';

let loaded: Loaded;
beforeAll(async () => void (loaded = await loadPackage()));

const firstCells = ({ rows }: Table) => rows.map(([first]) => first?.text ?? '');

/** The parameters that n8n shows for these choices of resource and operation. */
function shown({ description }: INodeType, ...choices: Array<Record<string, string>>): INodeProperties[] {
  const properties = choices.flatMap((choice) =>
    description.properties.filter((property) =>
      NodeHelpers.displayParameter(choice, property, { typeVersion: 1 }, description),
    ),
  );
  return properties.filter(
    ({ name, type }) => !['resource', 'operation'].includes(name) && type !== 'notice' && type !== 'hidden',
  );
}

/** The entries of a collection, or the choices of a field. */
function entries(
  property: INodeProperties | undefined,
): Array<INodeProperties | INodePropertyOptions | INodePropertyCollection> {
  return property?.options ?? [];
}

function collection(node: INodeType, name: string, choice: Record<string, string> = {}): INodeProperties[] {
  const property = shown(node, choice).find((each) => each.name === name);
  return entries(property).filter((entry): entry is INodeProperties => 'type' in entry);
}

const namesOf = (properties: ReadonlyArray<{ displayName: string }>) => [
  ...new Set(properties.map(({ displayName }) => displayName)),
];

const REFERENCE = 'docs/reference.md';
const MESSAGE = { resource: 'message' };
const BULK = { ...MESSAGE, operation: 'sendBulk' };
const BULK_BY_SOURCE = ['items', 'json'].map((source) => ({ ...BULK, source }));
const WAIT = { ...MESSAGE, operation: 'sendAndWait', responseType: 'approval' };

test.each<[string, string, Array<Record<string, string>>]>([
  ['Send', 'send', [{ ...MESSAGE, operation: 'send' }]],
  ['Send Bulk', 'send-bulk', BULK_BY_SOURCE],
  ['Send and Wait for Response', 'send-and-wait-for-response', [WAIT]],
  ['Get Balance', 'get-balance', [{ resource: 'balance', operation: 'get' }]],
])('The reference lists the parameters of %s', (_name, under, choices) => {
  const parameters = shown(loaded.node, ...choices).filter(({ name }) => name !== 'requestOptions');
  // Options is below the rest, even if n8n shows something in between.
  const names = [...namesOf(parameters).filter((name) => name !== 'Options'), 'Options'];
  expect(firstCells(table(REFERENCE, under, 'Parameter'))).toEqual(names);
});

test('The README has a line for each operation of the node', () => {
  const operations = loaded.node.description.properties.filter(({ name }) => name === 'operation').flatMap(entries);
  const names = firstCells(table('README.md', 'operations', 'Operation'));
  expect(names.map((name) => name.replace('Get Balance', 'Get')).sort()).toEqual(
    operations.map(({ name }) => name).sort(),
  );
});

/** Names in single quotes that are n8n's own. */
const OF_N8N = ['Allowed HTTP Request Domains', 'All', 'Poll Times', 'Retry', 'Retry with currently saved workflow'];

function allNames(properties: Array<INodeProperties | INodePropertyOptions | INodePropertyCollection>): string[] {
  return properties.flatMap((property) => {
    const inner = 'values' in property ? property.values : 'options' in property ? (property.options ?? []) : [];
    return ['displayName' in property ? property.displayName : property.name, ...allNames(inner)];
  });
}

test('Every name in single quotes on a page is one that the panel shows', () => {
  const panels = [loaded.node.description, loaded.trigger.description, loaded.credential];
  const names = [...OF_N8N, ...panels.flatMap(({ properties }) => allNames(properties))];
  // A unit in brackets may be left out.
  const shown = new Set(names.flatMap((name) => [name, name.replace(/ \([^)]*\)$/, '')]));
  const named = [...PAGES.keys()]
    // The changelog has the names of each release.
    .filter((file) => file !== 'CHANGELOG.md')
    .flatMap((file) => {
      const prose = readProjectFile(file)
        .replace(/^ *```[^]*?^ *```/gm, '')
        .replace(/`[^`\n]*`/g, '');
      return [...prose.matchAll(/(?<!\w)'([A-Z…][^'\n]*)'(?!\w)/g)].map(([, name]) => ({ file, name: String(name) }));
    });
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(({ name }) => !shown.has(name) && !name.includes('…'))).toEqual([]);
});

test('The reference lists the Request Options', () => {
  const listed = firstCells(table(REFERENCE, 'request-options', 'Option'));
  expect(listed).toEqual(namesOf(collection(loaded.node, 'requestOptions', BULK)));
});

test('The reference lists the choices of every field and option, and no others', () => {
  const documented = (found: Table) =>
    Object.fromEntries(found.rows.map(([name, text]) => [name?.text ?? '', [...(text?.bold ?? [])].sort()]));
  const choices = (property: INodeProperties) => entries(property).map(({ name }) => name);
  const offered = (properties: INodeProperties[]) =>
    Object.fromEntries(properties.map((one) => [one.displayName, one.type === 'options' ? choices(one).sort() : []]));

  const fields = shown(loaded.node, ...BULK_BY_SOURCE).filter(({ name }) => name !== 'requestOptions');
  expect(documented(table(REFERENCE, 'send-bulk', 'Parameter'))).toEqual(offered(fields));
  expect(documented(table(REFERENCE, 'options', 'Option'))).toEqual(offered(collection(loaded.node, 'options', BULK)));
  expect(documented(table(REFERENCE, 'the-trigger', 'Parameter'))).toEqual(offered(shown(loaded.trigger, {})));
});

/** What applies if an option has no default to show. */
const WITHOUT_VALUE: Record<string, string> = {
  defaultCountryCode: 'such a number is not sent',
  messageKey: 'the text',
  neverSendTo: 'nobody',
  sendWindow: 'always',
  testRun: 'off',
};

/** For an option that is added and left as it is, which changes nothing: test/unit/options.test.ts. */
function defaultOf(option: INodeProperties): string | undefined {
  const { name, default: value, description } = option;
  if (description?.includes('Off unless added')) return 'off unless added';
  if (value === false) return 'off';
  if (typeof value === 'number') return value.toLocaleString('en');
  return WITHOUT_VALUE[name] ?? entries(option).find((entry) => 'value' in entry && entry.value === value)?.name;
}

test.each<[string, string, string, () => INodeProperties[]]>([
  ['option', 'options', 'Option', () => collection(loaded.node, 'options', BULK)],
  ['option of the trigger', 'the-trigger', 'Trigger option', () => collection(loaded.trigger, 'options')],
])('The reference gives the default of every %s', (_what, under, column, options) => {
  const documented = table(REFERENCE, under, column).rows.map(([name, , value]) => [name?.text, value?.text]);
  expect(documented).toEqual(options().map((option) => [option.displayName, defaultOf(option)]));
});

/** The code of another failure; codes of network failures, which the page lists by their cause. */
const NOT_HERE = ['…', 'UNREACHABLE_…'];

test.each([
  ['not-sent', 'not_sent'],
  ['uncertain', 'uncertain'],
])('The page about errors has each code of a message that is %s once, and no other', (under, outcome) => {
  const entries = Object.values(CATALOGUE).filter((entry) => entry.outcome === outcome);
  const codes = new Set<string>(entries.map(({ code }) => code).filter((code) => !NOT_HERE.includes(code)));
  const listed = table('docs/errors.md', under, 'Code').rows.map(([first]) => first?.text);
  expect(listed.sort()).toEqual([...codes].sort());
});
