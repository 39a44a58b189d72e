/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { before, test } from 'node:test';

import { parse } from 'csv-parse/sync';

import { contactsExampleNodes, nodesOf, provideContacts } from '../../../tools/n8n/examples';
import { filesFolderOf } from '../../../tools/n8n/settings';
import { type JsonObject } from '../../../tools/n8n/workflow';
import { type ExampleWorld, itemsAt } from '../exampleWorld';
import { byPhone, expectedPhone, readContacts } from '../recipients';

/** In an expression, where a contact's column goes. */
const PLACE = /\{\{\s*\$json\.(\w+)\s*\}\}/g;

/** The campaign from a CSV file. */
export function tests({ instance, workflow, received, sending, succeedFrom }: ExampleWorld): void {
  let folder: string;
  before(async () => {
    folder = filesFolderOf(instance().folder);
    await provideContacts(instance().folder);
  });

  /** Runs it, and reads the file of failed rows that it has written. */
  const run = async (): Promise<{ sent: JsonObject[]; failed: JsonObject[] }> => {
    const earlier = await readdir(folder);
    const sent = itemsAt(await succeedFrom('Start', sending()), 'Sent');
    const [file = '', ...more] = (await readdir(folder)).filter((name) => !earlier.includes(name));
    assert.match(file, /^not-sent-\d{4}-\d\d-\d\d-\d+\.csv$/);
    assert.deepEqual(more, []);
    return { sent, failed: parse(await readFile(path.join(folder, file)), { columns: true, bom: true }) };
  };

  test('Every contact that can be reached gets its own text, and the others are in the file, with the reason', async () => {
    const contacts = await readContacts();
    const reachable = contacts.flatMap((contact) => {
      const phone = expectedPhone(contact);
      return phone === undefined ? [] : [{ name: contact.name, city: contact.city, phone }];
    });
    const sender = nodesOf(workflow()).find(({ name }) => name === contactsExampleNodes(workflow()).sender);
    const template = String(sender?.parameters.message);
    const messages = contacts.map((contact) => ({
      phone: expectedPhone(contact),
      message: template.slice(1).replace(PLACE, (_place, column: string) => contact[column] ?? ''),
    }));
    const { sent, failed } = await run();
    assert.deepEqual(received(), messages.filter(({ phone }) => phone !== undefined).sort(byPhone));
    const reached = sent.map(({ name, city, phone }) => ({ name, city, phone }));
    assert.deepEqual(reached, reachable);
    assert.deepEqual(
      failed.map(({ name, phone, city, appointment }) => ({ name, phone, city, appointment })),
      contacts.filter((contact) => expectedPhone(contact) === undefined),
    );
    const columns = ['name', 'phone', 'city', 'appointment', 'error', 'description', 'code', 'outcome'];
    for (const row of failed) {
      assert.deepEqual(Object.keys(row), columns);
      assert.deepEqual([row.code, row.outcome], ['INVALID_PHONE', 'not_sent']);
      assert.match(String(row.error), /^The phone number /);
      assert.match(String(row.description), /\.$/);
    }
  });
}
