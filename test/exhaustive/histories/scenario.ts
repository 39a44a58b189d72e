import fc from 'fast-check';
import type { INode } from 'n8n-workflow';

import type { Fault } from '../../../sandbox/faults';
import { fault, type Outage, outage, refusedText } from './faults';
import { changed, CHANGES, drafts, type List, listOf } from './lists';

/** One attempt: the first run, or a "Retry" from the list of executions. */
export interface Round {
  readonly list: List;
  readonly faults: Fault[];
  /** If there is one, there are no other faults. */
  readonly outage: Outage | null;
  /** A text that is refused, if that is the only fault. */
  readonly refusedText: string | null;
  readonly credits: number;
}

/** Everything that a user, the service, the network and n8n do in one execution. */
export interface Scenario {
  readonly operation: 'send' | 'sendBulk';
  /** How many accounts the items have in turn. */
  readonly accounts: number;
  /** Whether the texts contain the time, so that they are others at each attempt. */
  readonly hasTime: boolean;
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
  /** The first run, then the retries. One that has the list of the round before it has its workflow, too. */
  readonly rounds: Round[];
}

const credits = fc.oneof({ weight: 6, arbitrary: fc.constant(100_000) }, { weight: 1, arbitrary: fc.nat({ max: 12 }) });
export const NO_FAULTS: Omit<Round, 'list'> = { faults: [], outage: null, refusedText: null, credits: 100_000 };
const service: fc.Arbitrary<Omit<Round, 'list'>> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .record({ faults: fc.array(fault, { maxLength: 4 }), credits })
      .map((own) => ({ ...NO_FAULTS, ...own })),
  },
  { weight: 2, arbitrary: fc.record({ outage, credits }).map((own) => ({ ...NO_FAULTS, ...own })) },
  {
    weight: 1,
    arbitrary: refusedText.map(({ refusal, text }) => ({
      ...NO_FAULTS,
      faults: [{ ...refusal, text }],
      refusedText: text,
    })),
  },
);
const round = fc.record({
  service,
  /** The rows that the user changes before it; none for "Retry with original workflow". */
  places: fc.oneof(fc.constant([]), fc.array(fc.nat({ max: 50 }), { minLength: 2, maxLength: 4 })),
});

const rarely = fc.nat({ max: 9 }).map((number) => number === 0);

export const scenario: fc.Arbitrary<Scenario> = fc
  .record({
    kind: fc.constantFrom('send' as const, 'items' as const, 'json' as const),
    drafts,
    // Needs a credential whose key is an expression: then fc.constantFrom(1, 1, 2).
    accounts: fc.constantFrom(1, 1, 2),
    hasTime: rarely,
    onError: fc.oneof(
      fc.constant('stopWorkflow' as const),
      fc.constantFrom('continueRegularOutput' as const, 'continueErrorOutput' as const),
    ),
    maxTries: fc.option(fc.integer({ min: 2, max: 5 }), { nil: null }),
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
    change: fc.nat({ max: 3 }),
    rounds: fc.array(round, { minLength: 1, maxLength: 3 }),
  })
  .map(({ kind, drafts: given, change: choice, rounds, hasTime: wantsTime, ...rest }): Scenario => {
    // Two texts that differ in the time alone are duplicates only if they were made in the same millisecond.
    const hasTime = wantsTime && rest.options.duplicateMessages === 'send';
    const changes = CHANGES[kind];
    // A message is recognized by its place or by its text, so one of them stays. So does the account of a row.
    const change = hasTime || rest.accounts > 1 ? undefined : changes[choice % changes.length];
    let list = listOf(kind === 'json' ? 'json' : 'items', given, hasTime);
    return {
      ...rest,
      hasTime,
      operation: kind === 'send' ? 'send' : 'sendBulk',
      rounds: rounds.map(({ service: own, places }, index) => {
        if (index > 0 && change !== undefined && places.length > 0) list = changed(list, change, places);
        return { ...own, list };
      }),
    };
  });
