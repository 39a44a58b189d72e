import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

import { type Session } from '../tools/cli/session';
import { asObjects, asString, isObject, type JsonObject } from '../tools/json';
import { N8nInstance } from '../tools/n8n/instance';
import { installPackage, packageFolderOf } from '../tools/n8n/package';
import { type N8nRest } from '../tools/n8n/rest';
import { PROJECT_FOLDER } from '../tools/project';
import type { Manifest } from './project';

const require = createRequire(import.meta.url);

interface Described {
  name: string;
  usableAsTool?: unknown;
}

/**
 * Installs a packed package in an empty n8n, starts it, and checks what it has loaded.
 *
 * What must be loaded follows from the files in package.json and from their classes.
 *
 * @param tarball  the packed package; the checkout holds the same in `dist/`
 * @returns a sentence for each problem
 */
export async function installProblems(tarball: string, manifest: Manifest, session: Session): Promise<string[]> {
  const providePackage = (userFolder: string) => installPackage(tarball, userFolder, session.signal);
  const { rest, folder } = await N8nInstance.start({ purpose: 'release', providePackage }, session);

  const nodes = asDescriptions(await rest.readFile('/types/nodes.json'), 'nodes.json');
  const credentials = asDescriptions(await rest.readFile('/types/credentials.json'), 'credentials.json');
  const expected = expectedTypes(manifest);
  const problems = [
    ...(existsSync(path.join(packageFolderOf(folder), 'node_modules'))
      ? ['npm installed other packages with it.']
      : []),
    ...(await loadingProblems(expected.nodes, nodes, rest)),
    ...(await loadingProblems(expected.credentials, credentials, rest)),
    ...expected.nodes.flatMap((name) => codexProblems(nodes.get(name))),
  ];
  if (problems.length === 0) session.say(`  loaded: ${[...expected.nodes, ...expected.credentials].join(', ')}`);
  return problems;
}

function expectedTypes({ name, n8n }: Manifest): { nodes: string[]; credentials: string[] } {
  const nodes = n8n.nodes.flatMap((file) => {
    const { description } = instanceOf(file) as { description: Described };
    const type = `${name}.${description.name}`;
    return description.usableAsTool === undefined ? [type] : [type, `${type}Tool`];
  });
  return { nodes, credentials: n8n.credentials.map((file) => (instanceOf(file) as Described).name) };
}

/** n8n loads from each file the class with the file's name. */
function instanceOf(file: string): unknown {
  const classes = require(path.join(PROJECT_FOLDER, file)) as Record<string, new () => unknown>;
  const name = path.basename(file).split('.')[0] ?? '';
  const Class = classes[name];
  if (Class === undefined) throw new Error(`${file} has no class ${name}`);
  return new Class();
}

function asDescriptions(text: string, where: string): Map<string, JsonObject> {
  const list = asObjects(JSON.parse(text), where);
  return new Map(list.map((description) => [asString(description.name, 'name'), description]));
}

async function loadingProblems(names: string[], loaded: Map<string, JsonObject>, rest: N8nRest): Promise<string[]> {
  const problems = names.map(async (name) => {
    const description = loaded.get(name);
    return description === undefined
      ? [`n8n has not loaded ${name}.`]
      : await iconProblems(name, description.iconUrl, rest);
  });
  return (await Promise.all(problems)).flat();
}

async function iconProblems(name: string, iconUrl: unknown, rest: N8nRest): Promise<string[]> {
  // One icon for both themes, or one for each.
  const paths = isObject(iconUrl) ? ['light', 'dark'].map((theme) => iconUrl[theme]) : [iconUrl];
  const problems = paths.map(async (icon) => {
    if (typeof icon !== 'string') return [`${name} has no icon.`];
    const text = await rest.readFile(`/${icon}`).catch(String);
    return text.includes('<svg') ? [] : [`The icon of ${name} can't be read: ${text.slice(0, 100)}`];
  });
  return (await Promise.all(problems)).flat();
}

function codexProblems(description: JsonObject | undefined): string[] {
  if (description === undefined) return [];
  return isObject(description.codex)
    ? []
    : [`${String(description.name)} has no categories: n8n has not read its .node.json.`];
}
