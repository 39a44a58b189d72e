import { DETAILS_SHAPES, formatDetails, pathOf } from '../../sandbox/details';
import { validateBulk, type Validated, validateSend } from '../../sandbox/validation';
import { closeSandboxes, messages, post, sandboxWith } from './client';

afterEach(closeSandboxes);

const fields = (checked: Validated) =>
  checked.kind === 'valid' ? [] : checked.problems.map(({ path }) => path.join('.'));

describe('A single message', () => {
  test.each([
    ['7 digits', 'valid', '1234567'],
    ['15 digits', 'valid', '123456789012345'],
    ['6 digits', 'invalid', '123456'],
    ['16 digits', 'invalid', '1234567890123456'],
    ['a leading 0', 'invalid', '0447700900123'],
    ['a leading +', 'invalid', '+447700900123'],
    ['a space', 'invalid', '4477 00900123'],
    ['a line break at the end', 'invalid', '447700900123\n'],
    ['the type number', 'invalid', 447700900123],
    ['no value', 'invalid', undefined],
  ])('whose phone has %s is %s', (_name, verdict, phone) => {
    expect(fields(validateSend({ phone, message: 'Hello' }))).toEqual(verdict === 'valid' ? [] : ['phone']);
  });

  test.each([
    ['1000 characters', 'valid', 'x'.repeat(1000)],
    ['1001 characters', 'invalid', 'x'.repeat(1001)],
    ['1000 emoji', 'valid', '🚚'.repeat(1000)],
    ['1001 emoji', 'invalid', '🚚'.repeat(1001)],
    ['no characters', 'invalid', ''],
    ['only white space', 'invalid', ' \n '],
    ['the type object', 'invalid', {}],
    ['the value null', 'invalid', null],
  ])('whose text has %s is %s', (_name, verdict, message) => {
    expect(fields(validateSend({ phone: '447700900123', message }))).toEqual(verdict === 'valid' ? [] : ['message']);
  });

  test.each([[null], [[]], ['text'], [7], [undefined]])('is invalid as a whole if the body is %p', (body) => {
    expect(fields(validateSend(body))).toEqual(['']);
  });

  test('is refused with the names of all wrong fields', () => {
    expect(fields(validateSend({}))).toEqual(['phone', 'message']);
  });
});

describe('A bulk request', () => {
  test.each([
    ['1 message', [], messages(1)],
    ['100 messages', [], messages(100)],
    ['101 messages', ['messages'], messages(101)],
    ['no messages', ['messages'], []],
    ['messages that are no array', ['messages'], { 0: messages(1)[0] }],
    ['an entry that is no object', ['messages.1'], [...messages(1), 'text']],
  ])('with %s has the invalid fields %j', (_name, expected, entries) => {
    expect(fields(validateBulk({ messages: entries }, 0))).toEqual(expected);
  });

  test('may contain texts of any length unless a maximum is set', () => {
    const body = { messages: [{ phone: '447700900123', message: 'x'.repeat(5000) }] };
    expect(fields(validateBulk(body, 0))).toEqual([]);
    expect(fields(validateBulk(body, 4999))).toEqual(['messages.0.message']);
    expect(fields(validateBulk(body, 5000))).toEqual([]);
  });

  test('with one invalid message sends nothing, and names the message by its index', async () => {
    const sandbox = await sandboxWith();
    const entries = messages(5);
    entries[3] = { phone: '+447700900123', message: 'Hello' };
    const reply = await post(`${sandbox.url}/v1/messages/send-bulk`, { messages: entries });
    const details = [{ field: 'messages.3.phone', message: expect.any(String) as unknown }];
    const body = { success: false, error: { code: 'VALIDATION_ERROR', details } };
    expect(reply).toMatchObject({ status: 422, body });
    expect(sandbox.messages()).toEqual([]);
    expect(sandbox.credits()).toBe(1000);
  });

  test('over a limit of the document can be answered with 429, other invalid requests never', async () => {
    const { url } = await sandboxWith({ overLimitStatus: 429 });
    const statusOf = async (path: string, body: unknown) => (await post(`${url}/v1/messages/${path}`, body)).status;
    expect(await statusOf('send-bulk', { messages: messages(101) })).toBe(429);
    expect(await statusOf('send', { phone: '447700900123', message: 'x'.repeat(1001) })).toBe(429);
    expect(await statusOf('send-bulk', { messages: [] })).toBe(422);
  });
});

describe('The details of a 422', () => {
  const problems = [
    { path: pathOf('messages.1.phone'), message: 'A', overLimit: false },
    { path: pathOf('messages.1.message'), message: 'B', overLimit: false },
  ];
  const expected: Record<(typeof DETAILS_SHAPES)[number], unknown> = {
    'field-message': [
      { field: 'messages.1.phone', message: 'A' },
      { field: 'messages.1.message', message: 'B' },
    ],
    dotted: { 'messages.1.phone': 'A', 'messages.1.message': 'B' },
    bracket: { 'messages[1].phone': 'A', 'messages[1].message': 'B' },
    object: { 'messages.1.phone': ['A'], 'messages.1.message': ['B'] },
    nested: { messages: { 1: { phone: ['A'], message: ['B'] } } },
    'array-with-nulls': [null, { phone: ['A'], message: ['B'] }, null],
    text: 'messages.1.phone A; messages.1.message B',
    none: undefined,
  };

  test.each(DETAILS_SHAPES)('can have the shape %s', (shape) => {
    expect(formatDetails(shape, problems, 3)).toEqual(expected[shape]);
  });

  test('come in the shape of the option detailsShape', async () => {
    const { url } = await sandboxWith({ detailsShape: 'nested' });
    const reply = await post(`${url}/v1/messages/send`, { phone: '447700900123' });
    expect(reply.body).toMatchObject({ error: { details: { message: ['is required'] } } });
  });
});
