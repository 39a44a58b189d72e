import fc from 'fast-check';
import type { INode } from 'n8n-workflow';

import { DETAILS_SHAPES } from '../../sandbox/details';
import { BULK_ANSWER_SHAPES, type Fault } from '../../sandbox/faults';
import { phoneAt } from '../support/contacts';

/** An item, or an entry of a list. */
export interface Input {
  readonly phone: unknown;
  /** The digits that the service should receive; null if the phone is invalid. */
  readonly cleanPhone: string | null;
  readonly text: string;
}

/** One attempt: the first run, or a "Retry" from the list of executions. */
export interface Round {
  readonly faults: Fault[];
  readonly credits: number;
}

/** Everything that a user, the service, the network and n8n do in one execution. */
export interface Scenario {
  readonly operation: 'send' | 'sendBulk';
  readonly source: 'items' | 'json';
  /** By item; with the source `items` each item has one input. */
  readonly inputs: Input[][];
  readonly onError: NonNullable<INode['onError']>;
  /** 'Retry On Fail'; null if it is off. */
  readonly maxTries: number | null;
  /** 'Items per Batch'; null if it is not set. */
  readonly batchSize: number | null;
  readonly options: {
    readonly checkCreditsFirst: boolean;
    readonly defaultCountryCode: string;
    readonly dryRun: boolean;
    readonly duplicateMessages: 'send' | 'sendOnce';
    readonly longMessages: 'fail' | 'truncate' | 'split';
    readonly output: 'messages' | 'batches';
    readonly parallelRequests: number;
    readonly uncertain: 'report' | 'sendAgain';
    readonly whenCreditsRunOut: 'stop' | 'sendWhatCreditsAllow';
  };
  /** The first run, then the retries. */
  readonly rounds: Round[];
}

/** Only a few phone numbers, so that many messages have the same one. */
const phones = fc.integer({ min: 0, max: 5 }).map(phoneAt);

type Draft = Pick<Input, 'phone' | 'cleanPhone'> & { readonly length: number; readonly like: number | null };

const phone = fc.oneof(
  {
    weight: 12,
    arbitrary: phones.map((digits) => ({ phone: digits as unknown, cleanPhone: digits as string | null })),
  },
  {
    weight: 1,
    arbitrary: phones.map((digits) => ({
      phone: `+${digits.slice(0, 2)} (0)${digits.slice(2, 6)} ${digits.slice(6)}`,
      cleanPhone: digits,
    })),
  },
  { weight: 1, arbitrary: phones.map((digits) => ({ phone: Number(digits), cleanPhone: digits })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', 'abc', null, {}, '123').map((bad) => ({ phone: bad, cleanPhone: null })),
  },
);
const length = fc.oneof(
  { weight: 12, arbitrary: fc.constant(20) },
  { weight: 1, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.constantFrom(1000, 1001, 2500) },
);
const like = fc
  .option(fc.nat({ max: 20 }), { freq: 5, nil: null })
  .map((index) => (index !== null && index % 3 === 0 ? index : null));

const draft: fc.Arbitrary<Draft> = fc
  .record({ phone, length, like })
  .map(({ phone: given, ...rest }) => ({ ...given, ...rest }));

/** Gives every message its own text, except those that repeat an earlier one. */
function inputsOf(drafts: Draft[][]): Input[][] {
  const earlier: Input[] = [];
  return drafts.map((list) =>
    list.map((one) => {
      const repeated = one.like === null ? undefined : earlier[one.like];
      const label = `Text ${earlier.length} `;
      const input = repeated ?? {
        phone: one.phone,
        cleanPhone: one.cleanPhone,
        text: one.length === 0 ? '  ' : label.padEnd(one.length, 'x'),
      };
      earlier.push(input);
      return input;
    }),
  );
}

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
const fault: fc.Arbitrary<Fault> = fc
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

const round: fc.Arbitrary<Round> = fc.record({
  faults: fc.array(fault, { maxLength: 4 }),
  credits: fc.oneof({ weight: 6, arbitrary: fc.constant(100_000) }, { weight: 1, arbitrary: fc.nat({ max: 12 }) }),
});

const rarely = fc.nat({ max: 9 }).map((number) => number === 0);

export const scenario: fc.Arbitrary<Scenario> = fc
  .record({
    kind: fc.constantFrom('send', 'items', 'items', 'json'),
    drafts: fc.array(fc.array(draft, { minLength: 0, maxLength: 4 }), { minLength: 1, maxLength: 12 }),
    onError: fc.constantFrom('stopWorkflow' as const, 'continueRegularOutput' as const, 'continueErrorOutput' as const),
    maxTries: fc.option(fc.integer({ min: 2, max: 3 }), { nil: null }),
    batchSize: fc.option(fc.integer({ min: 1, max: 5 }), { nil: null, freq: 4 }),
    options: fc.record({
      checkCreditsFirst: rarely,
      defaultCountryCode: fc.constantFrom('', '44'),
      dryRun: fc.nat({ max: 29 }).map((number) => number === 0),
      duplicateMessages: fc.constantFrom('send' as const, 'sendOnce' as const),
      longMessages: fc.constantFrom('fail' as const, 'truncate' as const, 'split' as const),
      output: fc.constantFrom('messages' as const, 'messages' as const, 'batches' as const),
      parallelRequests: fc.integer({ min: 1, max: 6 }),
      uncertain: fc.constantFrom('report' as const, 'report' as const, 'sendAgain' as const),
      whenCreditsRunOut: fc.constantFrom('stop' as const, 'sendWhatCreditsAllow' as const),
    }),
    rounds: fc.array(round, { minLength: 1, maxLength: 3 }),
  })
  .map(({ kind, drafts, ...rest }): Scenario => {
    const source = kind === 'json' ? 'json' : 'items';
    // An item has one message, or a list of any length.
    const given = source === 'json' ? drafts : drafts.map(([first = NO_PHONE]) => [first]);
    return { ...rest, operation: kind === 'send' ? 'send' : 'sendBulk', source, inputs: inputsOf(given) };
  });

const NO_PHONE: Draft = { phone: undefined, cleanPhone: null, length: 20, like: null };
