import { SEND, SEND_BULK } from '../../nodes/MessagingSend/delivery/operation';
import { failed, type Row } from '../../nodes/MessagingSend/messages/row';
import { outputItems } from '../../nodes/MessagingSend/n8n/output/outputItems';
import { phoneAt } from '../support/contacts';
import { failureWith, ODD_VALUES, rowAt, SENT } from './samples';

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
