/** What the service and the network do wrong. */
import fc from 'fast-check';

import { BULK_ANSWER_SHAPES, type Fault } from '../../../sandbox/faults';
import { phones } from './lists';

/** From some request on, no message has a usable answer, for good or until the balance has been read this often. */
export const outage: fc.Arbitrary<Fault> = fc
  .record({
    fault: fc.constantFrom<Fault>(
      { kind: 'status', status: 503 },
      { kind: 'status', status: 500, handled: true },
      { kind: 'html', status: 502 },
      { kind: 'html', status: 200 },
      { kind: 'html', status: 200, handled: true },
      { kind: 'body', status: 201, body: '', handled: true },
      { kind: 'body', status: 200, body: '{"success":false,"error":"Internal Server Error"}', handled: true },
      { kind: 'reset-before' },
      { kind: 'reset-during' },
      { kind: 'reset-after' },
      { kind: 'half-body' },
    ),
    on: fc.constantFrom('send' as const, 'bulk' as const, 'any' as const),
    after: fc.nat({ max: 6 }),
    end: fc.oneof(
      fc.constant({ probability: 1 }),
      fc.integer({ min: 1, max: 3 }).map((balanceRequests) => ({ balanceRequests })),
    ),
  })
  .map(({ fault: kind, on, after, end }): Fault => ({ ...kind, on, after, ...end }));

const timing = fc.record({
  after: fc.oneof(fc.constant(0), fc.nat({ max: 4 })),
  times: fc.integer({ min: 1, max: 3 }),
});
const places = fc.uniqueArray(fc.nat({ max: 6 }), { minLength: 1, maxLength: 3 });
const fields = fc.array(
  fc
    .tuple(fc.nat({ max: 6 }), fc.constantFrom('phone', 'message'))
    .map(([index, field]) => `messages.${index}.${field}`),
  { minLength: 1, maxLength: 3 },
);

/** Answers that leave open whether the request was handled before. */
function handledOrNot(...answers: Array<Extract<Fault, { kind: 'status' | 'html' | 'body' }>>): fc.Arbitrary<Fault> {
  return fc.tuple(fc.constantFrom(...answers), fc.boolean()).map(([answer, handled]) => ({ ...answer, handled }));
}

const body = (status: number, text: string) => ({ kind: 'body', status, body: text }) as const;
const ofBulk = (status: number, text: string) => ({ ...body(status, text), on: 'bulk' }) as const;

/** The service may fail in any way, except that it never reports a message that it sent as not sent. */
const passing: fc.Arbitrary<Fault> = fc
  .tuple(
    timing,
    fc.oneof(
      fc.constantFrom(401, 402, 403, 404, 413).map((status): Fault => ({ kind: 'status', status })),
      fc.constantFrom<Fault>(
        { kind: 'status', status: 422 },
        { kind: 'status', status: 422, details: 7 },
        { kind: 'status', status: 422, details: { messages: 'wrong' } },
      ),
      fc.record({ fields }).map((details): Fault => ({ kind: 'status', status: 422, ...details, on: 'bulk' })),
      fc
        .constantFrom(0, 1, 3, '-5', 'soon', '99999999999', '')
        .map((retryAfter): Fault => ({ kind: 'status', status: 429, retryAfter })),
      handledOrNot(...[408, 409, 500, 503].map((status) => ({ kind: 'status', status }) as const)),
      handledOrNot({ kind: 'html', status: 200 }, { kind: 'html', status: 502 }),
      handledOrNot(...['', '{', 'null', '[]', '{"success":true}', '{"success":false}'].map((text) => body(201, text))),
      handledOrNot(...['{}', '{"messages":7}'].map((data) => ofBulk(201, `{"success":true,"data":${data}}`))),
      handledOrNot(
        ...[200, 400, 409].flatMap((status) => [
          ofBulk(status, '{"success":false,"error":"Internal Server Error"}'),
          ofBulk(status, '{"success":false,"error":{"message":"Request timed out"}}'),
          ofBulk(status, '{"message":"upstream timeout"}'),
          ofBulk(status, '{"success":false,"error":{"code":"PARTLY_SENT","sent":[{"message_id":1}]}}'),
        ]),
      ),
      fc.constant<Fault>(body(200, '{"success":false,"error":{"code":"VALIDATION_ERROR","message":"no"}}')),
      fc.constant<Fault>({ kind: 'redirect', location: 'http://127.0.0.1:1/v1' }),
      fc.constantFrom<Fault>({ kind: 'delay', ms: 1 }, { kind: 'delay', ms: 15 }),
      fc.constantFrom<Fault>(
        { kind: 'reset-before' },
        { kind: 'reset-during' },
        { kind: 'reset-during', sent: 1 },
        { kind: 'reset-after' },
        { kind: 'half-body' },
      ),
      {
        weight: 4,
        arbitrary: fc
          .record({ shape: fc.constantFrom(...BULK_ANSWER_SHAPES), indices: fc.option(places, { nil: undefined }) })
          .map(({ shape, indices }): Fault => ({ kind: 'bulk-answer', shape, ...(indices && { indices }) })),
      },
    ),
  )
  .map(([{ after, times }, kind]): Fault => ({ ...kind, after, times }));

const refusal = fc.constantFrom<Fault>(
  { kind: 'status', status: 422 },
  { kind: 'status', status: 422, fields: [] },
  { kind: 'status', status: 400 },
  { kind: 'html', status: 403 },
);
const breakdown = fc.constantFrom<Fault>(
  { kind: 'status', status: 500 },
  { kind: 'reset-before' },
  { kind: 'reset-after' },
);

/** A message, or all messages to a number, with which every request fails. */
const poison: fc.Arbitrary<Fault> = fc
  .tuple(
    fc.oneof(refusal, breakdown),
    fc.oneof(
      phones.map((phone) => ({ phones: [phone] })),
      fc.nat({ max: 20 }).map((index) => ({ text: `Text ${index} ` })),
    ),
  )
  .map(([kind, about]): Fault => ({ ...kind, ...about }));

/** An instance that is not connected rejects every request from some request on. */
const notConnected: fc.Arbitrary<Fault> = fc.record({
  kind: fc.constant('status' as const),
  status: fc.constantFrom(400, 422),
  code: fc.constantFrom('VALIDATION_ERROR', 'NOT_CONNECTED'),
  fields: fc.constant([]),
  on: fc.constantFrom('send' as const, 'bulk' as const, 'any' as const),
  after: fc.nat({ max: 4 }),
  probability: fc.constant(1),
});

/** Some messages of an accepted request were not sent. With a status that says nothing, an error does. */
const unsent: fc.Arbitrary<Fault> = fc
  .record({
    entry: fc.constantFrom<{ status: string | null; error?: string | { code: string } }>(
      { status: 'failed' },
      { status: 'not_delivered' },
      { status: 'failed', error: { code: 'NOT_REGISTERED' } },
      { status: 'not_delivered', error: 'The number is not registered' },
      { status: null, error: 'The number is not registered' },
      { status: null, error: { code: 'NOT_REGISTERED' } },
    ),
    messageId: fc.boolean(),
    indices: places,
    timing,
  })
  .map(({ entry, timing: { after, times }, ...rest }): Fault => ({ kind: 'unsent', ...entry, ...rest, after, times }));

/** In a list of faults, the first that is due hits a request. */
export const fault = fc.oneof(
  { weight: 8, arbitrary: passing },
  { weight: 1, arbitrary: poison },
  { weight: 1, arbitrary: notConnected },
  { weight: 1, arbitrary: unsent },
);

/** A fault without a wait: it passes at once, and the service can be asked for the balance. */
export const calmFault: fc.Arbitrary<Fault> = fc.oneof(
  fc.tuple(refusal, fc.nat({ max: 4 })).map(([kind, after]): Fault => ({ ...kind, after, times: 1 })),
  fc
    .tuple(fc.constantFrom('send' as const, 'bulk' as const), fc.nat({ max: 4 }))
    .map(([on, after]): Fault => ({ kind: 'reset-after', on, after, times: 1 })),
  fc.constantFrom<Fault>({ kind: 'delay', ms: 1, times: 3 }, { kind: 'delay', ms: 15, times: 3 }),
);
