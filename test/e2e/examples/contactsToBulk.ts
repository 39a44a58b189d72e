import assert from 'node:assert/strict';
import { copyFile, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { before, test } from 'node:test';

import { parse } from 'csv-parse/sync';

import { EXAMPLE_CONTACTS, expectedPhone, readContacts } from '../../../demo/contacts';
import { CONTACTS_FILE } from '../../../demo/example';
import type { JsonObject } from '../../../demo/json';
import { filesFolderOf } from '../../../demo/n8n';
import type { ExampleWorld } from './world';

/** The campaign from a CSV file; that it sends well is tested by the demo. */
export function testContacts({ stage, received, runFrom }: ExampleWorld): void {
  let folder: string;
  before(async () => {
    folder = filesFolderOf(stage().folder);
    await copyFile(EXAMPLE_CONTACTS, path.join(folder, CONTACTS_FILE));
  });

  /** Runs it, and reads the file of failed rows that it has written. */
  const failedRows = async (): Promise<JsonObject[]> => {
    const earlier = await readdir(folder);
    assert.equal((await runFrom('Start')).status, 'success');
    const [file = '', ...more] = (await readdir(folder)).filter((name) => !earlier.includes(name));
    assert.match(file, /^not-sent-\d{4}-\d\d-\d\d-\d+\.csv$/);
    assert.deepEqual(more, []);
    return parse(await readFile(path.join(folder, file)), { columns: true, bom: true });
  };

  test('every contact that can be reached gets a message, and the others are in the file, with the reason', async () => {
    const contacts = await readContacts(EXAMPLE_CONTACTS);
    const rows = await failedRows();
    assert.deepEqual(
      received()
        .map(({ phone }) => phone)
        .sort(),
      contacts.flatMap((contact) => expectedPhone(contact) ?? []).sort(),
    );
    assert.deepEqual(
      rows.map(({ name, phone, city, appointment }) => ({ name, phone, city, appointment })),
      contacts.filter((contact) => expectedPhone(contact) === undefined),
    );
    for (const row of rows) {
      assert.deepEqual(Object.keys(row), [
        'name',
        'phone',
        'city',
        'appointment',
        'error',
        'description',
        'code',
        'outcome',
      ]);
      assert.deepEqual([row.code, row.outcome], ['INVALID_PHONE', 'not_sent']);
      assert.match(String(row.error), /^The phone number /);
      assert.match(String(row.description), /\.$/);
    }
  });

  test('contacts whose message may have gone out are in the file as uncertain', async () => {
    stage().sandbox.setFaults([{ kind: 'reset-after', on: 'bulk' }]);
    const rows = await failedRows();
    assert.equal(rows.filter(({ outcome }) => outcome === 'uncertain').length, 100);
    assert.equal(received().length, new Set(received().map(({ phone }) => phone)).size);
  });
}
