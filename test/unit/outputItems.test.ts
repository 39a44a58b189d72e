import type { Delivered } from '../../nodes/MessagingSend/delivery/deliver';
import { SEND, SEND_BULK } from '../../nodes/MessagingSend/delivery/operation';
import { type Message, unsendable } from '../../nodes/MessagingSend/messages/message';
import type { Outcome, Receipt } from '../../nodes/MessagingSend/messages/outcome';
import { outputItems } from '../../nodes/MessagingSend/n8n/output/outputItems';
import { phoneAt } from '../support/contacts';
import { failureWith, messageAt, NOTHING_DELIVERED, ODD_VALUES } from './samples';

const OPERATIONS = [
  ['Send', SEND],
  ['Send Bulk', SEND_BULK],
] as const;
const DATA = { message_id: 7, status: 'sent', credits_used: 1, credits_remaining: 9, sent_at: '2030-01-01T00:00:00Z' };

/** The items of a run with only these outcomes. */
function itemsOf(operation: typeof SEND, delivered: Partial<Delivered>) {
  return outputItems({ ...NOTHING_DELIVERED, ...delivered }, operation);
}

const NOT_SENT: Outcome = { kind: 'not_sent', failure: failureWith() };
function sent(messageId: number | null): Outcome {
  return { kind: 'sent', messageId, status: 'sent' };
}

function receipt(batch: number, results: Array<[Message, Outcome]>, data: Receipt['data'] = DATA): Receipt {
  return { batch, results: results.map(([message, outcome]) => ({ message, outcome })), data };
}

function wrongDraft(item: number, entry: number | null, phone: unknown = '07700') {
  const wrong = { code: 'INVALID_PHONE', message: 'The phone number is wrong', advice: 'Correct it.' } as const;
  return unsendable({ item, entry, phone }, failureWith({ httpStatus: null, ...wrong }));
}

test.each([
  ['the answer has all fields', DATA, DATA],
  [
    'the answer lacks fields and has others',
    { extra: 'x', status: { nested: true } },
    { message_id: 7, status: 'sent', credits_used: null, credits_remaining: null, sent_at: null },
  ],
  [
    'the answer has a name such as __proto__',
    JSON.parse('{"__proto__": {"polluted": true}, "credits_used": 1}') as Receipt['data'],
    { message_id: 7, status: 'sent', credits_used: 1, credits_remaining: null, sent_at: null },
  ],
])('The item of a message that Send sent has the fields of the API if %s', (_what, data, fields) => {
  const items = itemsOf(SEND, { receipts: [receipt(1, [[messageAt(0), sent(7)]], data)] });
  expect(items).toEqual([{ json: { ...fields, phone: phoneAt(0) }, pairedItem: { item: 0 } }]);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

test.each(OPERATIONS)('An item of a dry run of %s shows what would be sent', (_name, operation) => {
  const phoneGiven = '+44 7700 900000';
  const messages = [messageAt(0, { phoneGiven, text: 'Hello 😀' }), messageAt(1, { text: 'the end' })];
  const duplicates = [{ message: messageAt(2, { text: 'the end' }), original: messageAt(1) }];
  const delivered = { ...NOTHING_DELIVERED, planned: [{ number: 3, messages }], duplicates };
  const planned = { status: 'dry_run', reason: 'would_be_sent', batch: 3, characters: 7 };
  const skipped = { status: 'skipped', reason: 'duplicate', batch: null, characters: 7, duplicate_of: 1 };
  const items = outputItems(delivered, operation, true);
  expect(items.map(({ json }) => json)).toEqual([
    { phone: phoneAt(0), message: 'Hello 😀', phone_given: phoneGiven, ...planned },
    { phone: phoneAt(1), message: 'the end', phone_given: phoneAt(1), ...planned },
    { phone: phoneAt(2), message: 'the end', phone_given: phoneAt(2), ...skipped },
  ]);
  const firstFields = ['phone', 'message', 'status', 'reason'];
  for (const { json } of items) expect(Object.keys(json).slice(0, 4)).toEqual(firstFields);
});

test.each(OPERATIONS)(
  'A failed item of %s has only error and details, so that n8n recognizes it',
  (_name, operation) => {
    const lost: Outcome = { kind: 'uncertain', failure: failureWith({ code: 'TIMEOUT', httpStatus: null }) };
    const receipts = [
      receipt(1, [[messageAt(1), NOT_SENT]], null),
      receipt(2, [[messageAt(2, { entry: 4 }), lost]], null),
    ];
    const check =
      'The message may have been sent: check with the recipient or in the service before you send it again.';
    const itemAt = (item: number, error: string, details: object) => ({
      json: { error, details },
      pairedItem: { item },
    });
    expect(itemsOf(operation, { receipts, unsendable: [wrongDraft(0, null)] })).toEqual([
      itemAt(0, 'The phone number is wrong', {
        ...{ code: 'INVALID_PHONE', http_status: null, outcome: 'not_sent' },
        ...{ phone: '07700', description: 'Correct it.' },
      }),
      itemAt(1, 'It failed', {
        ...{ code: 'SOME_CODE', http_status: 400, outcome: 'not_sent' },
        ...{ phone: phoneAt(1), batch: 1, description: 'Do something.' },
      }),
      itemAt(2, 'It failed', {
        ...{ code: 'TIMEOUT', http_status: null, outcome: 'uncertain' },
        ...{ phone: phoneAt(2), batch: 2, entry: 4, description: `${check} Do something.` },
      }),
    ]);
  },
);

test.each(ODD_VALUES)('A failed item whose phone is %s has only what an item can contain', (_name, value) => {
  const [item] = itemsOf(SEND_BULK, { unsendable: [wrongDraft(0, null, value)] });
  const { phone } = item?.json.details as { phone: unknown };
  expect(phone === null || typeof phone === 'string' || typeof phone === 'number').toBe(true);
});
