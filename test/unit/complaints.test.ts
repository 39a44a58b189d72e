import { messageIndex, pathText, readComplaints } from '../../nodes/MessagingSend/api/complaints';
import type { JsonRecord } from '../../nodes/MessagingSend/api/records';
import { listOf, ODD_VALUES } from './samples';

function complaintsIn(details: unknown): Array<[path: string, text: string]> {
  return readComplaints({ code: 'VALIDATION_ERROR', message: 'Invalid', details }).map(({ path, text }) => [
    pathText(path),
    text,
  ]);
}

function nested(depth: number, inner: unknown): unknown {
  let value = inner;
  for (let level = 0; level < depth; level++) value = { a: value };
  return value;
}

describe('A complaint of the service', () => {
  test.each<[string, unknown]>([
    ['dotted keys', { 'messages.3.phone': 'is wrong' }],
    ['dotted keys with lists of texts, as Laravel writes them', { 'messages.3.phone': ['is wrong'] }],
    ['bracketed keys', { 'messages[3].phone': 'is wrong' }],
    ['bracketed keys with quotes', { "messages[3]['phone']": 'is wrong' }],
    ['a list of { field, message }', [{ field: 'messages[3].phone', message: 'is wrong' }]],
    ['one { field, message } alone', { field: 'messages.3.phone', message: 'is wrong' }],
    [
      '{ path, msg } of express-validator',
      [{ type: 'field', value: '1', path: 'messages[3].phone', msg: 'is wrong', location: 'body' }],
    ],
    ['{ param, msg }', [{ param: 'messages[3].phone', msg: 'is wrong' }]],
    ['{ property, reason }', [{ property: 'messages.3.phone', reason: 'is wrong' }]],
    ['{ index, field }', [{ index: 3, field: 'phone', message: 'is wrong' }]],
    ['{ index, field } with the whole place', [{ index: 3, field: 'messages.3.phone', message: 'is wrong' }]],
    ['loc of pydantic', [{ loc: ['body', 'messages', 3, 'phone'], msg: 'is wrong', type: 'value_error' }]],
    ['a path list, as Zod and Joi write it', [{ code: 'custom', path: ['messages', 3, 'phone'], message: 'is wrong' }]],
    ['a JSON pointer', [{ pointer: '/messages/3/phone', detail: 'is wrong' }]],
    ['a JSON pointer with #', [{ pointer: '#/messages/3/phone', detail: 'is wrong' }]],
    ['a source of JSON:API', [{ source: { pointer: '/messages/3/phone' }, detail: 'is wrong' }]],
    ['instancePath of Ajv', [{ keyword: 'pattern', instancePath: '/messages/3/phone', message: 'is wrong' }]],
    ['dataPath of an older Ajv', [{ keyword: 'pattern', dataPath: '$.messages[3].phone', message: 'is wrong' }]],
    ['nested lists with nulls', { messages: [null, null, null, { phone: ['is wrong'] }] }],
    ['nested lists with empty objects', { messages: [{}, {}, {}, { phone: 'is wrong' }] }],
    ['nested objects keyed by index', { messages: { 3: { phone: ['is wrong'] } } }],
  ])('is found in %s', (_structure, details) =>
    expect(complaintsIn(details)).toEqual([['messages.3.phone', 'is wrong']]),
  );

  test.each<[string, unknown]>([
    ['a text', 'messages[3].phone is wrong'],
    ['a list of texts', ['messages[3].phone is wrong']],
    ['a text with quotes, as Joi writes it', '"messages[3].phone" is wrong'],
    ['a text with dots', 'messages.3.phone is wrong'],
    ['a text about a message', 'message[3] is wrong'],
  ])('has its place read from %s', (_structure, details) => {
    expect(complaintsIn(details).map(([path]) => path)).toEqual([expect.stringMatching(/^messages?\.3/)]);
  });

  test.each(listOf('details, errors, fields, violations, issues, validation_errors, invalid_params, validationErrors'))(
    'is found under the name %s',
    (name) => {
      const [complaint] = readComplaints({ code: 'VALIDATION_ERROR', [name]: { 'messages.3.phone': ['is wrong'] } });
      expect(complaint).toEqual({ path: ['messages', 3, 'phone'], text: 'is wrong' });
    },
  );

  test('is found under the name of its field', () => {
    expect(readComplaints({ code: 'VALIDATION_ERROR', phone: ['is wrong'] })).toEqual([
      { path: ['phone'], text: 'is wrong' },
    ]);
  });

  test('is found about a single message', () => {
    expect(complaintsIn({ phone: ['is wrong'], message: ['is too long', 'is rude'] })).toEqual([
      ['phone', 'is wrong'],
      ['message', 'is too long'],
      ['message', 'is rude'],
    ]);
  });

  test('is found if it is only a mark', () => {
    expect(complaintsIn({ messages: [null, { phone: true, message: false }] })).toEqual([['messages.1.phone', '']]);
  });

  test('does not contain the text of a message that the service repeats beside it', () => {
    const repeated = { index: 3, phone: '447700900123', message: 'Dear Anna' };
    expect(JSON.stringify(complaintsIn([{ ...repeated, error: 'is wrong' }]))).not.toContain('Anna');
    expect(JSON.stringify(complaintsIn([{ ...repeated, field: 'phone', reason: 'is wrong' }]))).not.toContain('Anna');
  });
});

describe('The index of the message in a complaint', () => {
  test.each<[Array<string | number>, number | null]>([
    [['messages', 3, 'phone'], 3],
    [['messages', 3], 3],
    [['data', 'messages', 0, 'phone'], 0],
    [[3, 'phone'], 3],
    [['messages'], null],
    [['messages', 'phone'], null],
    [['phone'], null],
    [['phone', 3], null],
    [[3], null],
    [[], null],
  ])('with the path %j is %s', (path, index) => expect(messageIndex({ path, text: '' })).toBe(index));

  test('is not the position of the complaint in its list', () => {
    const complaints = readComplaints({ details: [{ message: 'Too short' }, { message: 'Not a number' }] });
    expect(complaints.map(messageIndex)).toEqual([null, null]);
  });
});

describe('Reading complaints', () => {
  test.each(ODD_VALUES)('never throws for %s', (_name, value) => {
    expect(() => complaintsIn(value)).not.toThrow();
    expect(() => complaintsIn([value, { field: value, message: value, index: value, loc: [value] }])).not.toThrow();
    expect(() => complaintsIn({ messages: [value, { phone: value }] })).not.toThrow();
  });

  test('stops below 8 levels, however deep the details are', () => {
    expect(complaintsIn(nested(8, 'is wrong'))).toEqual([['a.a.a.a.a.a.a.a', 'is wrong']]);
    expect(complaintsIn(nested(10, 'is wrong'))).toEqual([]);
    expect(complaintsIn(nested(100_000, 'is wrong'))).toEqual([]);
  });

  test('stops after 200 of 100,000 entries', () => {
    const field = { field: 'messages.1.phone', message: 'is wrong' };
    for (const entry of ['is wrong', field, { index: 1 }, { phone: ['is wrong'] }, ['is wrong'], null]) {
      expect(complaintsIn(Array.from({ length: 100_000 }, () => entry)).length).toBe(entry === null ? 0 : 200);
    }
    const keyed = Object.fromEntries(
      Array.from({ length: 100_000 }, (_, index) => [`messages.${index}.phone`, ['is wrong']]),
    );
    expect(complaintsIn(keyed)).toHaveLength(200);
  });

  const PARTS = ['messages[', 'messages.3.', '/', '.', '[', ' ', 'message messages[   ', '9'];
  test.each(PARTS)('takes 10 MB of %j', (part) => {
    const text = part.repeat(10_000_000 / part.length);
    for (const details of [text, [{ field: text, message: text }], { [text]: [text] }])
      expect(() => readComplaints({ details })).not.toThrow();
  });

  test('is not affected by names such as __proto__', () => {
    const error = JSON.parse(
      '{"__proto__": {"polluted": "yes"}, "details": {"__proto__": {"polluted": ["yes"]}, "constructor": {"prototype": {"polluted": "yes"}}, "messages.3.phone": ["is wrong"]}}',
    ) as JsonRecord;
    expect(readComplaints(error)).toContainEqual({ path: ['messages', 3, 'phone'], text: 'is wrong' });
    expect(({} as JsonRecord).polluted).toBeUndefined();
    expect(
      complaintsIn(JSON.parse('[{"__proto__": {"field": "messages.0.phone", "message": "inherited"}}]')),
    ).not.toContainEqual(['messages.0.phone', 'inherited']);
  });
});
