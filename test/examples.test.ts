/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

import { parse } from 'yaml';

import { PROJECT_FOLDER, readManifest, readProjectFile } from '../tools/project';
import { readPage } from './documentation/pages';

/** Checks the files of the examples without n8n; `test/e2e/examples.test.ts` runs them. */

interface Node {
  name: string;
  id: string;
  type: string;
  parameters: {
    content?: string;
    rules?: { values: unknown[] };
    resource?: string;
    source?: string;
    options?: { dryRun?: boolean; emptyFields?: string };
  };
  credentials?: Record<string, object>;
  onError?: string;
}
interface Target {
  node: string;
  type: string;
  index: number;
}
interface Workflow {
  name: string;
  nodes: Node[];
  connections: Record<string, Record<string, Target[][]>>;
}

const FOLDER = path.join(PROJECT_FOLDER, 'examples');
const NOTE = 'n8n-nodes-base.stickyNote';
const SENDER = 'n8n-nodes-messaging-send.messagingSend';
/** Reserved for fiction in the United Kingdom, North America, France and Australia. */
const FICTION = /^(((00)?44|0)7700900\d{3}|1[2-9]\d\d55501\d\d|3363998\d{4}|61491570(006|110|15[6-9]|313|737))$/;
const README = readFileSync(path.join(FOLDER, 'README.md'), 'utf8');
const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));

describe.each(files)('%s', (file) => {
  const text = readFileSync(path.join(FOLDER, file), 'utf8');
  const workflow = JSON.parse(text) as Workflow;
  const notes = workflow.nodes.filter(({ type }) => type === NOTE);
  const nodes = workflow.nodes.filter(({ type }) => type !== NOTE);
  const names = nodes.map(({ name }) => name);
  const senders = nodes.filter(({ parameters }) => parameters.source === 'items');
  const written = notes.map(({ parameters }) => parameters.content ?? '').join('\n');

  test('contains nothing of the n8n that it was exported from', () => {
    expect(Object.keys(workflow)).toEqual(['name', 'nodes', 'connections', 'settings', 'pinData']);
    expect(workflow).toMatchObject({ settings: { executionOrder: 'v1' }, pinData: {} });
    // n8n finds a credential by its name if it has no id.
    for (const { credentials = {} } of nodes)
      for (const credential of Object.values(credentials)) expect(Object.keys(credential)).toEqual(['name']);
  });

  test('contains only phone numbers that are reserved for fiction', () => {
    const numbers = text.match(/(?<![\w-])\+?\d[\d ]{8,}\d(?![\w-])/g) ?? [];
    for (const number of numbers) expect(number.replace(/\D/g, '')).toMatch(FICTION);
  });

  test('explains on the canvas what it does, what to set, and that it sends real messages', () => {
    expect(written).toMatch(new RegExp(`^## ${workflow.name}$`, 'm'));
    expect(written).toContain('**Before you run it**');
    const sends = nodes.some(({ type, parameters }) => type.startsWith(SENDER) && parameters.resource === 'message');
    expect(written).toContain(
      sends ? '**This sends real messages.**' : 'This workflow sends no messages and uses no credits.',
    );
    expect(written).toMatch(/\*\*(When something( else)? goes wrong|What the caller gets)\*\*/);
  });

  test('sends nothing to a list as it is imported, and says so on the canvas', () => {
    expect(senders.filter(({ parameters }) => parameters.options?.dryRun !== true)).toEqual([]);
    expect(written.includes("'Dry Run' is on, so ")).toBe(senders.length > 0);
  });

  test('sends a list with the safe settings: no text with a gap, and what was not sent is kept', () => {
    // Asks about both kinds together, so it reads both from one output.
    const kept = file === 'careful-launch.json' ? 'continueRegularOutput' : 'continueErrorOutput';
    expect(senders.map(({ onError, parameters }) => [onError, parameters.options?.emptyFields])).toEqual(
      senders.map(() => [kept, 'doNotSend']),
    );
  });

  test('connects every node and every output', () => {
    const targets = Object.values(workflow.connections).flatMap((kinds) => Object.values(kinds).flat(2));
    for (const { node } of targets) expect(names).toContain(node);
    for (const name of Object.keys(workflow.connections)) expect(names).toContain(name);
    for (const { name } of nodes)
      expect(name in workflow.connections || targets.some(({ node }) => node === name)).toBe(true);
    const branching = nodes.filter((node) => outputsOf(node) > 1);
    const connected = ({ name }: Node) =>
      (workflow.connections[name]?.main ?? []).filter((output) => output.length > 0).length;
    expect(branching.map((node) => [node.name, connected(node)])).toEqual(
      branching.map((node) => [node.name, outputsOf(node)]),
    );
  });

  test('is in the README of the examples, with a small picture', () => {
    const picture = `../docs/examples/${path.basename(file, '.json')}.png`;
    expect(readPage(README).links).toEqual(expect.arrayContaining([file, picture]));
    expect(statSync(path.join(FOLDER, picture)).size).toBeLessThan(150_000);
  });
});

test('The example for Docker Compose installs this package, and keeps it in a volume with the data of n8n', () => {
  const { services, volumes } = parse(readProjectFile('examples/docker/compose.yaml')) as {
    services: { n8n: { environment: Record<string, string>; volumes: string[] } };
    volumes: object;
  };
  const { environment, volumes: mounted } = services.n8n;
  expect(environment).toMatchObject({
    N8N_COMMUNITY_PACKAGES_ENABLED: 'true',
    N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
    N8N_COMMUNITY_PACKAGES_MANAGED_BY_ENV: 'true',
    N8N_COMMUNITY_PACKAGES: JSON.stringify([{ name: readManifest().name }]),
  });
  expect(mounted).toEqual(Object.keys(volumes).map((volume) => `${volume}:/home/node/.n8n`));
});

/** How many outputs of a node must be connected, unless the node is an end. */
function outputsOf({ type, parameters, onError }: Node): number {
  if (type === 'n8n-nodes-base.if') return 2;
  // The last output is the fallback.
  if (type === 'n8n-nodes-base.switch') return (parameters.rules?.values.length ?? 0) + 1;
  return onError === 'continueErrorOutput' ? 2 : 1;
}
