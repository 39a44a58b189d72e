import { SEND, SEND_BULK } from '../../nodes/MessagingSend/delivery/operation';
import { failed, type Row } from '../../nodes/MessagingSend/messages/row';
import { outputItems } from '../../nodes/MessagingSend/n8n/output/outputItems';
import { phoneAt } from '../support/contacts';
import { failureWith, ODD_VALUES, rowAt, SENT } from './samples';

const OPERATIONS = [
  ['Send', SEND],
  ['Send Bulk', SEND_BULK],
] as const;
const DATA = { message_id: 7, status: 'sent', credits_used: 1, credits_remaining: 9, sent_at: '2030-01-01T00:00:00Z' };

test.each([
  ['the answer has all fields', DATA, DATA],
  [
    'the answer lacks fields and has others',
    { extra: 'x', status: { nested: true } },
    { message_id: 7, status: 'sent', credits_used: null, credits_remaining: null, sent_at: null },
  ],
  [
    'the answer has a name such as __proto__',
    JSON.parse('{"__proto__": {"polluted": true}, "credits_used": 1}') as Row['data'],
    { message_id: 7, status: 'sent', credits_used: 1, credits_remaining: null, sent_at: null },
  ],
])('The item of a message that Send sent has the fields of the API if %s', async (_what, data, fields) => {
  const items = await outputItems([rowAt(0, { batch: 1, data, outcome: SENT })], SEND, false, null);
  expect(items).toEqual([{ json: { ...fields, phone: phoneAt(0) }, pairedItem: { item: 0 } }]);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

test.each(OPERATIONS)('An item of a dry run of %s shows what would be sent', async (_name, operation) => {
  const phoneGiven = '+44 7700 900000';
  const plan: Partial<Row> = { batch: 3, outcome: { kind: 'planned' } };
  const duplicateOf = rowAt(1, { text: 'the end', ...plan });
  const rows = [
    rowAt(0, { phoneGiven, text: 'Hello 😀', ...plan }),
    duplicateOf,
    rowAt(2, { text: 'the end', duplicateOf, outcome: { kind: 'skipped', reason: 'duplicate' } }),
  ];
  const planned = { status: 'dry_run', reason: 'would_be_sent', batch: 3, characters: 7 };
  const skipped = { status: 'skipped', reason: 'duplicate', batch: null, characters: 7, duplicate_of: 1 };
  const items = await outputItems(rows, operation, true, null);
  expect(items.map(({ json }) => json)).toEqual([
    { phone: phoneAt(0), message: 'Hello 😀', phone_given: phoneGiven, ...planned },
    { phone: phoneAt(1), message: 'the end', phone_given: phoneAt(1), ...planned },
    { phone: phoneAt(2), message: 'the end', phone_given: phoneAt(2), ...skipped },
  ]);
  const firstFields = ['phone', 'message', 'status', 'reason'];
  for (const { json } of items) expect(Object.keys(json).slice(0, 4)).toEqual(firstFields);
});

test.each(ODD_VALUES)('A failed item whose phone is %s has only what an item can contain', async (_name, value) => {
  const defect = failureWith();
  const [item] = await outputItems(
    [rowAt(0, { phoneGiven: value, defect, outcome: failed(defect) })],
    SEND_BULK,
    false,
    null,
  );
  const { phone } = item?.json.details as { phone: unknown };
  expect(phone === null || typeof phone === 'string' || typeof phone === 'number').toBe(true);
});
