/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';

import { balanceProperties } from '../../nodes/MessagingSend/resources/balance';
import { deliveryOptions } from '../../nodes/MessagingSend/resources/message/deliveryOptions';
import { sendFields, sendOperations } from '../../nodes/MessagingSend/resources/message/send';
import { sendAndWait, sendAndWaitFields } from '../../nodes/MessagingSend/resources/message/sendAndWait';
import { lowBalanceProperties } from '../../nodes/MessagingSend/trigger/settings';
import { findN8n } from '../../tools/n8n/install';
import { N8N_VARIABLE, SUPPORTED } from '../../tools/n8n/releases';
import { PROJECT_FOLDER } from '../../tools/project';
import { sessionForTests } from './instanceForTests';

/** The file with this text of the editor has all of them. */
const KEY = '"settings.communityNodes.installModal.installButton.label":`';
const NODES = ['Messaging Send', 'Messaging Send Tool', 'Messaging Send Trigger'];

const readIn = (folder: string, ending: string) =>
  readdirSync(path.resolve(PROJECT_FOLDER, folder))
    .filter((name) => name.endsWith(ending))
    .map((name) => readFileSync(path.resolve(PROJECT_FOLDER, folder, name), 'utf8'));

/** What pages have in bold, except at the beginning of a paragraph or point, whole sentences, and in lower case. */
function namesOn(page: string): string[] {
  const text = page.replace(/^ *(?:- |\d+\. )?\*\*.*?\*\*/gm, '');
  const bold = [...text.matchAll(/\*\*(.+?)\*\*/g)].flatMap(([, name = '']) => name.split(' → '));
  return bold.filter((name) => /^[A-Z].*[^.:]$/.test(name));
}

/** The texts in descriptions of nodes and in workflows. */
function namesIn(json: unknown, key = ''): string[] {
  if (typeof json === 'string') return ['displayName', 'name', 'action', 'placeholder'].includes(key) ? [json] : [];
  return Object.entries(json ?? {}).flatMap(([inner, value]) => namesIn(value, inner));
}

/** What the editor of an installed n8n can show, with these names in texts such as "On {event}". */
function textsOf(modules: string, names: string[]): string[] {
  const script = readIn(path.join(modules, 'n8n-editor-ui/dist/assets'), '.js').find((text) => text.includes(KEY));
  assert.ok(script, 'the editor has its texts in another form');
  const literals = script.matchAll(/[:=](?:`((?:[^`\\]|\\.)*)`|"((?:[^"\\]|\\.)*)")/g);
  return [...literals].flatMap(([, template, quoted]) => {
    const text = (template ?? quoted ?? '').replace(/<[^>]*>/g, '');
    if (text.includes('{')) return names.map((name) => text.replace(/\{\w+\}/, name));
    // A remark in brackets may be left out.
    return [text, text.replace(/ \([^)]*\)$/, '')];
  });
}

describe('What pages tell people to click', { skip: process.env[N8N_VARIABLE] !== undefined }, () => {
  const session = sessionForTests();
  for (const release of SUPPORTED) {
    test(`Every name that a page has in bold is one that n8n ${release} shows`, async () => {
      const { args } = await findN8n(release, session);
      const modules = path.resolve(args[0] ?? '', '../../..');
      const operations = [...sendOperations, sendAndWait];
      const fields = [balanceProperties, sendFields, sendAndWaitFields, deliveryOptions, lowBalanceProperties];
      const own = [...NODES, ...namesIn([operations, ...fields])];
      const types = ['n8n-nodes-base', '@n8n/n8n-nodes-langchain'].map((name) =>
        path.join(modules, name, 'dist/types'),
      );
      const others = [...types.flatMap((folder) => readIn(folder, 'nodes.json')), ...readIn('examples', '.json')];
      const known = new Set([...own, ...others.flatMap((json) => namesIn(JSON.parse(json)))]);
      for (const text of textsOf(modules, [...own, ...own.map((name) => name.toLowerCase())])) known.add(text);
      const named = ['.', 'docs', 'examples'].flatMap((folder) => readIn(folder, '.md')).flatMap(namesOn);
      assert.ok(named.length > 50);
      const unknown = named.filter((name) => !known.has(name));
      assert.deepEqual(unknown, []);
    });
  }
});
