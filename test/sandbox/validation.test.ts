import { DETAILS_SHAPES, formatDetails, pathOf } from '../../sandbox/details';
import { validateBulk, type Validated, validateSend } from '../../sandbox/validation';
import { closeSandboxes, messages, post, sandboxWith } from './client';

afterEach(closeSandboxes);

const fields = (checked: Validated) =>
  checked.kind === 'valid' ? [] : checked.problems.map(({ path }) => path.join('.'));

describe('a single message', () => {
  test.each([
    ['7 digits', '1234567', []],
    ['15 digits', '123456789012345', []],
    ['6 digits', '123456', ['phone']],
    ['16 digits', '1234567890123456', ['phone']],
    ['a leading 0', '0447700900123', ['phone']],
    ['a leading +', '+447700900123', ['phone']],
    ['spaces', '4477 00900123', ['phone']],
    ['a line break at the end', '447700900123\n', ['phone']],
    ['a number', 447700900123, ['phone']],
    ['nothing', undefined, ['phone']],
  ])('phone: %s', (_name, phone, expected) => {
    expect(fields(validateSend({ phone, message: 'Hello' }))).toEqual(expected);
  });

  test.each([
    ['1000 characters', 'x'.repeat(1000), []],
    ['1001 characters', 'x'.repeat(1001), ['message']],
    ['1000 emoji are 1000 characters', '🚚'.repeat(1000), []],
    ['1001 emoji', '🚚'.repeat(1001), ['message']],
    ['empty', '', ['message']],
    ['blank', ' \n ', ['message']],
    ['an object', {}, ['message']],
    ['null', null, ['message']],
  ])('message: %s', (_name, message, expected) => {
    expect(fields(validateSend({ phone: '447700900123', message }))).toEqual(expected);
  });

  test.each([[null], [[]], ['text'], [7], [undefined]])('a body that is %p is invalid as a whole', (body) => {
    expect(fields(validateSend(body))).toEqual(['']);
  });

  test('all that is wrong is named', () => {
    expect(fields(validateSend({}))).toEqual(['phone', 'message']);
  });
});

describe('bulk', () => {
  test.each([
    ['1 message', messages(1), []],
    ['100 messages', messages(100), []],
    ['101 messages', messages(101), ['messages']],
    ['none', [], ['messages']],
    ['no array', { 0: messages(1)[0] }, ['messages']],
    ['an entry that is no object', [...messages(1), 'text'], ['messages.1']],
  ])('%s', (_name, entries, expected) => {
    expect(fields(validateBulk({ messages: entries }, 0))).toEqual(expected);
  });

  test('texts may have any length unless a maximum is set', () => {
    const body = { messages: [{ phone: '447700900123', message: 'x'.repeat(5000) }] };
    expect(fields(validateBulk(body, 0))).toEqual([]);
    expect(fields(validateBulk(body, 4999))).toEqual(['messages.0.message']);
    expect(fields(validateBulk(body, 5000))).toEqual([]);
  });

  test('one invalid message keeps back the whole request, and is named by its index', async () => {
    const sandbox = await sandboxWith();
    const entries = messages(5);
    entries[3] = { phone: '+447700900123', message: 'Hello' };
    const reply = await post(`${sandbox.url}/v1/messages/send-bulk`, { messages: entries });
    expect(reply).toMatchObject({
      status: 422,
      body: {
        success: false,
        error: { code: 'VALIDATION_ERROR', details: [{ field: 'messages.3.phone', message: expect.any(String) }] },
      },
    });
    expect(sandbox.messages()).toEqual([]);
    expect(sandbox.credits()).toBe(1000);
  });

  test('a limit of the document may be answered with 429, other faults never', async () => {
    const { url } = await sandboxWith({ overLimitStatus: 429 });
    expect((await post(`${url}/v1/messages/send-bulk`, { messages: messages(101) })).status).toBe(429);
    expect((await post(`${url}/v1/messages/send`, { phone: '447700900123', message: 'x'.repeat(1001) })).status).toBe(
      429,
    );
    expect((await post(`${url}/v1/messages/send-bulk`, { messages: [] })).status).toBe(422);
  });
});

describe('the shapes of details', () => {
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

  test.each(DETAILS_SHAPES)('%s', (shape) => {
    expect(formatDetails(shape, problems, 3)).toEqual(expected[shape]);
  });

  test('a sandbox answers in the shape it is given', async () => {
    const { url } = await sandboxWith({ detailsShape: 'nested' });
    const reply = await post(`${url}/v1/messages/send`, { phone: '447700900123' });
    expect(reply.body).toMatchObject({ error: { details: { message: ['is required'] } } });
  });
});
