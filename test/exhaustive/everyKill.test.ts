/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
/** Small campaigns, with n8n killed at each moment at which something leaves n8n or is stored. */
import type { INodeParameters } from 'n8n-workflow';

import { killedAt, Lifetime, type Moment } from '../../tools/engine/lifetime';
import { processedData } from '../../tools/engine/processedData';
import { contacts, listOf } from '../support/contacts';
import { Campaign, type Fate } from '../support/engine/campaign';
import type { Setup } from '../support/engine/workflow';
import { inBatchesOf, oneByOne, SEND, SEND_BULK, SEND_LIST, withOptions } from '../support/parameters';
import { accountOf, sandboxForTests } from '../support/sandbox';
import { killsOf } from './extent';

const sandbox = sandboxForTests();

interface Case extends Pick<Setup, 'onError' | 'retryOnFail' | 'settings' | 'withoutToken' | 'moreItems' | 'loopOver'> {
  readonly title: string;
  readonly parameters: INodeParameters;
  readonly items: Setup['items'];
  readonly inFlight: number;
  /** Whether it first asks whom other executions have sent what. */
  readonly asksOthers?: boolean;
  /** Whether n8n is killed at each moment both with and without the event log, and not by turns. */
  readonly isWhole?: boolean;
}

const MESSAGES = 5;
const fromList = [{ list: listOf(MESSAGES) }];
const single = oneByOne(SEND);
const inPairs = (parameters: INodeParameters) => oneByOne(inBatchesOf(2, parameters));
const pairs = inPairs(SEND_BULK);
const inParallel = (parameters: INodeParameters) => withOptions(parameters, { parallelRequests: 3 });
const continued = { onError: 'continueRegularOutput' } as const;
const saved = { settings: { saveExecutionProgress: true } } as const;
const severalLists = { items: contacts(3), moreItems: [contacts(6).slice(3), contacts(9).slice(6)] };

/** Each sends the same items, one request at a time, unless it says otherwise. */
const caseOf = (title: string, parameters: INodeParameters, more: Partial<Case> = {}): Case => {
  return { title, parameters, items: contacts(MESSAGES), inFlight: parameters.operation === 'send' ? 1 : 2, ...more };
};

const CASES = [
  caseOf('Send', single, { isWhole: true }),
  caseOf('Send Bulk', pairs, { isWhole: true }),
  caseOf('a JSON List', inPairs(SEND_LIST), { items: fromList }),
  caseOf('Send with On Error: Continue', single, continued),
  caseOf('Send Bulk with On Error: Continue', pairs, continued),
  caseOf('Send with Parallel Requests', inParallel(SEND), { ...continued, inFlight: 3 }),
  caseOf('Send Bulk with Parallel Requests', inBatchesOf(1, inParallel(SEND_BULK)), { inFlight: 3 }),
  caseOf('Send with saved progress', single, saved),
  caseOf('Send Bulk for several lists', pairs, severalLists),
  caseOf('Send in a loop', single, { loopOver: 1 }),
  caseOf('Send Bulk in a loop', pairs, { loopOver: 3 }),
  caseOf('Send in a loop with saved progress', single, { loopOver: 2, ...saved }),
  caseOf('Send Bulk with Send Once', withOptions(pairs, { duplicateMessages: 'sendOnceEver' }), { asksOthers: true }),
  caseOf('Send with Retry On Fail', single, { retryOnFail: { maxTries: 2 } }),
];

jest.setTimeout(120_000);
beforeEach(() => processedData.reset());

const WITHOUT_TOKENS = ['Send', 'a JSON List', 'Send Bulk in a loop', 'Send in a loop with saved progress'];

describe.each([
  ['', {}, CASES],
  [' without tokens', { withoutToken: true }, CASES.filter(({ title }) => WITHOUT_TOKENS.includes(title))],
])('In n8n%s', (_n8n, token, cases) => {
  describe.each(cases)('$title', ({ title: _title, inFlight, asksOthers = false, isWhole = false, ...own }) => {
    const setup = (): Setup => ({ account: accountOf(sandbox()), mode: 'trigger', ...own, ...token });
    const campaign = () => {
      sandbox().reset();
      processedData.reset();
      return new Campaign(sandbox(), setup());
    };
    const round = own.moreItems?.[0]?.length ?? own.loopOver ?? 0;
    const count = own.items === fromList ? MESSAGES : [own.items, ...(own.moreItems ?? [])].flat().length;
    const expected = contacts(count)
      .map(({ phone }) => phone)
      .join();

    /** The moments of an attempt at which n8n can be killed. */
    const momentsOf = async (begun: Campaign): Promise<readonly Moment[]> => {
      const lifetime = new Lifetime();
      await begun.run({ lifetime });
      return lifetime.moments;
    };

    /** How many messages may be uncertain after a kill. */
    const atRisk = (moments: readonly Moment[], isRetry: boolean): number => {
      // Before the run is noted, only n8n's event log knows of it; and a question that is cut off leaves nothing certain.
      const isNoted = moments.includes(isRetry ? 'leaving' : 'written');
      const isAsking = (isRetry || asksOthers) && !moments.includes('leaving') && moments.includes('writing');
      if (isAsking || (!isRetry && !isNoted) || 'withoutToken' in token) return count;
      // Answered messages that are not noted as answered are in flight as well; and a Retry asks again in each round.
      return 2 * inFlight + (isRetry ? round : 0);
    };

    const faultsOf = async (killed: Campaign, kills: readonly Lifetime[]): Promise<string[]> => {
      const fates = await killed.finish();
      const phones = fates.map(({ phone }) => phone).join();
      const uncertain = fates.filter(({ outcome }) => outcome === 'uncertain').length;
      const most = kills.map(({ moments }, index) => atRisk(moments, index > 0)).reduce((sum, each) => sum + each);
      return [
        ...(phones === expected ? [] : [`other items: ${phones}`]),
        ...fates
          .filter(isUntrue)
          .map(({ phone, outcome, arrivals }) => `${phone} ${String(outcome)}, arrived ${arrivals}×`),
        ...(uncertain <= most ? [] : [`${uncertain} uncertain`]),
      ];
    };

    test.each(['kept', 'gone'] as const)('killed at any moment is completed (event log: %s)', async (eventLog) => {
      const moments = await momentsOf(campaign());
      const faults: string[] = [];
      const every = [...moments.entries()].filter(([index]) => isWhole || index % 2 === (eventLog === 'kept' ? 0 : 1));
      for (const [index, moment] of killsOf(every)) {
        const killed = campaign();
        const lifetime = killedAt(index + 1);
        await killed.run({ lifetime, eventLog });
        for (const fault of await faultsOf(killed, [lifetime]))
          faults.push(`killed at ${index + 1} (${moment}): ${fault}`);
      }
      expect(faults).toEqual([]);
    });

    test('killed again in the Retry, and in the Retry of that, is completed', async () => {
      const moments = await momentsOf(campaign());
      const faults: string[] = [];
      for (const index of killsOf([...moments.keys()].filter((index) => isWhole || index % 3 === 0))) {
        const at = [index, index * 5, index * 3].map((each) => (each % moments.length) + 1);
        const lifetimes = at.map(killedAt);
        const killed = campaign();
        for (const [kill, lifetime] of lifetimes.entries())
          await killed.run({ lifetime, eventLog: kill === 1 ? 'gone' : 'kept' });
        for (const fault of await faultsOf(killed, lifetimes)) faults.push(`killed at ${at.join(', then ')}: ${fault}`);
      }
      expect(faults).toEqual([]);
    });
  });
});

function isUntrue({ outcome, arrivals }: Fate): boolean {
  // What an earlier attempt has sent is skipped if only send once knows it.
  return outcome === 'sent' || outcome === 'skipped' ? arrivals !== 1 : outcome !== 'uncertain' || arrivals > 1;
}
