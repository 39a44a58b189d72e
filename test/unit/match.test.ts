import type { JsonRecord } from '../../nodes/MessagingSend/api/records';
import { entryOutcome, matchEntries, NOT_LISTED } from '../../nodes/MessagingSend/delivery/match';
import { messageAt, messagesUpTo, ODD_VALUES, phoneAt, seededRandom } from './samples';

/** The outcomes in short: the message_id of a sent message, else the kind. */
function told(count: number, entries: unknown): unknown[] {
  return matchEntries(messagesUpTo(count), { messages: entries }).map((outcome) =>
    outcome.kind === 'sent' ? outcome.messageId : outcome.kind,
  );
}

function entry(index: number, changed: JsonRecord = {}): JsonRecord {
  return { message_id: 1000 + index, phone: phoneAt(index), status: 'sent', ...changed };
}

describe('each message gets the outcome of its own entry', () => {
  test('in an answer that is complete and in order', () => {
    expect(told(3, [entry(0), entry(1), entry(2)])).toEqual([1000, 1001, 1002]);
  });

  test('in another order', () => {
    expect(told(3, [entry(2), entry(0), entry(1)])).toEqual([1000, 1001, 1002]);
  });

  test('where one is missing: that message alone is uncertain', () => {
    expect(told(3, [entry(0), entry(2)])).toEqual([1000, 'uncertain', 1002]);
  });

  test('where one is doubled', () => {
    expect(told(3, [entry(0), entry(0), entry(1), entry(2)])).toEqual([1000, 1001, 1002]);
  });

  test('where one is doubled in place of another', () => {
    expect(told(3, [entry(0), entry(1), entry(1)])).toEqual([1000, 1001, 'uncertain']);
  });

  test('where an entry is of a number that nobody asked for', () => {
    expect(told(2, [entry(0), entry(500)])).toEqual([1000, 'uncertain']);
  });

  test.each<[string, (index: number) => unknown]>([
    ['numbers', (index) => Number(phoneAt(index))],
    ['with +', (index) => `+${phoneAt(index)}`],
    ['with 00', (index) => `00${phoneAt(index)}`],
    ['with spaces', (index) => `+44 7700 ${phoneAt(index).slice(6)}`],
  ])('where phones come as %s', (_how, phone) => {
    expect(told(2, [entry(1, { phone: phone(1) }), entry(0, { phone: phone(0) })])).toEqual([1000, 1001]);
  });

  test('by the order where phones are absent', () => {
    expect(told(2, [entry(0, { phone: undefined }), entry(1, { phone: null })])).toEqual([1000, 1001]);
  });

  test('is uncertain where phones are absent and the numbers of entries differ', () => {
    expect(told(2, [entry(0, { phone: undefined })])).toEqual(['uncertain', 'uncertain']);
  });

  test('keeps two messages to one number apart', () => {
    const messages = [messageAt(0), messageAt(1, { phone: phoneAt(0) }), messageAt(2)];
    const outcomes = matchEntries(messages, { messages: [entry(2), entry(0), entry(1, { phone: phoneAt(0) })] });
    expect(outcomes).toMatchObject([{ messageId: 1000 }, { messageId: 1001 }, { messageId: 1002 }]);
  });

  test('is never used for two messages to one number', () => {
    const messages = [messageAt(0), messageAt(1, { phone: phoneAt(0) })];
    const kinds = matchEntries(messages, { messages: [entry(0)] }).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'sent').length).toBeLessThanOrEqual(1);
  });

  test('is never used for two messages to one number when it comes twice itself', () => {
    const messages = [messageAt(0), messageAt(1, { phone: phoneAt(0) })];
    expect(matchEntries(messages, { messages: [entry(0), entry(0)] })).toMatchObject([
      { kind: 'uncertain' },
      { kind: 'uncertain' },
    ]);
  });

  test('does not call one of two messages to one number not sent when it may be the other', () => {
    const messages = [messageAt(0), messageAt(1, { phone: phoneAt(0) })];
    const kinds = matchEntries(messages, { messages: [entry(0, { status: 'failed' })] }).map(({ kind }) => kind);
    expect(kinds).toEqual(['uncertain', 'uncertain']);
  });

  test.each(ODD_VALUES.map((value, index) => [index, value]))(
    'an answer of odd value %i leaves all uncertain',
    (_index, value) => {
      expect(told(2, value)).toEqual(['uncertain', 'uncertain']);
      expect(told(2, [value, value, value]).every((outcome) => outcome === 'uncertain')).toBe(true);
    },
  );

  test('in answers that are shuffled, cut and doubled at random', () => {
    const seed = Date.now();
    const random = seededRandom(seed);
    for (let run = 0; run < 300; run++) {
      const count = 1 + Math.floor(random() * 20);
      const listed = new Set(Array.from({ length: count }, (_, index) => index).filter(() => random() > 0.2));
      const entries = [...listed].flatMap((index) => (random() > 0.8 ? [entry(index), entry(index)] : [entry(index)]));
      const shuffled = entries
        .map((value) => ({ value, at: random() }))
        .sort((a, b) => a.at - b.at)
        .map(({ value }) => value);
      const expected = Array.from({ length: count }, (_, index) => (listed.has(index) ? 1000 + index : 'uncertain'));
      const outcomes = told(count, shuffled);
      if (JSON.stringify(outcomes) !== JSON.stringify(expected))
        throw new Error(`seed ${seed}, run ${run}: ${JSON.stringify(outcomes)}`);
    }
  });
});

describe('the status of an entry', () => {
  test('is handed on', () => {
    expect(entryOutcome({ message_id: 7, status: 'queued' })).toEqual({ kind: 'sent', messageId: 7, status: 'queued' });
    expect(entryOutcome({ message_id: 7 })).toEqual({ kind: 'sent', messageId: 7, status: null });
  });

  test.each(['failed', 'FAILED', 'rejected', 'invalid', 'not_sent', 'skipped', 'error'])(
    '%s: the message was not sent',
    (status) => {
      expect(entryOutcome(entry(0, { status }))).toMatchObject({
        kind: 'not_sent',
        failure: {
          code: 'NOT_ACCEPTED',
          message: 'The service accepted the request, but did not send this message',
          advice: 'Check the phone number and the text.',
          serviceSays: '',
        },
      });
    },
  );

  test.each(['undelivered', 'not sent', 'not-sent', 'cancelled', 'undeliverable', ' failed '])(
    '%j: the message is not reported sent',
    (status) => {
      expect(entryOutcome(entry(0, { status })).kind).not.toBe('sent');
    },
  );

  test('with the reason that the service gives, made fit to show', () => {
    const reason = 'Blocked by 447700900123 <script>';
    for (const said of [{ error: { message: reason } }, { error: reason }, { reason }]) {
      expect(entryOutcome(entry(0, { status: 'failed', ...said }))).toMatchObject({
        failure: {
          advice: 'Check the phone number and the text.',
          serviceSays: 'Blocked by …23 &lt;script&gt;',
        },
      });
    }
  });

  test.each<[string, JsonRecord]>([
    ['an error object', { error: { code: 'INVALID_PHONE', message: 'No such number' } }],
    ['an error text', { error: 'No such number' }],
    ['success: false', { success: false }],
  ])('is missing, and there is %s: the message is not reported sent', (_what, said) => {
    expect(entryOutcome({ phone: phoneAt(0), ...said }).kind).not.toBe('sent');
  });

  test('failed never shows the text of the message that the service repeats', () => {
    const outcome = entryOutcome({ phone: phoneAt(0), message: 'Dear Anna', status: 'failed', error: 'Blocked' });
    expect(JSON.stringify(outcome)).not.toContain('Anna');
  });
});

test('a message that the answer does not mention is uncertain', () => {
  expect(NOT_LISTED).toMatchObject({ kind: 'uncertain', failure: { code: 'NOT_LISTED', scope: 'request' } });
});

describe('an answer that can not be trusted for a message leaves it uncertain', () => {
  test('when entries to one number are out of order and tell different things', () => {
    const messages = [messageAt(0), messageAt(1, { phone: phoneAt(0) }), messageAt(2)];
    const failed = { ...entry(0), message_id: 9, status: 'failed' };
    expect(matchEntries(messages, { messages: [entry(2), entry(0), failed] }).map(({ kind }) => kind)).toEqual([
      'uncertain',
      'uncertain',
      'sent',
    ]);
  });

  test('when its entry is the request repeated, or has a state that nobody knows and no ID', () => {
    expect(matchEntries([messageAt(0)], { messages: [{ phone: phoneAt(0), message: 'Hello' }] })).toMatchObject([
      { kind: 'uncertain' },
    ]);
    expect(matchEntries([messageAt(0)], { messages: [{ phone: phoneAt(0), status: 'invalid_number' }] })).toMatchObject(
      [{ kind: 'uncertain' }],
    );
  });
});
