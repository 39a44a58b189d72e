/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';

import { parse } from 'csv-parse/sync';

import { EXAMPLE_CONTACTS, provideContacts } from '../../../tools/n8n/examples';
import { filesFolderOf } from '../../../tools/n8n/settings';
import { type JsonObject } from '../../../tools/n8n/workflow';
import { type ExampleWorld, itemsAt } from '../exampleWorld';

type Contact = Record<'name' | 'phone' | 'city' | 'appointment', string>;
const contactIn = ({ name, phone, city, appointment }: JsonObject) => ({ name, phone, city, appointment });
type Row = Contact & Record<'error' | 'description' | 'code' | 'outcome', string>;

/** The campaign from a CSV file. */
export function tests({ instance, received, sending, succeedFrom }: ExampleWorld): void {
  const read = async <Columns>(file: string): Promise<Columns[]> =>
    parse(await readFile(file), { columns: true, bom: true });

  test('Every contact that can be reached gets its own text, and the others are in the file, with the reason', async () => {
    await provideContacts(instance().folder);
    const folder = filesFolderOf(instance().folder);
    const sent = itemsAt(await succeedFrom('Start', sending()), 'Sent');
    const [file = '', ...more] = (await readdir(folder)).filter((name) => name !== 'contacts.csv');
    assert.match(file, /^not-sent-\d{4}-\d\d-\d\d-\d+\.csv$/);
    assert.deepEqual(more, []);

    const contacts = await read<Contact>(EXAMPLE_CONTACTS);
    const reachable = contacts.flatMap((contact) => {
      const phone = expectedPhone(contact.phone);
      return phone === undefined ? [] : [{ ...contact, phone }];
    });
    assert.deepEqual(sent.map(contactIn), reachable);
    const texts = reachable.map(
      ({ name, phone, city, appointment }) =>
        `${phone}: Hello ${name}, a reminder of your appointment in ${city} on ${appointment}. Please call us to change it.`,
    );
    assert.deepEqual(
      received()
        .map(({ phone, message }) => `${phone}: ${message}`)
        .sort(),
      texts.sort(),
    );
    const failed = await read<Row>(path.join(folder, file));
    for (const { error, description, code, outcome } of failed) {
      assert.deepEqual([code, outcome], ['INVALID_PHONE', 'not_sent']);
      assert.match(`${error} ${description}`, /^The phone number .*\.$/);
    }
    assert.deepEqual(
      failed.map(contactIn),
      contacts.filter(({ phone }) => expectedPhone(phone) === undefined),
    );
  });
}

/**
 * The number that a message must go to, by the API document (4.2): digits with the country code, no leading 0 or +.
 * Written independently of the node's own rule, which it checks. @returns `undefined` if it can't be reached
 */
function expectedPhone(phone: string): string | undefined {
  const digits = phone.replace(/[\s().-]/g, '').replace(/^(\+|00)/, '');
  return /^[1-9]\d{6,14}$/.test(digits) ? digits : undefined;
}
