/** What the service and the network do wrong. */
import fc from 'fast-check';

import { DETAILS_SHAPES } from '../../../sandbox/details';
import { BULK_ANSWER_SHAPES, type Fault } from '../../../sandbox/faults';
import { phones } from './lists';

/** From some request on no message has a usable answer, for good or until the balance has been read so often. */
export interface Outage {
  readonly fault: Fault;
  /** Whether only sending is down. */
  readonly balanceWorks: boolean;
  readonly after: number;
  readonly balanceRequests: number | null;
}

/** @param endpoint the one that the scenario sends to */
export function outageFault({ fault, balanceWorks, after, balanceRequests }: Outage, endpoint: 'send' | 'bulk'): Fault {
  const end = balanceRequests === null ? { probability: 1 } : { balanceRequests };
  return { ...fault, on: balanceWorks ? endpoint : 'any', after, ...end };
}

export const outage: fc.Arbitrary<Outage> = fc.record({
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
  balanceWorks: fc.boolean(),
  after: fc.nat({ max: 6 }),
  balanceRequests: fc.option(fc.integer({ min: 1, max: 3 }), { nil: null }),
});

const timing = fc.record({
  after: fc.oneof(fc.constant(0), fc.nat({ max: 4 })),
  times: fc.integer({ min: 1, max: 3 }),
});
const detailsShape = fc.constantFrom(...DETAILS_SHAPES);
const fields = fc.array(
  fc
    .tuple(fc.nat({ max: 6 }), fc.constantFrom('phone', 'message'))
    .map(([index, field]) => `messages.${index}.${field}`),
  { minLength: 1, maxLength: 3 },
);

/** The service may fail in any way, except that it never reports a message as not sent that it sent. */
const passing: fc.Arbitrary<Fault> = fc
  .tuple(
    timing,
    fc.oneof(
      fc.constantFrom<Fault>(
        { kind: 'status', status: 401 },
        { kind: 'status', status: 402 },
        { kind: 'status', status: 403 },
        { kind: 'status', status: 404 },
        { kind: 'status', status: 413 },
      ),
      fc.constantFrom<Fault>(
        { kind: 'status', status: 422 },
        { kind: 'status', status: 422, details: 7 },
        { kind: 'status', status: 422, details: { messages: 'wrong' } },
      ),
      fc.record({
        kind: fc.constant('status' as const),
        status: fc.constant(422),
        detailsShape,
        fields,
        on: fc.constant('bulk' as const),
      }),
      fc.record({
        kind: fc.constant('status' as const),
        status: fc.constant(429),
        retryAfter: fc.constantFrom(0, 1, 3, '-5', 'soon', '99999999999', ''),
      }),
      fc.record({ kind: fc.constant('status' as const), status: fc.constantFrom(500, 503), handled: fc.boolean() }),
      fc.record({ kind: fc.constant('html' as const), status: fc.constantFrom(200, 502), handled: fc.boolean() }),
      fc.record({
        kind: fc.constant('body' as const),
        status: fc.constant(201),
        body: fc.constantFrom('', '{', 'null', '[]', '{"success":true}'),
        handled: fc.boolean(),
      }),
      fc.record({
        kind: fc.constant('body' as const),
        status: fc.constant(201),
        body: fc.constantFrom('{"success":true,"data":{}}', '{"success":true,"data":{"messages":7}}'),
        on: fc.constant('bulk' as const),
        handled: fc.boolean(),
      }),
      fc.record({
        kind: fc.constant('body' as const),
        status: fc.constantFrom(200, 400, 409),
        body: fc.constantFrom(
          '{"success":false,"error":"Internal Server Error"}',
          '{"success":false,"error":{"message":"Request timed out"}}',
          '{"message":"upstream timeout"}',
          '{"success":false,"error":{"code":"PARTLY_SENT","message":"no","sent_count":1}}',
        ),
        on: fc.constant('bulk' as const),
        handled: fc.boolean(),
      }),
      fc.constantFrom<Fault>(
        { kind: 'body', status: 200, body: '{"success":false,"error":{"code":"VALIDATION_ERROR","message":"no"}}' },
        { kind: 'body', status: 201, body: '{"success":false}' },
      ),
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
          .constantFrom(...BULK_ANSWER_SHAPES)
          .chain((shape) =>
            fc
              .option(fc.uniqueArray(fc.nat({ max: 6 }), { minLength: 1, maxLength: 3 }), { nil: undefined })
              .map((indices): Fault => ({ kind: 'bulk-answer', shape, ...(indices !== undefined && { indices }) })),
          ),
      },
    ),
  )
  .map(([{ after, times }, kind]): Fault => ({ ...kind, after, times }));

const refusal = fc.constantFrom<Fault>(
  { kind: 'status', status: 422 },
  { kind: 'status', status: 422, detailsShape: 'none' },
  { kind: 'status', status: 400 },
  { kind: 'html', status: 403 },
);
const breakdown = fc.constantFrom<Fault>(
  { kind: 'status', status: 500 },
  { kind: 'reset-before' },
  { kind: 'reset-after' },
);
const poisonText = fc.nat({ max: 20 }).map((index) => `Text ${index} `);

/** A text that the service, or a firewall, refuses. */
export const refusedText = fc.record({ refusal, text: poisonText });

/** A message, or all to a number, that every request fails with. */
const poison: fc.Arbitrary<Fault> = fc
  .tuple(
    fc.oneof(refusal, breakdown),
    fc.oneof(
      phones.map((phone) => ({ phones: [phone] })),
      poisonText.map((text) => ({ text })),
    ),
  )
  .map(([kind, about]): Fault => ({ ...kind, ...about }));

/** An instance that is not connected refuses every request from some request on. */
const notConnected: fc.Arbitrary<Fault> = fc.record({
  kind: fc.constant('status' as const),
  status: fc.constantFrom(400, 422),
  code: fc.constantFrom('VALIDATION_ERROR', 'NOT_CONNECTED'),
  detailsShape: fc.constant('none' as const),
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
    indices: fc.uniqueArray(fc.nat({ max: 6 }), { minLength: 1, maxLength: 3 }),
    timing,
  })
  .map(({ entry, timing: { after, times }, ...rest }): Fault => ({ kind: 'unsent', ...entry, ...rest, after, times }));

/** In a list of them, the first that is due hits a request. */
export const fault = fc.oneof(
  { weight: 8, arbitrary: passing },
  { weight: 1, arbitrary: poison },
  { weight: 1, arbitrary: notConnected },
  { weight: 1, arbitrary: unsent },
);
