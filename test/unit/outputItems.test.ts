import type { Delivered } from '../../nodes/MessagingSend/delivery/deliver';
import { type Message, unsendable } from '../../nodes/MessagingSend/messages/message';
import type { Outcome, Receipt } from '../../nodes/MessagingSend/messages/outcome';
import { type Output, outputItems } from '../../nodes/MessagingSend/n8n/output/outputItems';
import { phoneAt } from '../support/contacts';
import { failureWith, messageAt, messagesUpTo, NOTHING_DELIVERED, ODD_VALUES, upTo } from './samples';

const OUTPUTS: readonly Output[] = ['send', 'messages', 'batches'];
const DATA = { message_id: 7, status: 'sent', credits_used: 1, credits_remaining: 9, sent_at: '2030-01-01T00:00:00Z' };

/** The items of a run without duplicates, dry run or earlier attempts. */
function itemsOf(output: Output, receipts: Receipt[], delivered: Partial<Delivered> = {}) {
  return outputItems({ ...NOTHING_DELIVERED, receipts, ...delivered }, output);
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

describe('The items of sent messages', () => {
  test('of Send have the fields of the answer and the phone number', () => {
    expect(itemsOf('send', [receipt(1, [[messageAt(0), sent(7)]])])).toEqual([
      { json: { ...DATA, phone: phoneAt(0) }, pairedItem: { item: 0 } },
    ]);
  });

  test('of Send have all their fields, whatever the answer lacks or adds', () => {
    const data = { message_id: 7, extra: 'x', status: { nested: true } };
    const empty = { credits_used: null, credits_remaining: null, sent_at: null };
    const [item] = itemsOf('send', [receipt(1, [[messageAt(0), sent(7)]], data)]);
    expect(item?.json).toEqual({ message_id: 7, status: 'sent', phone: phoneAt(0), ...empty });
  });

  test('of Send Bulk are one per message', () => {
    const results: Array<[Message, Outcome]> = [7, 8].map((id, index) => [messageAt(index), sent(id)]);
    expect(itemsOf('messages', [receipt(3, results)])).toEqual([
      { json: { message_id: 7, phone: phoneAt(0), status: 'sent', batch: 3 }, pairedItem: { item: 0 } },
      { json: { message_id: 8, phone: phoneAt(1), status: 'sent', batch: 3 }, pairedItem: { item: 1 } },
    ]);
  });

  test('of Send Bulk with one item per request are linked once to each of their items', () => {
    const messages = [messageAt(0, { entry: 0 }), messageAt(0, { entry: 1 }), messageAt(1, { entry: 0 })];
    const results = messages.map((message): [Message, Outcome] => [message, sent(7)]);
    expect(itemsOf('batches', [receipt(1, results, { messages_sent: 3, messages: [] })])).toEqual([
      { json: { messages_sent: 3, messages: [], batch: 1 }, pairedItem: [{ item: 0 }, { item: 1 }] },
    ]);
  });

  test('of Send Bulk with one item per request name the messages of a request whose answer was lost', () => {
    const outcomes = [sent(null), { kind: 'uncertain', failure: failureWith() } as const, sent(null)];
    const results = outcomes.map((outcome, index): [Message, Outcome] => [messageAt(index), outcome]);
    const [request, failed] = itemsOf('batches', [receipt(2, results, null)]);
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
    const [first, second, third, fourth] = messagesUpTo(4) as [Message, Message, Message, Message];
    const receipts = [
      receipt(
        1,
        [first, second].map((message) => [message, NOT_SENT]),
        null,
      ),
      receipt(
        2,
        [
          [third, NOT_SENT],
          [fourth, sent(9)],
        ],
        { messages_sent: 1 },
      ),
    ];
    const items = itemsOf('batches', receipts);
    const fields = items.map(({ json }) => Object.keys(json).join());
    expect(fields).toEqual(['error,details', 'error,details', 'error,details', 'messages_sent,batch']);
    expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }, [{ item: 3 }]]);
  });
});

test.each(OUTPUTS)('The item of a message in a dry run shows what would be sent, in the output "%s"', (output) => {
  const phoneGiven = '+44 7700 900000';
  const messages = [
    messageAt(0, { phoneGiven, text: 'Hello 😀' }),
    messageAt(1, { text: 'The end', parts: ['The', 'end'] }),
  ];
  const planned = { status: 'dry_run', batch: 3, characters: 7 };
  const whole = { phone: phoneAt(0), phone_given: phoneGiven, message: 'Hello 😀', ...planned };
  expect(itemsOf(output, [], { planned: [{ number: 3, messages }] })).toEqual([
    { json: whole, pairedItem: { item: 0 } },
    { json: { phone: phoneAt(1), message: 'The end', ...planned, parts: 2 }, pairedItem: { item: 1 } },
  ]);
});

describe('The item of a failed message', () => {
  test.each(OUTPUTS)(
    'has only the keys error and details, so n8n reads it as an error, in the output "%s"',
    (output) => {
      const lost = failureWith({ code: 'TIMEOUT', httpStatus: null });
      const receipts = [
        receipt(1, [[messageAt(1), NOT_SENT]], null),
        receipt(2, [[messageAt(2, { entry: 4 }), { kind: 'uncertain', failure: lost }]], null),
      ];
      const items = itemsOf(output, receipts, { unsendable: [wrongDraft(0, null)] });
      expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
      const [invalid, refused, uncertain] = items.map(({ json }) => json);
      const invalidDetails = { code: 'INVALID_PHONE', http_status: null, outcome: 'not_sent', phone: '07700' };
      expect(invalid).toEqual({
        error: 'The phone number is wrong',
        details: { ...invalidDetails, description: 'Correct it.' },
      });
      const refusedDetails = { code: 'SOME_CODE', http_status: 400, outcome: 'not_sent', phone: phoneAt(1), batch: 1 };
      expect(refused).toEqual({ error: 'It failed', details: { ...refusedDetails, description: 'Do something.' } });
      const lostDetails = { code: 'TIMEOUT', http_status: null, outcome: 'uncertain', phone: phoneAt(2), batch: 2 };
      const description =
        'The message may have been sent: check with the recipient or in the service before you send it again. Do something.';
      expect(uncertain).toEqual({ error: 'It failed', details: { ...lostDetails, entry: 4, description } });
    },
  );

  test.each(ODD_VALUES)('contains no phone number that an item can not contain, such as %s', (_name, value) => {
    const [item] = itemsOf('messages', [], { unsendable: [wrongDraft(0, null, value)] });
    const { details } = item?.json as { details: { phone: unknown } };
    expect(details.phone === null || typeof details.phone === 'string' || typeof details.phone === 'number').toBe(true);
  });
});

describe('The order of the items', () => {
  test.each(['send', 'messages'] as const)('is that of the input in the output "%s", whatever was sent', (output) => {
    const at = (item: number, entry: number | null, outcome: Outcome): [Message, Outcome] => [
      messageAt(item, { entry }),
      outcome,
    ];
    const receipts = [
      receipt(2, [at(3, null, sent(1)), at(1, null, NOT_SENT)]),
      receipt(1, [at(2, 10, sent(2)), at(2, 0, NOT_SENT), at(2, 2, sent(3))]),
    ];
    const items = itemsOf(output, receipts, { unsendable: [wrongDraft(2, 1), wrongDraft(0, null)] });
    expect(items.map(({ pairedItem }) => pairedItem)).toEqual([0, 1, 2, 2, 2, 2, 3].map((item) => ({ item })));
    expect(items.map(({ json }) => 'error' in json)).toEqual([true, true, true, true, false, false, false]);
  });

  test('has a request in the place of its first sent message', () => {
    const outcomes: Outcome[] = [NOT_SENT, sent(1), NOT_SENT, sent(2)];
    const results = outcomes.map((outcome, index): [Message, Outcome] => [messageAt(index), outcome]);
    const receipts = [receipt(1, results.toSpliced(2, 1)), receipt(2, results.slice(2, 3), null)];
    expect(itemsOf('batches', receipts).map(({ pairedItem }) => pairedItem)).toEqual([
      { item: 0 },
      [{ item: 1 }, { item: 3 }],
      { item: 2 },
    ]);
  });

  test('is found for 100,000 items', () => {
    const results = upTo(100_000).map((index): [Message, Outcome] => [messageAt(99_999 - index), sent(index)]);
    const items = itemsOf('messages', [receipt(1, results)]);
    expect(items[0]?.pairedItem).toEqual({ item: 0 });
    expect(items).toHaveLength(100_000);
  });
});

test('An item is not affected by an answer with names such as __proto__', () => {
  const data = JSON.parse('{"__proto__": {"polluted": true}, "messages_sent": 1}') as Receipt['data'];
  const [item] = itemsOf('batches', [receipt(1, [[messageAt(0), sent(1)]], data)]);
  expect(item?.json.polluted).toBeUndefined();
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});
