/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
/** Compares the fields that n8n's editor shows before the first run, and its AI builder reads, with real output. */
import { readdirSync } from 'node:fs';
import path from 'node:path';

import { loadOutputSchema, resolveOutputSchemaPath } from 'n8n-core';
import type { IDataObject, INodeParameters, INodePropertyOptions } from 'n8n-workflow';

import { loadPackage } from '../../tools/engine/engine';
import { PROJECT_FOLDER } from '../../tools/project';
import { contacts, phoneAt } from '../support/contacts';
import { nodeForTests } from '../support/engine/nodeForTests';
import { textOf } from '../support/outputs';
import { GET_BALANCE, SEND, SEND_AND_WAIT, SEND_BULK, withOptions } from '../support/parameters';

const NODE_FOLDER = path.join(PROJECT_FOLDER, 'dist/nodes/MessagingSend');
const { setupOf, run, ask } = nodeForTests();

/** The part of JSON Schema that n8n reads and the output schemas use. */
interface OutputSchema {
  readonly type: string | string[];
  readonly properties?: Readonly<Record<string, OutputSchema>>;
  readonly required?: string[];
}

/** A message, its duplicate, a long one, and one that is kept back: together, they have every type of every field. */
const [FIRST, SECOND, THIRD] = contacts(3);
const ITEMS = [FIRST, FIRST, { ...SECOND, text: 'Hello '.repeat(200) }, THIRD] as IDataObject[];
const OPTIONS = { longMessages: 'split', neverSendTo: phoneAt(2) };
/** Fields that only an option adds. */
const ADDED = ['reason: string', 'duplicate_of: integer', 'parts: integer'];
const asks = (more: INodeParameters) => ({ ...SEND_AND_WAIT, ...more });

test('n8n finds a schema for every operation, and there is none for anything else', async () => {
  const files = readdirSync(path.join(NODE_FOLDER, '__schema__'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json'))
    .map((file) => path.join(NODE_FOLDER, '__schema__', file));
  const { version, properties } = (await loadPackage()).node.description;
  const found = properties
    .filter(({ name }) => name === 'operation')
    .flatMap(({ options, displayOptions }) =>
      (displayOptions?.show?.resource ?? []).flatMap((resource) =>
        (options as INodePropertyOptions[]).map(({ value }) => ({
          nodeDir: NODE_FOLDER,
          version: String(version),
          resource: textOf(resource),
          operation: textOf(value),
        })),
      ),
    )
    .map(resolveOutputSchemaPath);
  expect(files.sort()).toEqual(found.sort());
});

test.each<[string, INodeParameters, IDataObject[], string[]]>([
  ['Get Balance', GET_BALANCE, [{}], []],
  ['Send', withOptions(SEND, OPTIONS), ITEMS, ADDED],
  ['Send Bulk', withOptions(SEND_BULK, OPTIONS), ITEMS, ADDED],
])('The output of %s has the fields of its schema, each with every type', async (_name, parameters, items, added) => {
  const { outputs } = await run({ items, parameters });
  const schema = await schemaOf(parameters);
  for (const { json } of outputs[0] ?? [])
    expect(Object.keys(json)).toEqual(expect.arrayContaining(schema.required ?? []));
  const found = (outputs[0] ?? []).flatMap(({ json }) => typesIn(json));
  expect([...new Set(found)].sort()).toEqual([...promisesOf(schema), ...added].sort());
});

test('The answers to Send and Wait have the fields of its schema', async () => {
  const answers: IDataObject[] = [];
  for (const [more, form] of [
    [{ approvalOptions: { values: { commentLabel: 'Why?' } } }, { decision: 'decline', written: 'Too much' }],
    [{ responseType: 'freeText' }, { written: 'On Tuesday' }],
  ] as const) {
    const setup = setupOf({ items: contacts(1), parameters: asks(more), mode: 'trigger' });
    answers.push((await (await ask(setup))(form)).item ?? {});
  }
  const promised = promisesOf(await schemaOf(SEND_AND_WAIT));
  expect([...new Set(answers.flatMap((answer) => typesIn(answer)))].sort()).toEqual(promised.sort());
});

async function schemaOf({ resource, operation }: INodeParameters): Promise<OutputSchema> {
  const version = String((await loadPackage()).node.description.version);
  const of = { resource: textOf(resource), operation: textOf(operation) };
  const schema = loadOutputSchema({ nodeDir: NODE_FOLDER, version, ...of });
  if (schema === undefined) throw new Error(`n8n finds no schema for ${of.resource}, ${of.operation}`);
  return schema as unknown as OutputSchema;
}

/** Everything that a schema promises, as `field: type`. */
function promisesOf({ type, properties = {} }: OutputSchema, path: string[] = []): string[] {
  const own = path.length === 0 ? [] : [type].flat().map((name) => `${path.join('.')}: ${name}`);
  return [...own, ...Object.entries(properties).flatMap(([name, inner]) => promisesOf(inner, [...path, name]))];
}

/** Everything that is in an item, as `field: type`. */
function typesIn(value: unknown, path: string[] = []): string[] {
  const type = value === null ? 'null' : Number.isInteger(value) ? 'integer' : typeof value;
  const own = path.length === 0 ? [] : [`${path.join('.')}: ${type}`];
  if (type !== 'object') return own;
  return [...own, ...Object.entries(value as IDataObject).flatMap(([name, inner]) => typesIn(inner, [...path, name]))];
}
