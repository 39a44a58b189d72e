/** The fields that n8n's editor shows before the first run, and its AI builder reads, against what operations put out. */
import { readdirSync } from 'node:fs';
import path from 'node:path';

import { loadOutputSchema, resolveOutputSchemaPath } from 'n8n-core';
import type { IDataObject, INodeParameters, INodePropertyOptions } from 'n8n-workflow';

import { loadPackage } from '../../tools/engine/engine';
import { processedData } from '../../tools/engine/processedData';
import { PROJECT_FOLDER } from '../../tools/project';
import { contacts, listOf } from '../support/contacts';
import { nodeForTests } from '../support/engine/nodeForTests';
import { linkIn, open } from '../support/engine/webhook';
import type { Setup } from '../support/engine/workflow';
import { textOf } from '../support/outputs';
import { GET_BALANCE, SEND, SEND_AND_WAIT, SEND_BULK, SEND_LIST, withOptions } from '../support/parameters';

const NODE_FOLDER = path.join(PROJECT_FOLDER, 'dist/nodes/MessagingSend');
const { setupOf, run, texts } = nodeForTests();

interface Operation {
  readonly resource: string;
  readonly operation: string;
}

interface Case {
  readonly name: string;
  readonly parameters: INodeParameters;
  /** One contact, if not given. */
  readonly items?: IDataObject[];
  readonly onError?: Setup['onError'];
  /** How many executions there are, one after the other. */
  readonly executions?: number;
  /** Of the page that Send and Wait asks with. */
  readonly form?: IDataObject;
  /** What the schema leaves out, because only this option adds it. */
  readonly besides?: string[];
  /** What the schema promises, and this option leaves out. */
  readonly without?: string[];
}

const TWICE = [...contacts(1), ...contacts(1)];
const LONG = contacts(1).map(({ phone }) => ({ phone, text: 'Hello '.repeat(200) }));
const INVALID = [{ phone: '', text: '' }];
const WITH_COMMENT = { ...SEND_AND_WAIT, approvalOptions: { values: { commentLabel: 'Why?' } } };
const FREE_TEXT = { ...SEND_AND_WAIT, responseType: 'freeText' };
const CUSTOM_FORM = {
  ...SEND_AND_WAIT,
  responseType: 'customForm',
  formFields: { values: [{ fieldLabel: 'Day', fieldType: 'text' }] },
};

/** Everything that decides which fields there are. */
const CASES: Case[] = [
  { name: 'Get Balance', parameters: GET_BALANCE },
  { name: 'Send', parameters: SEND },
  {
    name: 'Send, Send Once',
    parameters: withOptions(SEND, { duplicateMessages: 'sendOnce' }),
    items: TWICE,
    besides: ['reason', 'duplicate_of'],
  },
  {
    name: 'Send, Send Once, Also in Later Runs',
    parameters: withOptions(SEND, { duplicateMessages: 'sendOnceEver' }),
    executions: 2,
    besides: ['reason', 'sent_before'],
  },
  {
    name: 'Send, Split Into Several',
    parameters: withOptions(SEND, { longMessages: 'split' }),
    items: LONG,
    besides: ['parts'],
  },
  {
    name: 'Send, Dry Run',
    parameters: withOptions(SEND, { dryRun: true }),
    besides: ['message', 'batch', 'characters'],
    without: ['message_id', 'credits_used', 'credits_remaining', 'sent_at'],
  },
  {
    name: 'Send, On Error: Continue',
    parameters: SEND,
    items: INVALID,
    onError: 'continueRegularOutput',
    besides: ['error', 'details'],
    without: ['message_id', 'status', 'credits_used', 'credits_remaining', 'sent_at', 'phone'],
  },
  { name: 'Send Bulk', parameters: SEND_BULK },
  {
    name: 'Send Bulk, a list with Send Once',
    parameters: withOptions(SEND_LIST, { duplicateMessages: 'sendOnce' }),
    items: [{ list: [...listOf(1), ...listOf(1)] }],
    besides: ['reason', 'duplicate_of', 'duplicate_of_entry'],
  },
  {
    name: 'Send Bulk, Send Once, Also in Later Runs',
    parameters: withOptions(SEND_BULK, { duplicateMessages: 'sendOnceEver' }),
    executions: 2,
    besides: ['reason', 'sent_before'],
  },
  {
    name: 'Send Bulk, with the option Output that earlier versions had',
    parameters: withOptions(SEND_BULK, { output: 'batches' }),
  },
  {
    name: 'Send Bulk, Split Into Several',
    parameters: withOptions(SEND_BULK, { longMessages: 'split' }),
    items: LONG,
    besides: ['parts'],
  },
  {
    name: 'Send Bulk, Dry Run',
    parameters: withOptions(SEND_BULK, { dryRun: true }),
    besides: ['message', 'characters'],
    without: ['message_id'],
  },
  { name: 'Send and Wait, approved', parameters: SEND_AND_WAIT, form: { decision: 'approve' } },
  {
    name: 'Send and Wait, declined with a comment',
    parameters: WITH_COMMENT,
    form: { decision: 'decline', comment: 'Too much' },
  },
  { name: 'Send and Wait, Free Text', parameters: FREE_TEXT, form: { text: 'On Tuesday' } },
  {
    name: 'Send and Wait, Custom Form',
    parameters: CUSTOM_FORM,
    form: { 'field-0': 'Tuesday' },
    besides: ['data.Day'],
  },
];

/** The items of all executions of a case. */
async function outputsOf({ parameters, items = contacts(1), onError, executions = 1, form }: Case) {
  processedData.reset();
  const setup = setupOf({ items, parameters, onError, mode: form === undefined ? 'manual' : 'trigger' });
  const all: IDataObject[] = [];
  for (let execution = 0; execution < executions; execution += 1) {
    const ended = await run(setup);
    if (form === undefined) all.push(...ended.outputs.flat().map(({ json }) => json));
    else all.push((await open(ended, setup, linkIn(texts().at(-1) ?? ''), form)).item ?? {});
  }
  return all;
}

test('n8n finds a schema for every operation, and there is none for anything else', async () => {
  const files = readdirSync(path.join(NODE_FOLDER, '__schema__'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json'))
    .map((file) => path.join(NODE_FOLDER, '__schema__', file));
  const { version } = (await loadPackage()).node.description;
  const found = (await operations()).map((of) =>
    resolveOutputSchemaPath({ nodeDir: NODE_FOLDER, version: String(version), ...of }),
  );
  expect(files.sort()).toEqual(found.sort());
});

test.each(CASES)('The output of $name has the fields of its schema', async (one) => {
  const { besides = [], without = [] } = one;
  const items = await outputsOf(one);
  expect(items).not.toEqual([]);
  const { unknown, missing, wrong } = compare(await schemaOf(operationOf(one.parameters)), items);
  expect({ unknown, missing, wrong }).toEqual({ unknown: besides, missing: without, wrong: [] });
});

test('Every field of a schema is in an output, with each of its types', async () => {
  for (const of of await operations()) {
    const schema = await schemaOf(of);
    const seen: string[] = [];
    for (const one of CASES) {
      const { resource, operation } = operationOf(one.parameters);
      if (resource !== of.resource || operation !== of.operation) continue;
      seen.push(...compare(schema, await outputsOf(one)).seen);
    }
    expect({ of, fields: [...new Set(seen)].sort() }).toEqual({ of, fields: promisesOf(schema).sort() });
  }
});

/** Every operation that the node offers. */
async function operations(): Promise<Operation[]> {
  const { properties } = (await loadPackage()).node.description;
  return properties
    .filter(({ name }) => name === 'operation')
    .flatMap(({ options = [], displayOptions }) =>
      (displayOptions?.show?.resource ?? []).flatMap((resource) =>
        (options as INodePropertyOptions[]).map((option) => operationOf({ resource, operation: option.value })),
      ),
    );
}

function operationOf({ resource, operation }: Record<string, unknown>): Operation {
  return { resource: textOf(resource), operation: textOf(operation) };
}

/** The schema of an operation, as n8n reads it. */
async function schemaOf({ resource, operation }: Operation): Promise<OutputSchema> {
  const version = String((await loadPackage()).node.description.version);
  const schema = loadOutputSchema({ nodeDir: NODE_FOLDER, version, resource, operation });
  if (schema === undefined) throw new Error(`n8n finds no schema for ${resource}, ${operation}`);
  return schema as unknown as OutputSchema;
}

/** As much of JSON Schema as n8n reads, and the output schemas use. */
interface OutputSchema {
  readonly type: string | string[];
  readonly properties?: Readonly<Record<string, OutputSchema>>;
  readonly required?: string[];
}

/**
 * - `unknown`: a field that is in no schema.
 * - `missing`: a field that the schema always promises.
 * - `wrong`: a field of another type than the schema promises, as `field: type`.
 * - `seen`: a field that is as the schema promises.
 */
type Difference = 'unknown' | 'missing' | 'wrong' | 'seen';

/** Compares items with a schema; each difference is named once. */
function compare(schema: OutputSchema, items: IDataObject[]): Record<Difference, string[]> {
  const all = items.flatMap((item) => [...differences(schema, item)]);
  const every = (kind: Difference) => [...new Set(all.filter(([own]) => own === kind).map(([, where]) => where))];
  return { unknown: every('unknown'), missing: every('missing'), wrong: every('wrong'), seen: every('seen') };
}

function* differences(schema: OutputSchema, value: unknown, path = ''): Generator<[Difference, where: string]> {
  const { type, properties = {}, required = [] } = schema;
  const found = typeOf(value);
  const isPromised = [type].flat().includes(found);
  if (path !== '' || !isPromised) yield [isPromised ? 'seen' : 'wrong', `${path}: ${found}`];
  if (!isPromised || found !== 'object') return;
  const fields = value as IDataObject;
  for (const [name, field] of Object.entries(fields)) {
    const promised = properties[name];
    if (promised === undefined) yield ['unknown', within(path, name)];
    else yield* differences(promised, field, within(path, name));
  }
  for (const name of required) if (!(name in fields)) yield ['missing', within(path, name)];
}

/** Everything that a schema promises, as `field: type`. */
function promisesOf({ type, properties = {} }: OutputSchema, path = ''): string[] {
  const own = path === '' ? [] : [type].flat().map((name) => `${path}: ${name}`);
  return [...own, ...Object.entries(properties).flatMap(([name, inner]) => promisesOf(inner, within(path, name)))];
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

function within(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
