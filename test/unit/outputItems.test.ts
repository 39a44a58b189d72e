import type { Delivered } from '../../nodes/MessagingSend/delivery/deliver';
import { type Message, unsendable } from '../../nodes/MessagingSend/messages/message';
import type { Outcome, Receipt } from '../../nodes/MessagingSend/messages/outcome';
import { type Output, outputItems } from '../../nodes/MessagingSend/n8n/output/outputItems';
import { phoneAt } from '../support/contacts';
import { complete, failureWith, messageAt, ODD_VALUES } from './samples';

const OUTPUTS: readonly Output[] = ['send', 'messages', 'batches'];
const DATA = { message_id: 7, status: 'sent', credits_used: 1, credits_remaining: 9, sent_at: '2030-01-01T00:00:00Z' };

/** The items of a run without duplicates, dry run or earlier attempts. */
function itemsOf(delivered: Pick<Delivered, 'unsendable' | 'receipts'>, output: Output) {
  return complete(outputItems({ duplicates: [], planned: [], recalled: 0, ...delivered }, output));
}

function sent(messageId: number): Outcome {
  return { kind: 'sent', messageId, status: 'sent' };
}

function receipt(batch: number, results: Array<[Message, Outcome]>, data: Receipt['data'] = DATA): Receipt {
  return { batch, results: results.map(([message, outcome]) => ({ message, outcome })), data };
}

function wrongDraft(item: number, entry: number | null, phone: unknown = '07700') {
  return unsendable(
    { item, entry, part: null, phone },
    failureWith({
      code: 'INVALID_PHONE',
      httpStatus: null,
      message: 'The phone number is wrong',
      advice: 'Correct it.',
    }),
  );
}

describe('The items of sent messages', () => {
  test('of Send have the fields of the answer and the phone number', () => {
    expect(itemsOf({ unsendable: [], receipts: [receipt(1, [[messageAt(0), sent(7)]])] }, 'send')).toEqual([
      { json: { ...DATA, phone: phoneAt(0) }, pairedItem: { item: 0 } },
    ]);
  });

  test('of Send have all their fields, whatever the answer lacks or adds', () => {
    const receipts = [receipt(1, [[messageAt(0), sent(7)]], { message_id: 7, extra: 'x', status: { nested: true } })];
    expect(itemsOf({ unsendable: [], receipts }, 'send')[0]?.json).toEqual({
      message_id: 7,
      status: 'sent',
      credits_used: null,
      credits_remaining: null,
      sent_at: null,
      phone: phoneAt(0),
    });
  });

  test('of Send Bulk are one per message', () => {
    const receipts = [
      receipt(3, [
        [messageAt(0), sent(7)],
        [messageAt(1), sent(8)],
      ]),
    ];
    expect(itemsOf({ unsendable: [], receipts }, 'messages')).toEqual([
      { json: { message_id: 7, phone: phoneAt(0), status: 'sent', batch: 3 }, pairedItem: { item: 0 } },
      { json: { message_id: 8, phone: phoneAt(1), status: 'sent', batch: 3 }, pairedItem: { item: 1 } },
    ]);
  });

  test('of Send Bulk with one item per request are linked once to each of their items', () => {
    const messages = [messageAt(0, { entry: 0 }), messageAt(0, { entry: 1 }), messageAt(1, { entry: 0 })];
    const receipts = [
      receipt(
        1,
        messages.map((message) => [message, sent(7)]),
        { messages_sent: 3, messages: [] },
      ),
    ];
    expect(itemsOf({ unsendable: [], receipts }, 'batches')).toEqual([
      { json: { messages_sent: 3, messages: [], batch: 1 }, pairedItem: [{ item: 0 }, { item: 1 }] },
    ]);
  });

  test('of Send Bulk with one item per request name the messages of a request whose answer was lost', () => {
    const lost: Outcome = { kind: 'sent', messageId: null, status: 'sent' };
    const uncertain: Outcome = { kind: 'uncertain', failure: failureWith() };
    const receipts = [
      receipt(
        2,
        [
          [messageAt(0), lost],
          [messageAt(1), uncertain],
          [messageAt(2), lost],
        ],
        null,
      ),
    ];
    const [request, failed] = itemsOf({ unsendable: [], receipts }, 'batches');
    expect(request).toEqual({
      json: {
        messages_sent: 2,
        credits_used: null,
        credits_remaining: null,
        messages: [0, 2].map((index) => ({ message_id: null, phone: phoneAt(index), status: 'sent' })),
        batch: 2,
        note: expect.stringContaining('Sent before n8n stopped') as string,
      },
      pairedItem: [{ item: 0 }, { item: 2 }],
    });
    expect(failed?.json.details).toMatchObject({ outcome: 'uncertain', phone: phoneAt(1), batch: 2 });
  });

  test('of Send Bulk with one item per request are beside those of failed messages, and none is for a request that sent nothing', () => {
    const notSent: Outcome = { kind: 'not_sent', failure: failureWith() };
    const receipts = [
      receipt(
        1,
        [
          [messageAt(0), notSent],
          [messageAt(1), notSent],
        ],
        null,
      ),
      receipt(
        2,
        [
          [messageAt(2), notSent],
          [messageAt(3), sent(9)],
        ],
        { messages_sent: 1 },
      ),
    ];
    const items = itemsOf({ unsendable: [], receipts }, 'batches');
    expect(items.map(({ json, pairedItem }) => [Object.keys(json), pairedItem])).toEqual([
      [['error', 'details'], { item: 0 }],
      [['error', 'details'], { item: 1 }],
      [['error', 'details'], { item: 2 }],
      [['messages_sent', 'batch'], [{ item: 3 }]],
    ]);
  });
});

test.each(OUTPUTS)('The item of a message in a dry run shows what would be sent, in the output "%s"', (output) => {
  const messages = [
    messageAt(0, { phoneGiven: '+44 7700 900000', text: 'Hello 😀' }),
    messageAt(1, { part: 1, text: 'the end' }),
  ];
  const planned = [{ number: 3, messages }];
  const items = complete(outputItems({ unsendable: [], receipts: [], duplicates: [], recalled: 0, planned }, output));
  expect(items).toEqual([
    {
      json: {
        phone: phoneAt(0),
        phone_given: '+44 7700 900000',
        message: 'Hello 😀',
        status: 'dry_run',
        batch: 3,
        characters: 7,
      },
      pairedItem: { item: 0 },
    },
    {
      json: { phone: phoneAt(1), message: 'the end', status: 'dry_run', batch: 3, characters: 7, part: 2 },
      pairedItem: { item: 1 },
    },
  ]);
});

describe('The item of a failed message', () => {
  test.each(OUTPUTS)(
    'has only the keys error and details, so that n8n reads it as an error, in the output "%s"',
    (output) => {
      const failures = {
        unsendable: [wrongDraft(0, null)],
        receipts: [
          receipt(1, [[messageAt(1), { kind: 'not_sent', failure: failureWith() }]], null),
          receipt(
            2,
            [
              [
                messageAt(2, { entry: 4 }),
                { kind: 'uncertain', failure: failureWith({ code: 'TIMEOUT', httpStatus: null }) },
              ],
            ],
            null,
          ),
        ],
      };
      expect(itemsOf(failures, output)).toEqual([
        {
          json: {
            error: 'The phone number is wrong',
            details: {
              code: 'INVALID_PHONE',
              http_status: null,
              outcome: 'not_sent',
              phone: '07700',
              description: 'Correct it.',
            },
          },
          pairedItem: { item: 0 },
        },
        {
          json: {
            error: 'It failed',
            details: {
              code: 'SOME_CODE',
              http_status: 400,
              outcome: 'not_sent',
              phone: phoneAt(1),
              batch: 1,
              description: 'Do something.',
            },
          },
          pairedItem: { item: 1 },
        },
        {
          json: {
            error: 'It failed',
            details: {
              code: 'TIMEOUT',
              http_status: null,
              outcome: 'uncertain',
              phone: phoneAt(2),
              batch: 2,
              entry: 4,
              description:
                'The message may have been sent: check with the recipient or in the service before you send it again. Do something.',
            },
          },
          pairedItem: { item: 2 },
        },
      ]);
    },
  );

  test.each(ODD_VALUES)('contains no phone number that an item can not contain, such as %s', (_name, value) => {
    const [item] = itemsOf({ unsendable: [wrongDraft(0, null, value)], receipts: [] }, 'messages');
    const { details } = item?.json as { details: { phone: unknown } };
    expect(details.phone === null || typeof details.phone === 'string' || typeof details.phone === 'number').toBe(true);
  });
});

describe('The order of the items', () => {
  test.each(['send', 'messages'] as const)(
    'is that of the input in the output "%s", whatever was sent first',
    (output) => {
      const notSent: Outcome = { kind: 'not_sent', failure: failureWith() };
      const delivered = {
        unsendable: [wrongDraft(2, 1), wrongDraft(0, null)],
        receipts: [
          receipt(2, [
            [messageAt(3), sent(1)],
            [messageAt(1), notSent],
          ]),
          receipt(1, [
            [messageAt(2, { entry: 10 }), sent(2)],
            [messageAt(2, { entry: 0 }), notSent],
            [messageAt(2, { entry: 2 }), sent(3)],
          ]),
        ],
      };
      const items = itemsOf(delivered, output);
      expect(items.map(({ pairedItem }) => pairedItem)).toEqual([0, 1, 2, 2, 2, 2, 3].map((item) => ({ item })));
      expect(items.map(({ json }) => 'error' in json)).toEqual([true, true, true, true, false, false, false]);
    },
  );

  test('has a request in the place of its first sent message', () => {
    const notSent: Outcome = { kind: 'not_sent', failure: failureWith() };
    const receipts = [
      receipt(1, [
        [messageAt(0), notSent],
        [messageAt(1), sent(1)],
        [messageAt(3), sent(2)],
      ]),
      receipt(2, [[messageAt(2), notSent]], null),
    ];
    expect(itemsOf({ unsendable: [], receipts }, 'batches').map(({ pairedItem }) => pairedItem)).toEqual([
      { item: 0 },
      [{ item: 1 }, { item: 3 }],
      { item: 2 },
    ]);
  });

  test('is found for 100,000 items', () => {
    const results = Array.from({ length: 100_000 }, (_, index): [Message, Outcome] => [
      messageAt(99_999 - index),
      sent(index),
    ]);
    const items = itemsOf({ unsendable: [], receipts: [receipt(1, results)] }, 'messages');
    expect(items[0]?.pairedItem).toEqual({ item: 0 });
    expect(items).toHaveLength(100_000);
  });
});

test('An item is not affected by an answer with names such as __proto__', () => {
  const data = JSON.parse('{"__proto__": {"polluted": true}, "messages_sent": 1}') as Receipt['data'];
  const [item] = itemsOf({ unsendable: [], receipts: [receipt(1, [[messageAt(0), sent(1)]], data)] }, 'batches');
  expect(item?.json.polluted).toBeUndefined();
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});
