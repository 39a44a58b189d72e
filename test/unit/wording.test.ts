import path from 'node:path';

import {
  type CodexData,
  type ICredentialType,
  type INodeParameters,
  type INodeProperties,
  type INodeType,
  NodeHelpers,
} from 'n8n-workflow';

import { readManifest } from '../../release/project';
import { readPage } from '../../tools/markdown';
import { PROJECT_FOLDER, readProjectFile } from '../../tools/project';

/** The built nodes and credential, whose texts n8n shows; n8n's linter sees only those that are literals in `nodes/`. */
const manifest = readManifest();

function load<T>(file: string): T {
  const built = require(path.join(PROJECT_FOLDER, file)) as Record<string, new () => T>;
  const [Class] = Object.values(built);
  if (Class === undefined) throw new Error(`${file} exports nothing`);
  return new Class();
}

const nodes = manifest.n8n.nodes.map((file) => load<INodeType>(file).description);
const credentials = manifest.n8n.credentials.map((file) => load<ICredentialType>(file));
const panels: Array<[name: string, properties: INodeProperties[]]> = [...nodes, ...credentials].map(
  ({ displayName, properties }) => [displayName, properties],
);

/** A parameter, or an option of one: what has a name in the panel. */
interface Entry {
  readonly where: string;
  readonly name: string;
  readonly texts: string[];
  readonly property: INodeProperties | null;
}

const entries = panels.flatMap(([panel, properties]) => entriesOf(panel, properties));

function entriesOf(where: string, properties: INodeProperties[]): Entry[] {
  return properties.flatMap((property) => {
    const { displayName, type, description, hint, options = [] } = property;
    const here = `${where} → ${displayName}`;
    const texts = [description, hint, type === 'notice' ? displayName : undefined].filter((text) => text !== undefined);
    const within = options.flatMap((option) => {
      if ('type' in option) return entriesOf(here, [option]);
      if (!('value' in option)) return [];
      const { name, description: said, action } = option;
      return [
        {
          where: `${here} → ${name}`,
          name,
          texts: [said, action].filter((text) => text !== undefined),
          property: null,
        },
      ];
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

/** Those texts of which something is found, with where they stand. */
function where<T extends { where: string }>(all: T[], isWrong: (one: T) => boolean): string[] {
  return all.filter(isWrong).map((one) => one.where);
}

test('there are texts to check', () => {
  expect(entries.length).toBeGreaterThan(40);
  expect(sentences.length).toBeGreaterThan(60);
});

test('names are in title case', () => {
  const small = /^(a|an|and|as|at|but|by|for|if|in|of|on|or|per|the|to|with)$/;
  const isTitleCase = (name: string): boolean => {
    const words = name.split(/\s+/).map((word) => word.replace(/^\W+/, ''));
    return words.every(
      (word, index) => /^[A-Z\d]/.test(word) || (index > 0 && index < words.length - 1 && small.test(word)),
    );
  };
  const named = [...nodes, ...credentials].map(({ displayName }) => ({
    where: displayName,
    name: displayName,
    property: null,
  }));
  expect(
    where([...named, ...entries], ({ name, property }) => property?.type !== 'notice' && !isTitleCase(name)),
  ).toEqual([]);
});

test('texts are sentences: one has no period at its end, several all have', () => {
  const isWell = (text: string): boolean => {
    const several = /[.!?] [A-Z]/.test(text);
    return /^[A-Z]/.test(text) && text === text.trim() && !/ {2}/.test(text) && text.endsWith('.') === several;
  };
  expect(sentences.filter(([, text]) => !isWell(text))).toEqual([]);
});

test('every field says what it is for', () => {
  // What these three are for is said by their options.
  const isHeading = ({ displayName, type }: INodeProperties): boolean =>
    type === 'collection' || ['Resource', 'Operation', 'Trigger On'].includes(displayName);
  expect(
    where(
      parameters,
      ({ property }) => !isHeading(property) && property.description === undefined && property.hint === undefined,
    ),
  ).toEqual([]);
});

test('every choice says what it does', () => {
  expect(where(entries, ({ property, texts }) => property === null && texts.length === 0)).toEqual([]);
});

test('actions are as short as n8n wants them: without articles', () => {
  const actions = nodes.flatMap(({ properties }) =>
    properties.flatMap(({ options = [] }) =>
      options.flatMap((option) => ('action' in option && option.action !== undefined ? [option.action] : [])),
    ),
  );
  expect(actions).toHaveLength(3);
  expect(actions.filter((action) => /\b(a|an|the)\b/i.test(action))).toEqual([]);
});

test('placeholders are examples', () => {
  const isCollection = ({ type }: INodeProperties): boolean => type === 'collection';
  expect(
    where(
      parameters,
      ({ property }) =>
        property.placeholder !== undefined && !isCollection(property) && !/^e\.g\. \S/.test(property.placeholder),
    ),
  ).toEqual([]);
});

test('a field that has to be filled in has an example or a default', () => {
  expect(
    where(
      parameters,
      ({ property }) =>
        property.required === true &&
        property.typeOptions?.password !== true &&
        property.placeholder === undefined &&
        property.default === '',
    ),
  ).toEqual([]);
});

test('a node’s subtitle and hints name parameters that it has', () => {
  for (const { displayName, subtitle = '', hints = [], properties } of nodes) {
    const named = [subtitle, ...hints.map(({ displayCondition = '' }) => displayCondition)].flatMap((text) =>
      [...text.matchAll(/\$parameter\["(\w+)"\]/g)].map(([, name]) => name),
    );
    const known = properties.map(({ name }) => name);
    expect([displayName, named.filter((name) => !known.includes(name ?? ''))]).toEqual([displayName, []]);
  }
});

describe('notices stand with the choice that they are about, and with no other', () => {
  const [sender, trigger] = nodes;
  const noticesOf = (node: typeof sender, values: INodeParameters, isTool = false): string[] => {
    if (node === undefined) throw new Error('the node is missing');
    const description = { ...node, name: isTool ? `${node.name}Tool` : node.name };
    const notices = node.properties.filter(({ type }) => type === 'notice');
    return notices
      .filter((notice) => NodeHelpers.displayParameter(values, notice, { typeVersion: 1 }, description))
      .map(({ name }) => name);
  };
  const sending = (options: INodeParameters): INodeParameters => ({
    resource: 'message',
    operation: 'sendBulk',
    source: 'items',
    options,
  });

  test.each<[string, INodeParameters, string[]]>([
    ['no option', {}, []],
    [
      'options that cost nothing',
      { dryRun: false, uncertain: 'report', longMessages: 'truncate', whenCreditsRunOut: 'stop' },
      [],
    ],
    ['Dry Run', { dryRun: true }, ['dryRunNotice']],
    ['Send Again', { uncertain: 'sendAgain' }, ['sendAgainNotice']],
    ['Split Into Several', { longMessages: 'split' }, ['splitNotice']],
    ['Send What the Credits Allow', { whenCreditsRunOut: 'sendWhatCreditsAllow' }, ['creditsNotice']],
  ])('%s', (_choice, options, expected) => {
    expect(noticesOf(sender, sending(options))).toEqual(expected);
    expect(noticesOf(sender, { resource: 'balance', operation: 'get', options })).toEqual([]);
  });

  test('a tool that sends', () => {
    expect(noticesOf(sender, sending({}), true)).toEqual(['toolNotice']);
    expect(noticesOf(sender, { resource: 'balance', operation: 'get', options: {} }, true)).toEqual([]);
  });

  test('a check every minute', () => {
    const polling = (mode: string): INodeParameters => ({
      pollTimes: { item: [{ mode }] },
      event: 'lowBalance',
      threshold: 100,
      options: {},
    });
    expect(noticesOf(trigger, polling('everyMinute'))).toEqual(['everyMinuteNotice']);
    expect(noticesOf(trigger, polling('everyHour'))).toEqual([]);
  });
});

test('what is shown or hidden depends on parameters beside it, or by a path from the root: n8n 2.0 opens no workflow otherwise', () => {
  for (const { properties } of nodes) {
    const beside = properties.map(({ name }) => name);
    const dependencies = properties.flatMap(({ displayOptions = {} }) =>
      [displayOptions.show, displayOptions.hide].flatMap((rule) => Object.keys(rule ?? {})),
    );
    expect(dependencies.filter((name) => !/^[@/]/.test(name) && !beside.includes(name))).toEqual([]);
  }
});

describe.each(manifest.n8n.nodes.map((file) => file.replace(/\.js$/, '.json')))('the codex %s', (file) => {
  const codex = JSON.parse(readProjectFile(file)) as CodexData & { node: string };

  test('is that of the node beside it', () => {
    const { name } = load<INodeType>(file.replace(/\.json$/, '.js')).description;
    expect(codex.node).toBe(`n8n-nodes-messaging-send.${name}`);
  });

  test('has categories that n8n knows', () => {
    // Those of n8n's own nodes that are not for its core.
    const known = [
      'Analytics',
      'Communication',
      'Data & Storage',
      'Development',
      'Finance & Accounting',
      'Marketing',
      'Miscellaneous',
      'Productivity',
      'Sales',
      'Utility',
    ];
    expect(codex.categories).not.toHaveLength(0);
    expect(codex.categories?.filter((category) => !known.includes(category))).toEqual([]);
  });

  test('has aliases as one types them, each once', () => {
    const alias = codex.alias ?? [];
    expect(alias).not.toHaveLength(0);
    expect(alias).toEqual([...new Set(alias.map((word) => word.toLowerCase().trim()))]);
  });

  test('links to headings of the README', () => {
    const { primaryDocumentation = [], credentialDocumentation = [] } = codex.resources ?? {};
    expect([primaryDocumentation.length, credentialDocumentation.length]).toEqual([1, 1]);
    for (const { url } of [...primaryDocumentation, ...credentialDocumentation]) expectReadmeHeading(url);
  });
});

test('the credential links to a heading of the README', () => {
  for (const { documentationUrl = '' } of credentials) expectReadmeHeading(documentationUrl);
});

/** `#readme` is the page's beginning. */
function expectReadmeHeading(url: string): void {
  expect(url.startsWith(`${manifest.homepage}#`)).toBe(true);
  const headings = readPage(readProjectFile('README.md')).headings.map(({ anchor }) => anchor);
  expect(['readme', ...headings]).toContain(url.split('#')[1]);
}
