import fc from 'fast-check';
import type { INode } from 'n8n-workflow';

import type { Fault } from '../../../sandbox/faults';
import { calmFault, fault, outage } from './faults';
import { type Change as ListChange, changed, drafts, type List, listOf, phones } from './lists';

export interface Settings {
  readonly operation: 'send' | 'sendBulk';
  /** How many accounts take turns over the items. */
  readonly accounts: number;
  /** The number of the API key, from 0, if all items have one account. */
  readonly apiKey: number;
  /**
   * What the texts contain: nothing that changes, a user's correction, the time (different in each attempt, and perhaps
   * in each item), or the ID of the execution.
   */
  readonly stamp: 'none' | 'corrected' | 'time' | 'execution';
  /** 'Message Key': not set, one for each text, one of three for each text, or one for all messages. */
  readonly keys: 'none' | 'texts' | 'few' | 'campaign';
  readonly optedOut: readonly string[];
  readonly onError: NonNullable<INode['onError']>;
  /** 'Retry On Fail'; null if it is off. */
  readonly maxTries: number | null;
  /** 'Items per Batch'; null if it is not set. */
  readonly batchSize: number | null;
  readonly options: {
    readonly checkCreditsFirst: boolean;
    readonly defaultCountryCode: string;
    readonly dryRun: boolean;
    readonly duplicateMessages: 'send' | 'sendOnce' | 'sendOnceEver';
    readonly emptyFields: 'send' | 'doNotSend';
    readonly longMessages: 'fail' | 'truncate' | 'split';
    /** 'Max Wait (Minutes)' */
    readonly longestWait: number;
    readonly parallelRequests: number;
  };
}

/** Another execution of the workflow, with the same items. */
export interface Other {
  /** Before the attempt, or at the same moment in the same process. */
  readonly when: 'before' | 'beside';
  readonly duplicateMessages: Settings['options']['duplicateMessages'];
}

interface Service {
  readonly faults: Fault[];
  readonly credits: number;
}

/** What n8n and the user do during an attempt. */
interface Events {
  /** The number of the moment at which n8n is killed, from 1, if the attempt gets so far. */
  readonly killAt: number | null;
  readonly eventLog: 'kept' | 'gone';
  readonly others: readonly Other[];
}

/** One attempt: the first run, or a "Retry" from the list of executions. */
export interface Round extends Service, Events {
  /** The same object as in the round before if the user has changed nothing: "Retry with original workflow". */
  readonly settings: Settings;
  readonly list: List;
}

/** Everything that a user, the service, the network and n8n do in one execution. */
export interface Scenario {
  /** n8n doesn't retry a manual execution that was killed. */
  readonly mode: 'manual' | 'trigger';
  /** Whether a key can stand for several texts; then no text is split. */
  readonly sharesKeys: boolean;
  readonly rounds: Round[];
}

export const ALL_WELL: Service & Events = {
  ...{ faults: [], credits: 100_000 },
  ...{ killAt: null, eventLog: 'kept', others: [] },
};
const credits = fc.oneof({ weight: 6, arbitrary: fc.constant(100_000) }, { weight: 1, arbitrary: fc.nat({ max: 12 }) });
const service: fc.Arbitrary<Service> = fc.record({
  faults: fc.oneof(
    { weight: 3, arbitrary: fc.array(fault, { maxLength: 4 }) },
    { weight: 1, arbitrary: fc.array(outage, { minLength: 1, maxLength: 1 }) },
  ),
  credits,
});

/** One that never makes the node wait for the service, because its 'Max Wait' is real time. */
const calmService: fc.Arbitrary<Partial<Service>> = fc.record({ faults: fc.array(calmFault, { maxLength: 2 }) });
const duplicateMessages = fc.constantFrom('send' as const, 'sendOnce' as const, 'sendOnceEver' as const);
const optedOut = fc.array(phones, { minLength: 1, maxLength: 3 });
const batchSize = fc.option(fc.integer({ min: 1, max: 5 }), { nil: null, freq: 4 });

/** What the user sets differently before a Retry. */
type Change = Partial<Omit<Settings, 'options'>> & { readonly options?: Partial<Settings['options']> };
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  fc.constantFrom<Change>({ stamp: 'corrected' }, { apiKey: 1 }),
  fc.record({ keys: fc.constantFrom('none', 'texts', 'few', 'campaign') }),
  fc.record({ operation: fc.constantFrom('send', 'sendBulk') }),
  fc.record({ batchSize }),
  fc.record({ options: fc.record({ duplicateMessages }) }),
  fc.constant({ options: { dryRun: true } }),
  fc.record({ optedOut }),
);

const other: fc.Arbitrary<Other> = fc.record({
  when: fc.constantFrom('before', 'beside'),
  duplicateMessages: fc.constantFrom('send', 'sendOnceEver', 'sendOnceEver'),
});

const round = fc.record({
  service,
  calmService,
  killAt: fc.option(fc.integer({ min: 1, max: 30 }), { nil: null, freq: 3 }),
  eventLog: fc.constantFrom('kept' as const, 'gone' as const),
  others: fc.oneof(fc.constant<Other[]>([]), fc.array(other, { maxLength: 2 })),
  change,
  /** The rows that the user changes before it; none for "Retry with original workflow". */
  places: fc.oneof(fc.constant([]), fc.array(fc.nat({ max: 50 }), { minLength: 2, maxLength: 4 })),
});

export const scenario: fc.Arbitrary<Scenario> = fc
  .record({
    kind: fc.constantFrom('send' as const, 'items' as const, 'json' as const),
    mode: fc.constantFrom('manual' as const, 'trigger' as const, 'trigger' as const),
    /** Whether the node may wait, so that other executions run at the same moment. */
    isPatient: fc.constantFrom(true, false, false, false, false, false),
    drafts,
    /** The keys of a scenario in which each key stands for one text, and of one in which it doesn't. */
    sharesKeys: fc.boolean(),
    ownKeys: fc.constantFrom('none' as const, 'none' as const, 'texts' as const),
    sharedKeys: fc.constantFrom('few' as const, 'campaign' as const),
    settings: fc.record({
      // With several accounts, the key in the credential is an expression.
      accounts: fc.constantFrom(1, 1, 2),
      apiKey: fc.constant(0),
      stamp: fc.constantFrom('none' as const, 'none' as const, 'none' as const, 'time' as const, 'execution' as const),
      optedOut: fc.oneof({ weight: 5, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: optedOut }),
      onError: fc.oneof(
        fc.constant('stopWorkflow' as const),
        fc.constantFrom('continueRegularOutput' as const, 'continueErrorOutput' as const),
      ),
      maxTries: fc.option(fc.integer({ min: 2, max: 5 }), { nil: null }),
      batchSize,
      options: fc.record({
        checkCreditsFirst: fc.nat({ max: 9 }).map((number) => number === 0),
        defaultCountryCode: fc.constantFrom('', '44'),
        dryRun: fc.nat({ max: 29 }).map((number) => number === 0),
        duplicateMessages,
        emptyFields: fc.constantFrom('send' as const, 'send' as const, 'doNotSend' as const),
        longMessages: fc.constantFrom('fail' as const, 'truncate' as const, 'split' as const),
        parallelRequests: fc.integer({ min: 1, max: 6 }),
      }),
    }),
    listChange: fc.nat({ max: 11 }),
    rounds: fc.array(round, { minLength: 1, maxLength: 3 }),
  })
  .map(({ kind, mode, isPatient, drafts: given, listChange: choice, rounds, ...more }) => {
    const { sharesKeys, ownKeys, sharedKeys } = more;
    const { options, ...rest } = more.settings;
    // n8n gives a retry the same items, whose values can differ, but not their number.
    const changes: ListChange[] = kind === 'json' ? ['remove', 'add', 'swap', 'order'] : ['swap', 'order', 'order'];
    // The account of a row stays.
    const listChange = rest.accounts > 1 ? undefined : changes[choice % changes.length];
    let list = listOf(kind === 'json' ? 'json' : 'items', given, sharesKeys);
    const operation = kind === 'send' ? 'send' : 'sendBulk';
    // The key of a list is the same for all its messages.
    const keys = !sharesKeys ? (kind === 'json' ? 'none' : ownKeys) : kind === 'json' ? 'campaign' : sharedKeys;
    let settings: Settings = { ...rest, keys, operation, options: { ...options, longestWait: isPatient ? 1 : 0 } };
    return {
      mode,
      sharesKeys,
      rounds: rounds.map(({ service: own, calmService: calm, places, change: wanted, ...events }, index): Round => {
        if (index > 0 && listChange !== undefined && places.length > 0) list = changed(list, listChange, places);
        const round = withChange(settings, index > 0 ? wanted : {}, list, sharesKeys);
        // A dry run is tried once.
        if (!round.options.dryRun) settings = round;
        const others = events.others.filter(({ when }) => isPatient || when === 'before');
        const killAt = mode === 'trigger' && others.every(({ when }) => when === 'before') ? events.killAt : null;
        const { eventLog } = events;
        return { ...ALL_WELL, ...(isPatient ? calm : own), ...{ settings: round, list, killAt, eventLog, others } };
      }),
    };
  });

/** Only changes that the list allows; the same object if nothing changes. */
function withChange(
  settings: Settings,
  { options, apiKey, keys, ...rest }: Change,
  { source }: List,
  sharesKeys: boolean,
): Settings {
  const mayHaveKeys = keys === 'none' || sharesKeys === (keys !== 'texts');
  const own = {
    ...(source === 'items' && rest),
    ...(source === 'items' && keys !== undefined && mayHaveKeys && { keys }),
    ...(settings.accounts === 1 && apiKey !== undefined && { apiKey }),
  };
  // A message sent from one account could then be a duplicate of another account's: its item says only that.
  const isTold = settings.accounts === 1 || options?.duplicateMessages === undefined;
  if (!isTold || (Object.keys(own).length === 0 && options === undefined)) return settings;
  return { ...settings, ...own, options: { ...settings.options, ...options } };
}
