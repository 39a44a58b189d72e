/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { isDeepStrictEqual } from 'node:util';

import type { INodeProperties } from 'n8n-workflow';

import { isObject, type JsonObject } from '../../nodes/MessagingSend/api/objects';
import type { Failure } from '../../nodes/MessagingSend/failures/failure';
import { MessagingSend } from '../../nodes/MessagingSend/MessagingSend.node';
import { MessagingSendTrigger } from '../../nodes/MessagingSend/MessagingSendTrigger.node';
import { draftFromItem } from '../../nodes/MessagingSend/n8n/input/drafts';
import { ItemParameters } from '../../nodes/MessagingSend/n8n/input/itemParameters';
import { booleanIn, GivenOptions, includeOtherFields } from '../../nodes/MessagingSend/n8n/input/readOptions';
import { readRequestOptions, type RequestOptions } from '../../nodes/MessagingSend/n8n/input/requestOptions';
import { readDeliveryOptions } from '../../nodes/MessagingSend/resources/message/deliveryOptions';
import { readPage } from '../../nodes/MessagingSend/resources/message/pageFields';
import { durationIn, limitWaitTime } from '../../nodes/MessagingSend/resources/message/sendAndWait';
import { readTriggerSettings } from '../../nodes/MessagingSend/trigger/settings';
import { givenOptions, listOf, ODD_VALUES } from './samples';

const LIMITS = { maxWait: 300_000, requestsPerMinute: null, interval: 0 };

test("An option that is empty has the default of its field, and 'Requests per Minute' leaves the key's limit as it is", () => {
  const empty = { longestWait: '', requestsPerMinute: null };
  for (const given of [empty, {}]) expect(readRequestOptions(givenOptions(given)).limits).toEqual(LIMITS);
});

type Read = (path: string, fallback?: unknown) => unknown;

/** Everything that an operation or the trigger reads from its parameters. */
const SETTINGS = {
  'Messaging Send': (read: Read): unknown[] => {
    const source = {
      items: [],
      valueOf: (name: string, _item: number, fallback: unknown) => read(name, fallback),
      evaluate: () => undefined,
    };
    const given = new GivenOptions(source);
    return [
      readDeliveryOptions(given),
      given.read(includeOtherFields, booleanIn, false),
      given.read(limitWaitTime, durationIn, null),
      readRequestOptions(given),
      draftFromItem(0, new ItemParameters(source)),
      readPage(given, undefined),
      given.failure,
    ];
  },
  'Messaging Send Trigger': (read: Read): unknown => readTriggerSettings({ getNodeParameter: read as never }),
};

const asked = new Set<string>();

function settings(node: keyof typeof SETTINGS, parameters: JsonObject): unknown {
  const read: Read = (path, fallback) => {
    asked.add(path);
    const value = path.split('.').reduce<unknown>((all, name) => (isObject(all) ? all[name] : undefined), parameters);
    return value ?? fallback;
  };
  return SETTINGS[node](read);
}

/** An option, or a field of one, and the parameters without it and with its default. */
interface Added {
  readonly node: keyof typeof SETTINGS;
  readonly label: string;
  readonly path: string;
  readonly without: JsonObject;
  readonly added: JsonObject;
}

const NODES = [new MessagingSend(), new MessagingSendTrigger()].map(({ description }) => description);

/** What the user can add: options, Request Options, and the options of an approval. */
const ADDED = NODES.flatMap(({ displayName, properties }) =>
  ['approval', 'freeText'].flatMap((responseType) => {
    const given = { threshold: 100, responseType };
    const collections = properties.filter(({ name }) =>
      ['options', 'requestOptions', 'approvalOptions'].includes(name),
    );
    return collections.flatMap((collection) => addedIn(displayName as Added['node'], collection, given));
  }),
);

function addedIn(node: Added['node'], collection: INodeProperties, given: JsonObject, path: string[] = []): Added[] {
  const inner = [...path, collection.name];
  const one = ({ displayName, name, default: value }: INodeProperties, within: string[], others: JsonObject): Added => {
    const parameters = (values: JsonObject) => within.reduceRight<JsonObject>((all, step) => ({ [step]: all }), values);
    const { [name]: _, ...without } = others;
    return {
      node,
      label: within.length === 1 ? displayName : `${collection.displayName} → ${displayName}`,
      path: [...within, name].join('.'),
      without: { ...given, ...parameters(without) },
      added: { ...given, ...parameters({ ...others, [name]: value }) },
    };
  };
  return (collection.options ?? []).flatMap((option) => {
    if ('type' in option) return [one(option, inner, {}), ...addedIn(node, option, given, inner)];
    if (!('values' in option)) return [];
    const defaults = option.values.map(({ name, default: value }) => [name, value]);
    return option.values.map((field) => {
      // A field that depends on another one is tried when it is shown.
      const shown = Object.entries(field.displayOptions?.show ?? {}).map(([name, values]) => [name, values?.[0]]);
      return one(field, [...inner, option.name], Object.fromEntries([...defaults, ...shown]) as JsonObject);
    });
  });
}

const labelsOf = (added: Added[]) => [...new Set(added.map(({ label }) => label))].sort();

/** Adding one of these switches it on, or says something in hints, as an empty list of opt-outs does. */
const SWITCHED_ON = listOf(`Check Credits First, Dry Run, Empty Fields, Limit Wait Time, Never Send To,
  Requests per Minute, Send Window, Test Run`);

describe('An option that is added and left as it is', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  test('changes nothing, unless adding it is what switches it on', () => {
    const changing = ADDED.filter(
      ({ node, without, added }) => !isDeepStrictEqual(settings(node, without), settings(node, added)),
    );
    expect(labelsOf(changing)).toEqual(SWITCHED_ON);
  });

  test('is read: otherwise it could not change anything', () => {
    for (const { node, added } of ADDED) settings(node, added);
    const isRead = ({ path }: Added) =>
      [...asked].some((one) => `${path}.`.startsWith(`${one}.`) || one.startsWith(`${path}.`));
    expect(labelsOf(ADDED.filter((one) => !isRead(one)))).toEqual([]);
    expect(labelsOf(ADDED).length).toBeGreaterThan(30);
  });
});

test('No option is a collection in the collection, because one of its two bins would leave the heading of what is gone', () => {
  const own = NODES.flatMap(({ properties }) => properties.filter(({ name }) => name === 'options'));
  const types = own.flatMap(({ options = [] }) => options.map((option) => 'type' in option && option.type));
  expect(new Set(types)).toEqual(new Set(['boolean', 'number', 'options', 'string']));
});

const FIVE_MINUTES = 300_000;
const DEFAULTS = { limits: LIMITS, batchSize: 100, http: { timeout: FIVE_MINUTES }, failure: null };

function requestOptions(collection: unknown): RequestOptions & { failure: Failure | null } {
  const given = givenOptions({}, isObject(collection) ? collection : {});
  return { ...readRequestOptions(given), failure: given.failure };
}

test.each<[given: number | undefined, size: number, interval: number, timeout: number]>([
  [50, 50, 50, 50],
  [2.9, 2, 2.9, 2.9],
  [500, 100, 500, 500],
  [undefined, 100, 0, FIVE_MINUTES],
])('%s is read as %s items per batch, an interval of %s ms, a timeout of %s ms', (given, size, interval, timeout) => {
  const options = requestOptions({ batching: { batch: { batchSize: given, batchInterval: given } }, timeout: given });
  expect(options).toMatchObject({ limits: { interval }, batchSize: size, http: { timeout }, failure: null });
});

test("Items per Batch of -1 and 0 are read in n8n's way", () => {
  const sizeOf = (batchSize: number) => requestOptions({ batching: { batch: { batchSize } } }).batchSize;
  expect([-1, 0].map(sizeOf)).toEqual([100, 1]);
});

test('Numbers that expressions give as texts are read as numbers', () => {
  const batch = { batchSize: '10', batchInterval: '2000' };
  expect(requestOptions({ batching: { batch }, timeout: ' 600000 ' })).toEqual({
    limits: { ...LIMITS, interval: 2000 },
    batchSize: 10,
    http: { timeout: 600_000 },
    failure: null,
  });
  for (const timeout of ['a minute', 0, ' ', [], true])
    expect(requestOptions({ timeout }).failure?.message).toBe("'Timeout' must be a number of at least 1");
});

test('SSL issues are ignored only if that is switched on', () => {
  expect(requestOptions({ allowUnauthorizedCerts: true }).http.skipSslCertificateValidation).toBe(true);
  for (const value of [false, 'false', ''])
    expect(requestOptions({ allowUnauthorizedCerts: value }).http.skipSslCertificateValidation).toBeUndefined();
});

describe('Proxy', () => {
  test.each<[string, object | undefined]>([
    ['', undefined],
    ['proxy.example.com:3128', { host: 'proxy.example.com', port: 3128, protocol: 'http' }],
    ['http://proxy.example.com', { host: 'proxy.example.com', port: 80, protocol: 'http' }],
    ['https://proxy.example.com', { host: 'proxy.example.com', port: 443, protocol: 'https' }],
  ])('given as %j is read as %j', (proxy, expected) => expect(requestOptions({ proxy }).http.proxy).toEqual(expected));

  test.each([
    'http://',
    'http://a:50%off@proxy.example.com',
    'http://proxy example.com',
    'http://user:secret@',
    'http://user:secret@proxy.example.com:99999',
    'socks5://example.com:1080',
  ])('that is not an address, or of another kind, is an error without its password: %s', (proxy) => {
    // No part of the message may be the password.
    expect(requestOptions({ proxy }).failure?.message).toMatch(/^(?!.*secret)/s);
  });
});

test.each(ODD_VALUES)('Request Options of %s change nothing', (_name, value) => {
  for (const options of [value, { batching: value }, { batching: { batch: value } }])
    expect(requestOptions(options)).toEqual(DEFAULTS);
});
