import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { draftsFromSource } from '../../nodes/MessagingSend/n8n/input/drafts';
import { ItemParameters, plainPath, sourceOfRun, valueAt } from '../../nodes/MessagingSend/n8n/input/itemParameters';
import { contextIn, contextOf } from '../support/engine/workflow';
import { SEND } from '../support/parameters';

/** One for all tests, because n8n takes long to make a workflow. */
let prepared: ReturnType<typeof contextOf> | undefined;

/** The value that n8n passes to a node whose parameter Phone is this expression. */
async function contextWith(phone: string, items: IDataObject[]) {
  prepared ??= contextOf({ items: [], parameters: SEND, account: { baseUrl: 'http://127.0.0.1', apiKey: '' } });
  const { context } = await prepared;
  context.node.parameters.phone = phone;
  return contextIn(context, items);
}

/** A value, or n8n's message about the expression that can't be read. */
function valueOrError(read: () => unknown): unknown {
  try {
    return { value: read() };
  } catch (error) {
    return { error: (error as Error).message.replace("An expression in 'Phone' can't be evaluated: ", '') };
  }
}

const NAMES = [
  ...['a', 'b', '_c1', 'phone number', '0', '', 'length', 'größe', "it's", '\n', '}}', '{{'],
  ...['constructor', '__proto__', 'toJSON', 'caller'],
];

const leaf = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.double(),
  fc.integer(),
  fc.boolean(),
  fc.constantFrom(null, undefined, '={{ 1 }}', '{{ $json.a }}', [], {}),
);

/** A step of an expression, and the name that it reads. */
const step = fc.oneof(
  fc.constantFrom('a', 'b', '_c1').map((name) => ({ name, written: `.${name}` })),
  fc.constantFrom(...NAMES).map((name) => ({ name, written: `.${name}` })),
  fc.constantFrom(...NAMES).map((name) => ({ name, written: `["${name}"]` })),
  fc.constantFrom(...NAMES).map((name) => ({ name, written: `['${name}']` })),
  fc.nat({ max: 2 }).map((index) => ({ name: String(index), written: `[${index}]` })),
);
const space = fc.constantFrom('', ' ', '\n ');

/** An expression, and items in which its path or a part of it leads to a value. */
const expressionAndItems = fc.array(step, { minLength: 1, maxLength: 3 }).chain((steps) => {
  const written = steps.map((each) => each.written).join('');
  const json = fc.tuple(fc.nat({ max: 9 }), fc.boolean(), leaf).map(([depth, asList, value]) => {
    const names = steps.slice(0, depth).map(({ name }) => name);
    return names.reduceRight<unknown>(
      (inner, name) =>
        asList && /^\d$/.test(name) ? listWith(Number(name), inner) : Object.fromEntries([[name, inner]]),
      value,
    );
  });
  return fc.record({
    phone: fc.tuple(space, space).map(([before, after]) => `={{${before}$json${written}${after}}}`),
    jsons: fc.array(
      json.map((value) =>
        typeof value === 'object' && value !== null && !Array.isArray(value) ? value : { a: value },
      ),
      { minLength: 1, maxLength: 5 },
    ),
  });
});

const listWith = (index: number, value: unknown): unknown[] =>
  Array.from({ length: index + 1 }, (_, place) => (place === index ? value : place));

test('An expression that names a field has exactly the value that n8n evaluates it to, whatever the items contain', async () => {
  let readDirectly = 0;
  await fc.assert(
    fc.asyncProperty(expressionAndItems, async ({ phone, jsons }) => {
      const context = await contextWith(phone, jsons as IDataObject[]);
      const expected = jsons.map((_json, item) => valueOrError(() => context.getNodeParameter('phone', item)));
      const calls = jest.spyOn(context, 'getNodeParameter');
      const parameters = new ItemParameters(sourceOfRun(context));
      expect(jsons.map((_json, item) => valueOrError(() => parameters.read('phone', item)))).toEqual(expected);
      // One more call reads the expression itself.
      readDirectly += jsons.length - (calls.mock.calls.length - 1);
    }),
    { numRuns: 500 },
  );
  expect(readDirectly).toBeGreaterThan(125);
}, 60_000);

const value = fc.oneof(fc.string(), fc.double(), fc.constantFrom(null, undefined, true, [], ['1'], { number: '1' }));
const odd = fc.oneof(value, fc.date({ noInvalidDate: true }), fc.constant({ toJSON: () => '447700900123' }));
const entry = fc.oneof(value, fc.record({ phone: odd, message: odd, other: odd }, { requiredKeys: [] }));

test("A list of messages that an expression names gives the messages that n8n's value gives, whatever it contains", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(entry), fc.boolean(), async (list, isBody) => {
      const context = await contextWith('', [{ list: isBody ? { messages: list } : list } as IDataObject]);
      const draftsWith = (messages: string) => {
        Object.assign(context.node.parameters, { source: 'json', messages });
        return draftsFromSource(0, new ItemParameters(sourceOfRun(context)));
      };
      expect(draftsWith('={{ $json.list }}')).toEqual(draftsWith('={{ $json["list"] ?? 0 }}'));
    }),
  );
});

const ITEMS = Array.from({ length: 50 }, (_, index) => ({ phone: `44770090${index}` }));

test.each([
  ['A fixed phone number', '447700900123', ITEMS.map(() => '447700900123'), 1],
  ['A plain expression', '={{ $json.phone }}', ITEMS.map(({ phone }) => phone), 1],
  ['Any other expression', '={{ $json.phone.trim() }}', ITEMS.map(({ phone }) => phone), 50],
])('%s is evaluated no more often for 50 items than necessary', async (_what, phone, values, evaluations) => {
  const context = await contextWith(phone, ITEMS);
  const calls = jest.spyOn(context, 'getNodeParameter');
  const parameters = new ItemParameters(sourceOfRun(context));
  expect(ITEMS.map((_item, index) => parameters.read('phone', index))).toEqual(values);
  expect(calls.mock.calls.filter(([, , , options]) => options === undefined)).toHaveLength(evaluations);
});

test.each([
  ['A fixed text', '{{ $json.phone }}'],
  ['Text around it', '=+{{ $json.phone }}'],
  ['A space around it', '={{ $json.phone }} '],
  ['A call', '={{ $json.phone.trim() }}'],
  ['A calculation', '={{ $json.phone + 1 }}'],
  ['An optional step', '={{ $json?.phone }}'],
  ['An escape', '={{ $json["\\x70hone"] }}'],
  ['Another node', '={{ $("Form").item.json.phone }}'],
  ['The whole item', '={{ $json }}'],
  ['A computed step', '={{ $json[$json.field] }}'],
  ['Nothing', undefined],
])('%s is evaluated by n8n', (_what, parameter) => expect(plainPath(parameter)).toBeNull());

test.each([
  ['Null', { a: { b: null } }],
  ['An inherited name', { a: Object.create({ b: 'x' }) as object }],
  ['An object that n8n shows otherwise', { a: { b: 'x', toJSON: () => ({ b: 'y' }) } }],
])('%s is read from an item by n8n', (_what, json) => expect(valueAt(json, ['a', 'b'])).toBeUndefined());
